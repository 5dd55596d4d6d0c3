"""Raises memories that are linked to, next to, or in one session with good candidates."""

from __future__ import annotations

from collections.abc import Sequence

from ..explanation import Explanation
from ..recipes.recipe import Activation, SessionFirst, SessionPrior, Spread, TurnNeighbours
from ..types import NAMELESS, Candidate, Link, Memory, Neighbourhood
from .fuse import best_first


def spread(candidates: Sequence[Candidate], how: Spread, around: Neighbourhood) -> list[Candidate]:
    match how:
        case Activation():
            return best_first(_activate(candidates, how, around))
        case TurnNeighbours():
            return best_first(_from_neighbours(candidates, how, around))
        case SessionPrior():
            return best_first(_with_prior(candidates, how))
        case SessionFirst():
            return best_first(_session_first(candidates, how, around))


def _activate(candidates: Sequence[Candidate], how: Activation, around: Neighbourhood) -> list[Candidate]:
    """neighbour = source × weight × decay, hop by hop. A memory keeps the highest of its values."""
    known = {c.memory.id: c for c in candidates}
    edge = dict(known)
    for _ in range(how.hops):
        reached: dict[str, Candidate] = {}
        for link in (link for link in around.links if link.kind not in how.excluded_link_kinds):
            for start, end in ((link.a, link.b), (link.b, link.a)):
                if start in edge and (end in known or end in around.memories):
                    _reach(edge[start], end, link, how.decay, known, reached, around)
        known |= reached
        edge = reached
    return list(known.values())


def _reach(
    source: Candidate,
    end: str,
    link: Link,
    decay: float,
    known: dict[str, Candidate],
    reached: dict[str, Candidate],
    around: Neighbourhood,
) -> None:
    value = source.score.value * link.weight * decay
    best = reached.get(end) or known.get(end)
    if best is not None and best.score.value >= value:
        return
    score = Explanation(
        "relevance",
        value,
        f"source * weight * {decay!r}",
        lambda: (
            source.score.named("source"),
            Explanation("weight", link.weight, note=f"{link.kind} link with {source.memory.id}"),
        ),
        note="activated over a link",
    )
    held = known.get(end)
    reached[end] = Candidate(held.memory if held else around.memories[end], held.sightings if held else (), score)


def _from_neighbours(candidates: Sequence[Candidate], how: TurnNeighbours, around: Neighbourhood) -> list[Candidate]:
    """Each turn gains a share of the scores of the turns next to it. This can add turns that no route saw."""
    own = {c.memory.id: c for c in candidates}
    given: dict[str, list[Explanation]] = {}
    for giver in candidates[: how.top_candidates]:
        for beside in around.beside.get(giver.memory.id, ()):
            own.setdefault(beside.id, Candidate(beside, (), Explanation("relevance", 0.0, note="seen by no route")))
            given.setdefault(beside.id, []).append(giver.score)
    for id, shares in given.items():
        own[id] = own[id].scored(_with_shares(own[id].score, shares, _share(own[id].memory, how)))
    return list(own.values())


def _share(memory: Memory, how: TurnNeighbours) -> float:
    return how.share if how.named_speaker_share is None or memory.role in (None, *NAMELESS) else how.named_speaker_share


def _with_shares(own: Explanation, given: Sequence[Explanation], share: float) -> Explanation:
    names = [f"neighbour_{n}" for n in range(1, len(given) + 1)]
    return Explanation(
        "relevance",
        own.value + share * sum(score.value for score in given),
        f"own + {share!r} * ({' + '.join(names)})",
        lambda: (own.named("own"), *(score.named(name) for name, score in zip(names, given, strict=True))),
        note="with the turns beside it",
    )


def _with_prior(candidates: Sequence[Candidate], how: SessionPrior) -> list[Candidate]:
    best: dict[tuple[str, str], Explanation] = {}
    for candidate in candidates:
        if (key := _session(candidate)) is not None and (key not in best or best[key].value < candidate.score.value):
            best[key] = candidate.score
    return [c if (key := _session(c)) is None else c.scored(_lifted(c.score, best[key], how)) for c in candidates]


def _session(candidate: Candidate) -> tuple[str, str] | None:
    memory = candidate.memory
    return None if memory.session_id is None else (memory.namespace, memory.session_id)


def _lifted(own: Explanation, best: Explanation, how: SessionPrior) -> Explanation:
    return Explanation(
        "relevance",
        own.value + how.share * best.value,
        f"alone + {how.share!r} * session_best",
        lambda: (own.named("alone"), Explanation("session_best", best.value)),
        note="with what its session is worth",
    )


def _session_first(candidates: Sequence[Candidate], how: SessionFirst, around: Neighbourhood) -> list[Candidate]:
    """Keeps only session records, each raised by its best turn. A session of which only turns were found has that
    support alone. Without session records nothing changes."""
    unseen = Explanation("relevance", 0.0, note="seen by no route")
    sessions = [c for c in candidates if c.memory.granularity == "session"]
    sessions += [Candidate(memory, (), unseen) for memory in around.sessions]
    if not sessions:
        return list(candidates)
    turns: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in candidates:
        if candidate.memory.granularity != "session" and (key := _session(candidate)):
            turns.setdefault(key, []).append(candidate)
    return [s.scored(_supported(s, turns.get(_session(s) or ("", ""), []), how)) for s in sessions]


def _supported(session: Candidate, turns: Sequence[Candidate], how: SessionFirst) -> Explanation:
    own = session.score.named("session_rrf_score")
    if not turns:
        return Explanation("relevance", own.value, "session_rrf_score", (own,), note="no supporting turn")
    best = best_first(turns)[0]
    support = Explanation(
        "turn_support",
        min(how.cap, how.factor * best.score.value),
        f"min({how.cap!r}, {how.factor!r} * best_turn_rrf_score)",
        (best.score.named("best_turn_rrf_score"),),
    )
    routes = sorted(s.route for s in best.sightings)
    return Explanation(
        "relevance",
        own.value + support.value,
        "session_rrf_score + turn_support",
        (
            own,
            support,
            Explanation("supporting_turn_count", len(turns)),
            Explanation("best_turn_routes", len(routes), note=", ".join(routes)),
        ),
    )
