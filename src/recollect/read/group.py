"""Groups turns and facts into the rounds or sessions they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..explanation import Explanation
from ..recipes.recipe import Group
from ..types import Candidate, Granularity, Memory, Query
from .fuse import best_first

_JOIN = " … "


def size(query: Query) -> Granularity | None:
    """What the hits are grouped into: rounds, sessions, or None for no grouping."""
    return query.granularity if query.granularity in ("round", "session") else None


def deepened(query: Query, how: Group) -> Query:
    """The same question with a higher limit where hits are grouped: several candidates become one hit."""
    return replace(query, limit=query.limit * how.depth_multiplier) if size(query) else query


def group(candidates: Sequence[Candidate], how: Group, granularity: Granularity) -> list[Candidate]:
    """Candidates come best first. A memory without a session stays as it is."""
    members: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        members.setdefault(_key(candidate.memory, granularity), []).append(candidate)
    return best_first(_together(parts[: how.parts], how, granularity) for parts in members.values())


def _key(memory: Memory, granularity: Granularity) -> str:
    if memory.session_id is None:
        return memory.id
    session = f"{memory.namespace}\0{memory.session_id}"
    return session if granularity == "session" else f"{session}\0{memory.metadata.get('round', memory.turn)}"


def _together(parts: Sequence[Candidate], how: Group, granularity: Granularity) -> Candidate:
    best = parts[0]
    if best.memory.session_id is None or best.memory.granularity == granularity:
        return best
    shown = sorted({p.memory.turn or 0: p.memory for p in reversed(parts)}.items())
    memory = replace(
        best.memory,
        granularity=granularity,
        text=_JOIN.join(part.text for _, part in shown),
        turn=None if granularity == "session" else best.memory.turn,
        role=None,
    )
    return Candidate(memory, best.sightings, _score(parts, how.decay), tuple(parts))


def _score(parts: Sequence[Candidate], decay: float) -> Explanation:
    names = [f"part_{n}" for n in range(1, len(parts) + 1)]
    return Explanation(
        "score",
        sum(part.score.value * decay**n for n, part in enumerate(parts)),
        " + ".join(f"{name} * {decay!r} ** {n}" for n, name in enumerate(names)),
        lambda: tuple(part.score.named(name) for name, part in zip(names, parts, strict=True)),
    )
