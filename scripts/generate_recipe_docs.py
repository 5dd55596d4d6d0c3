"""Writes docs/recipes.md from the recipes themselves. `make docs` runs it; a test fails when the page is stale."""

from __future__ import annotations

import importlib
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recollect import Explanation, Recollect
from recollect.recipes import aliases, load, names
from recollect.recipes.explain import explain

sys.path.insert(0, str(Path(__file__).parent))
from recipe_statements import table  # noqa: E402

PAGE = Path(__file__).parent.parent / "docs" / "recipes.md"
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
DEEPEST = 4
"""Levels of the arithmetic that the page shows; `recall --explain` shows all."""
QUESTION = "which pool_mode does the billing database use"


def _old_names() -> str:
    renamed = {
        "`type`": aliases.TYPES,
        "recipe": aliases.RECIPE_FIELDS,
        "`fuse.routes`": aliases.SCALED_FIELDS,
        "`conflicts`": aliases.CONFLICTS_FIELDS,
        "`group`": aliases.GROUP_FIELDS,
        **{f"`{kind}`": renames for kind, renames in aliases.FIELDS_OF_TYPE.items()},
    }
    rows = [f"| {part} | `{old}` | `{new}` |" for part, renames in renamed.items() for old, new in renames.items()]
    return "\n".join(["| in | old name | new name |", "|---|---|---|", *rows])


HEAD = f"""# Recipes

<!-- Written by scripts/generate_recipe_docs.py: change the recipes, then run `make docs`. -->

A recipe says which stages a recall uses, and with which numbers. Thirteen recipes are included: seven published memory
systems (BrainDB in its three modes), two plain searches (`bm25`, `vector`) and our own two (`default`, and
`default-fast` without a reader). They run on the same engine, so you can ask all of them the same question:

```console
$ recollect compare "{QUESTION}"
$ recollect recipes show memx > mine.toml      # change a number …
$ recollect recall "…" --recipe mine.toml      # … and use it
```

In Python a recipe is a frozen dataclass: `dataclasses.replace(recollect.recipes.load("memx"), reject=None)`.

To add a recipe, add one file: a module with a `RECIPE` in `src/recollect/recipes/`.

Each published recipe has a table with every statement of its document: as written, differs (and why), or not part of
retrieval. `tests/reference/` has each system in plain code, written from its document, and compares it with the recipe
on random stores.

You can check every score: the formula of an explanation is plain arithmetic over the names of its parts, and
`hit.explanation.recompute()` computes it again.

Some settings were renamed. A recipe file with the old names still loads:

{_old_names()}

## The worked example

Four memories and the question *{QUESTION}?*, asked on 1 November 2026. The embedder is `hashing`, so that the
numbers are the same on every machine. Each section below shows the scores of the returned memories ("Result"), and how
the score of the first one was computed.

| | memory | kind | importance | age |
|---|---|---|---|---|
"""
MEMORIES = [
    ("A", "The billing database uses pool_mode transaction since the upgrade.", "decision", 0.6, 20),
    ("B", "The billing database used pool_mode session.", "fact", 0.5, 200),
    ("C", "Kim owns the billing service and its database.", "fact", 0.9, 2),
    ("D", "After the upgrade the nightly export is faster.", "fact", 0.4, 19),
]


def page() -> str:
    with Recollect(":memory:", embedder="hashing") as mind:
        letters = _load(mind)
        table = "\n".join(f"| {n} | {t} | {k} | {i} | {d} days |" for n, t, k, i, d in MEMORIES)
        links = "\nA supersedes B; A and D are linked (`related`, 0.7).\n"
        return "\n".join([HEAD + table, links, *(_section(mind, letters, name) for name in names())])


def _load(mind: Recollect) -> dict[str, str]:
    ids = {}
    for letter, text, kind, importance, days in MEMORIES:
        memory = mind.remember(text, kind=kind, importance=importance, at=NOW - timedelta(days=days))
        ids[letter] = memory.id
    mind.supersede(ids["B"], ids["A"])
    mind.link(ids["A"], ids["D"], "related", 0.7)
    return {id: letter for letter, id in ids.items()}


def _section(mind: Recollect, letters: dict[str, str], name: str) -> str:
    recipe = load(name)
    doc = importlib.import_module(f"recollect.recipes.{name.replace('-', '_')}").__doc__ or ""
    summary, _, pitfalls = doc.partition("\n\nKnown pitfalls:\n")
    found = mind.recall(QUESTION, recipe=recipe, at=NOW, limit=4, track=False)
    order = ", ".join(f"{letters[hit.memory.id]} {hit.score:.3f}" for hit in found.hits)
    lines = [f"## {name}\n", summary + "\n", f"*Source.* {recipe.cite}\n", "```text", explain(recipe), "```\n"]
    lines.append(f"Result: {order or found.rejected}.\n")
    if found.hits:
        lines += ["```text", *_tree(found.hits[0].explanation, letters), "```\n"]
    return "\n".join([*lines, *table(name), "Known pitfalls:\n", pitfalls.rstrip(), ""])


def _tree(node: Explanation, letters: dict[str, str], depth: int = 0) -> list[str]:
    formula = f" = {node.formula}" if node.formula else ""
    note = node.note
    for id, letter in letters.items():
        note = note.replace(id, letter)
    line = f"{'  ' * depth}{node.name} {node.value:.4g}{formula}{f'  ({note})' if note else ''}"
    below = node.parts if depth < DEEPEST else ()
    return [line, *(row for part in below for row in _tree(part, letters, depth + 1))]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stderr.write(f"wrote {PAGE}\n")
