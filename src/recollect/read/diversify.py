"""Keeps near-duplicates from filling the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..explanation import Explanation
from ..recipes.recipe import (
    Diversify,
    MaximalMarginalRelevance,
    OnePerMessage,
    SameMeaning,
    SameStatement,
    SameText,
    TagSignature,
)
from ..text.same_statement import contains
from ..types import Candidate, Memory, Neighbourhood

if TYPE_CHECKING:
    from ..types import Vector


def needs_vectors(how: Diversify) -> bool:
    return isinstance(how, SameMeaning | MaximalMarginalRelevance)


def concerns(how: Diversify, *, grouped: bool) -> bool:
    """Whether this step applies, given whether hits are grouped into rounds or sessions."""
    if isinstance(how, OnePerMessage):
        return not grouped
    return not grouped or not isinstance(how, SameMeaning | SameStatement) or how.in_groups


def diversify(candidates: Sequence[Candidate], how: Diversify, around: Neighbourhood, limit: int) -> list[Candidate]:
    """Takes candidates best first; returns them in the order to show."""
    match how:
        case SameText():
            return _first_of_each(candidates, [c.memory.text.strip() for c in candidates])
        case TagSignature():
            return _first_of_each(candidates, [_signature(c.memory, how) for c in candidates])
        case SameMeaning():
            return _apart(candidates, how.similarity, around.vectors, limit)
        case SameStatement():
            return _without_repetitions(candidates, limit)
        case OnePerMessage():
            return _first_of_each(candidates, [c.message for c in candidates])
        case MaximalMarginalRelevance():
            return _mmr(candidates, how, around.vectors, limit)


def _first_of_each(candidates: Sequence[Candidate], keys: Sequence[str | None]) -> list[Candidate]:
    seen: set[str] = set()
    kept = []
    for candidate, key in zip(candidates, keys, strict=True):
        if key is None or key not in seen:
            kept.append(candidate)
        if key is not None:
            seen.add(key)
    return kept


def _signature(memory: Memory, how: TagSignature) -> str | None:
    """Kind and sorted tags, e.g. `procedural::ops|release` (MemX, section 3.5)."""
    if not memory.tags and how.exempt_untagged:
        return None
    return f"{memory.kind}::{'|'.join(sorted(memory.tags))}"


def cosine(a: str, b: str, vectors: Mapping[str, Vector]) -> float:
    """The cosine of two unit vectors; 0 when one is missing."""
    return float(vectors[a] @ vectors[b]) if a in vectors and b in vectors else 0.0


def _apart(
    candidates: Sequence[Candidate], similarity: float, vectors: Mapping[str, Vector], limit: int
) -> list[Candidate]:
    """Drops a candidate that is close to a better one and adds nothing to it. One without a vector is never dropped."""
    return _without(candidates, limit, lambda own, better: cosine(own.id, better.id, vectors) >= similarity)


def _without_repetitions(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Drops a candidate that adds nothing to a better one."""
    return _without(candidates, limit, lambda own, better: True)


def _without(
    candidates: Sequence[Candidate], limit: int, may_repeat: Callable[[Memory, Memory], bool]
) -> list[Candidate]:
    """Stops when `limit` are kept; the rest stays as it is."""
    kept: list[Candidate] = []
    for n, candidate in enumerate(candidates):
        if len(kept) == limit:
            return [*kept, *candidates[n:]]
        own = candidate.memory
        near = (better.memory.text for better in kept if may_repeat(own, better.memory))
        if not any(contains(text, own.text) for text in near):
            kept.append(candidate)
    return kept


def redundancy(a: Memory, b: Memory, tag_share: float, vectors: Mapping[str, Vector]) -> float:
    """max(cosine, tag_share × Jaccard of the tags) (MemSense)."""
    return max(cosine(a.id, b.id, vectors), tag_share * jaccard(a.tags, b.tags))


def jaccard(a: Sequence[str], b: Sequence[str]) -> float:
    union = set(a) | set(b)
    return len(set(a) & set(b)) / len(union) if union else 0.0


def _mmr(
    candidates: Sequence[Candidate], how: MaximalMarginalRelevance, vectors: Mapping[str, Vector], limit: int
) -> list[Candidate]:
    """Carbonell and Goldstein 1998: picks what is relevant and unlike what was picked before."""
    scores = _scaled([c.score.value for c in candidates]) if how.scale else [c.score.value for c in candidates]
    remaining = list(range(len(candidates)))
    redundant = [0.0] * len(candidates)
    picked: list[Candidate] = []
    while remaining and len(picked) < limit:
        best = max(
            remaining,
            key=lambda n: (how.lambda_ * scores[n] - (1 - how.lambda_) * redundant[n], -n),
        )
        remaining.remove(best)
        picked.append(_explained(candidates[best], how, scores[best], redundant[best]))
        for n in remaining:
            between = redundancy(candidates[n].memory, candidates[best].memory, how.tag_share, vectors)
            redundant[n] = max(redundant[n], between)
        remaining = [n for n in remaining if redundant[n] < how.duplicate]
    return picked


def _explained(picked: Candidate, how: MaximalMarginalRelevance, score: float, redundant: float) -> Candidate:
    """The same score, with the value that it was picked by as a further part."""
    value = how.lambda_ * score - (1 - how.lambda_) * redundant
    formula = f"{how.lambda_!r} * final_score - (1 - {how.lambda_!r}) * max_redundancy"
    parts = (Explanation("final_score", score), Explanation("max_redundancy", redundant))
    own, mmr = picked.score, Explanation("mmr_score", value, formula, parts, note="decides the order, not the score")
    return picked.scored(Explanation(own.name, own.value, own.formula, lambda: (*own.parts, mmr), note=own.note))


def _scaled(values: Sequence[float]) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 1.0 for value in values]
