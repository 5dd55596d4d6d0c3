"""The command `demo`: a year of an assistant's memory, asked a dozen questions."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..types import Recall
from . import show
from .app import command
from .mcp import started_program
from .options import Embedder, Place

if TYPE_CHECKING:
    from ..demo import Question

HITS_SHOWN = 3
HITS_SHOWN_OF_SEVERAL = 5
"""For questions whose answer needs several memories."""


@command("demo", "recollect demo")
def demo(place: Place, embedder: Embedder = None) -> None:
    """Load a year of memories and ask a dozen questions.

    Uses a new temporary store, or the one of --db, and the namespace `demo`.
    """
    from .. import demo as year

    path = place.db or str(Path(tempfile.mkdtemp(prefix="recollect-demo-")) / "demo.db")
    at_home = Place(db=path, namespace=place.namespace or year.namespace())
    show.say("loading a year of memories …")
    with at_home.open(make=True, embedder=embedder, recipe="default") as mind:
        if not mind.list(limit=1):
            year.load(mind)
        count = mind.stats(mind.namespace).memories
        asked = [(each, year.ask(mind, each, limit=_hits(each))) for each in year.questions()]
    data = [{"shows": each.shows, "recall": found.to_dict()} for each, found in asked]

    def draw() -> None:
        show.line(f"{count} memories in {path}\n")
        for each, found in asked:
            _draw(each, found)
        _how_to_go_on(at_home, path)
        if not place.db:
            show.line(f"The store stays until you remove it: rm -r {Path(path).parent}")

    show.answer(place.as_json, {"db": path, "namespace": at_home.namespace, "questions": data}, draw)


def _hits(question: Question) -> int:
    return HITS_SHOWN_OF_SEVERAL if len(question.expect) > 1 else HITS_SHOWN


def _draw(question: Question, found: Recall) -> None:
    show.line(show.bold(f"? {question.text}"))
    show.line(show.dim(f"  {question.shows}"))
    if not found.hits:
        show.line(f"    not in memory: {found.rejected}")
    if question.explained:
        from .draw import explained

        explained(found, trees=1)
    else:
        show.hits(found)
    show.line()


def _how_to_go_on(place: Place, path: str) -> None:
    here, program = f"--db {path} --namespace {place.namespace}", typed_program()
    show.line("Try more with this store:")
    for line in (
        f"{program} recall 'Where does Tamsin live?' --explain {here}",
        f"{program} recall 'Where did she live?' --as-of 2026-01-01 {here}",
        f"{program} compare 'Why did the date slip?' {here}",
        f"{program} list --kind procedure {here}",
        f"{program} add 'Biscuit is afraid of thunder' {here}",
        f"{program} stats {here}",
    ):
        show.line(f"  {line}")
    show.line("Or open it as a web page, to read it, ask it and correct it:")
    show.line(f"  {program} serve {here}")


def typed_program() -> str:
    """What to type here: `make demo` runs the command of an environment that need not be on the PATH."""
    script, *rest = started_program()
    found, here = shutil.which("recollect"), Path.cwd()
    if found is not None and Path(found).samefile(script):
        return "recollect"
    nearby = Path(script).relative_to(here) if Path(script).is_relative_to(here) else script
    return shlex.join([str(nearby), *rest])
