"""A scenario of OpenMem's suite: memories with dates, status and entities, links, and what a recall must give.

`{"name", "about", "memories": [{"id", "text", "kind"?, "gist"?, "entities"?, "days_ago"?, "strength"?, "confidence"?,
"status"?}], "links"?: [{"from", "to", "kind", "weight"}], "supersedes"?: [[old, new]], "fillers"?: {"count", "texts",
"words", "days_ago"?}, "questions": [{"q", "top_k"?, "budget_tokens"?, "first"?, "found"?, "absent"?, "above"?: [[a,
b]], "hits"?, "scores"?: {id: formula}}]}`. A formula is the document's, with the numbers of the memory filled in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...explanation import evaluate
from ..datasets.reading import Part, read

TOP_K = 5
"""OpenMem's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One memory."""

    id: str
    text: str
    fields: Mapping[str, Any]
    """kind, gist, entities and confidence, as `remember` takes them."""
    days_ago: float
    later: Mapping[str, Any]
    """strength and status, which are set after storing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    a: str
    b: str
    kind: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and what the document says about its answer."""

    text: str
    top_k: int
    budget_tokens: int | None
    first: str | None
    found: tuple[str, ...]
    absent: tuple[str, ...]
    above: tuple[tuple[str, str], ...]
    hits: int | None
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    name: str
    about: str
    memories: tuple[Stored, ...]
    edges: tuple[Edge, ...]
    supersedes: tuple[tuple[str, str], ...]
    questions: tuple[Asked, ...]


def scenario_files() -> list[Path]:
    """The scenarios of the package."""
    return sorted((Path(__file__).parent / "scenarios").glob("*.json"))


def load(path: str | Path) -> Scenario:
    """Reads a scenario. A name that no memory has is refused."""
    data = Part(read(Path(path))[0], str(path))
    memories = (*map(_memory, data["memories"]), *_fillers(data.get("fillers")))
    known = {memory.id for memory in memories}
    return Scenario(
        name=data["name"].text,
        about=data["about"].text,
        memories=memories,
        edges=tuple(_edge(link, known) for link in data.get("links") or ()),
        supersedes=tuple(_pair(each, known) for each in data.get("supersedes") or ()),
        questions=tuple(_question(asked, known) for asked in data["questions"]),
    )


def _memory(given: Part) -> Stored:
    fields = {name: part.value for name in ("kind", "gist", "entities", "confidence") if (part := given.get(name))}
    later = {name: part.value for name in ("strength", "status") if (part := given.get(name))}
    return Stored(
        id=given["id"].text, text=given["text"].text, fields=fields, days_ago=_number(given, "days_ago"), later=later
    )


def _fillers(given: Part | None) -> Iterator[Stored]:
    if given is None:
        return
    texts, words = [part.text for part in given["texts"]], [part.text for part in given["words"]]
    for n in range(given["count"].number):
        text = texts[n % len(texts)].format(n=n, word=words[n // len(texts) % len(words)])
        yield Stored(id=f"filler-{n}", text=text, fields={}, days_ago=_number(given, "days_ago"), later={})


def _edge(given: Part, known: set[str]) -> Edge:
    a, b = _known(given["from"], known), _known(given["to"], known)
    return Edge(a=a, b=b, kind=given["kind"].text, weight=_number(given, "weight"))


def _question(given: Part, known: set[str]) -> Asked:
    first, top_k, budget, hits = (given.get(name) for name in ("first", "top_k", "budget_tokens", "hits"))
    scores = given.get("scores")
    return Asked(
        text=given["q"].text,
        top_k=top_k.number if top_k else TOP_K,
        budget_tokens=budget.number if budget else None,
        first=_known(first, known) if first else None,
        found=tuple(_known(each, known) for each in given.get("found") or ()),
        absent=tuple(_known(each, known) for each in given.get("absent") or ()),
        above=tuple(_pair(each, known) for each in given.get("above") or ()),
        hits=hits.number if hits else None,
        scores={name: _formula(part) for name, part in (scores.items() if scores else ())},
    )


def _formula(given: Part) -> float:
    try:
        return evaluate(given.text, {})
    except (ValueError, SyntaxError, KeyError):
        given.refuse(f"must be arithmetic such as 0.5 * 1 + 0.2 * exp(-0.05 * 10), not {given.text!r:.60}")


def _pair(given: Part, known: set[str]) -> tuple[str, str]:
    ends = list(given)
    if len(ends) != 2:
        given.refuse("must be two ids")
    return _known(ends[0], known), _known(ends[1], known)


def _known(given: Part, known: set[str]) -> str:
    if given.text not in known:
        given.refuse(f"names {given.text!r}, which no memory has")
    return given.text


def _number(given: Part, name: str) -> float:
    part = given.get(name)
    if part is None:
        return 0.0
    if isinstance(part.value, bool) or not isinstance(part.value, int | float):
        part.refuse(f"must be a number, not {part.value!r:.40}")
    return float(part.value)
