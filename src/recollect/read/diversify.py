"""Near-copies do not fill the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..recipes.recipe import Diversify, MaximalMarginalRelevance, SameMeaning, SameText, TagSignature
from ..text.signature import particulars
from ..types import Candidate, Memory, Neighbourhood

if TYPE_CHECKING:
    from ..types import Vector


def needs_vectors(how: Diversify) -> bool:
    return isinstance(how, SameMeaning | MaximalMarginalRelevance)


def concerns(how: Diversify, *, grouped: bool) -> bool:
    return not grouped or not isinstance(how, SameMeaning) or how.in_groups


def diversify(candidates: Sequence[Candidate], how: Diversify, around: Neighbourhood, limit: int) -> list[Candidate]:
    """Candidates come best first and leave in the order they should be shown."""
    match how:
        case SameText():
            return _first_of_each(candidates, [c.memory.text.strip() for c in candidates])
        case TagSignature():
            return _first_of_each(candidates, [_signature(c.memory, how) for c in candidates])
        case SameMeaning():
            return _apart(candidates, how.similarity, around.vectors)
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
    """Of two unit vectors; 0 when one is missing."""
    return float(vectors[a] @ vectors[b]) if a in vectors and b in vectors else 0.0


def _apart(candidates: Sequence[Candidate], similarity: float, vectors: Mapping[str, Vector]) -> list[Candidate]:
    """What has no vector is like nothing else, and other names or numbers make another thing."""
    import numpy as np

    known = [n for n, candidate in enumerate(candidates) if candidate.memory.id in vectors]
    if not known:
        return list(candidates)
    rows = np.stack([vectors[candidates[n].memory.id] for n in known])
    close = rows @ rows.T >= similarity
    told = cache(lambda at: particulars(candidates[known[at]].memory.text))  # seldom asked for, and slow
    kept: list[int] = []
    for at in range(len(known)):
        if not any(told(at) == told(other) for other in kept if close[at, other]):
            kept.append(at)
    copies = set(known) - {known[at] for at in kept}
    return [candidate for n, candidate in enumerate(candidates) if n not in copies]


def redundancy(a: Memory, b: Memory, tag_share: float, vectors: Mapping[str, Vector]) -> float:
    """max(cosine, tag_share × Jaccard of the tags) (MemSense)."""
    return max(cosine(a.id, b.id, vectors), tag_share * jaccard(a.tags, b.tags))


def jaccard(a: Sequence[str], b: Sequence[str]) -> float:
    union = set(a) | set(b)
    return len(set(a) & set(b)) / len(union) if union else 0.0


def _mmr(
    candidates: Sequence[Candidate], how: MaximalMarginalRelevance, vectors: Mapping[str, Vector], limit: int
) -> list[Candidate]:
    """Carbonell and Goldstein 1998: each next pick is relevant, and unlike what was picked before."""
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
        picked.append(candidates[best])
        for n in remaining:
            between = redundancy(candidates[n].memory, candidates[best].memory, how.tag_share, vectors)
            redundant[n] = max(redundant[n], between)
        remaining = [n for n in remaining if redundant[n] < how.duplicate]
    return picked


def _scaled(values: Sequence[float]) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 1.0 for value in values]
