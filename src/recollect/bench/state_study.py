"""StateBench at retrieval level: do the hits carry what an answer must mention, and nothing that it must not?"""

from __future__ import annotations

from collections.abc import Sequence

from ..progress import progress
from . import side_by_side
from .datasets.statebench import TRACKS, StateBench, StateQuery
from .html_page import Part, Table
from .replay import Replay, Reply
from .side_by_side import Groups, Scored

LIMIT = 5
MEASURES = ("clean@1", "mentions@1", "both@1", "clean@5", "mentions@5", "nothing returned")
COUNTED = ("clean@1",)
COMPARED = ("clean@1", "mentions@1", "both@1")
_NOTE = "mentions and both: only queries with something to mention that some turn contains; the next table counts them."


def run(bench: StateBench, replay: Replay) -> list[tuple[StateQuery, Reply]]:
    """Replays every timeline on a store of its own."""
    with progress("timelines", sum(map(len, bench.timelines))) as advance:
        return [answered for timeline in bench.timelines for answered in replay.run(timeline, advance)]


def score(query: StateQuery, reply: Reply) -> dict[str, float]:
    texts = [hit.text for hit in reply.hits]
    values = {
        "clean@1": float(query.clean(texts[:1])),
        "clean@5": float(query.clean(texts)),
        "nothing returned": float(not texts),
    }
    if not query.must:
        return values
    mentioned = float(query.some(texts[:1]))
    return {
        **values,
        "mentions@1": mentioned,
        "mentions@5": float(query.every(texts)),
        "both@1": mentioned * values["clean@1"],
    }


def figures(answered: Sequence[tuple[StateQuery, Reply]]) -> Groups:
    """The figures of each track."""
    found = side_by_side.grouped(_scored(answered), lambda one: one.type, MEASURES)
    return {track: found[track] for track in TRACKS if track in found}


def _scored(answered: Sequence[tuple[StateQuery, Reply]]) -> list[Scored]:
    return [
        Scored(question=query.id, recipe=reply.recipe, type=query.type, values=score(query, reply))
        for query, reply in answered
    ]


def parts(bench: StateBench, answered: Sequence[tuple[StateQuery, Reply]]) -> list[Part]:
    """The tables and pictures of a run."""
    tracks = figures(answered)
    return [
        side_by_side.table("By track", "track", tracks, MEASURES, COUNTED, _NOTE),
        measurable(bench),
        side_by_side.picture("both@1 by track", tracks, "both@1"),
        *side_by_side.compared("statebench", _scored(answered), COMPARED),
    ]


def measurable(bench: StateBench) -> Table:
    """What the conversations allow: how many queries of each track can be right, and how many can be wrong."""
    asked = [step for timeline in bench.timelines for step in timeline if isinstance(step, StateQuery)]
    tracks = {track: [query for query in asked if query.type == track] for track in TRACKS}
    rows = [(track, str(len(mine)), *map(str, _counts(mine))) for track, mine in tracks.items() if mine]
    head = ("track", "queries", "something to mention", "in a clean turn", "something forbidden")
    note = "Queries for which some turn contains it. Without a clean turn, both@1 needs a completed correction."
    left = (f"{bench.left_out} timelines of other tracks are left out.",) if bench.left_out else ()
    return Table(title="What the turns contain", head=head, rows=tuple(rows), notes=(note, *left))


def _counts(queries: Sequence[StateQuery]) -> tuple[int, int, int]:
    clean = [any(query.some([text]) and query.clean([text]) for text in query.said) for query in queries]
    return sum(bool(query.must) for query in queries), sum(clean), sum(not query.clean(query.said) for query in queries)
