"""What do the routes say about whether the answer is in memory at all?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..types import Candidate, Query, Ranking, Signals
from .routes import SIGNAL_DEPTH, Sighted

_WORDS_AS_COSINE = 0.15
"""A memory that holds all of the question's words counts this much cosine more."""
_STANDING_AS_COSINE = 0.15
"""A memory with twice the standing counts about a tenth of a cosine more."""
_LEAST_STANDING = 0.01
EVIDENCE_DEPTH = 20
"""How many of the best candidates may be the evidence."""


def signals(seen: Mapping[str, Sighted], pool: Sequence[Candidate], query: Query) -> Signals:
    """The signals of one question: `seen` by route, `pool` ranked best first."""
    return replace(
        _of_routes(seen),
        evidence=_evidence(pool, seen),
        known=_known(query.telling or query.content, seen),
        unknown_codes=_unknown_codes(query.codes, seen, pool) if query.codes else (),
    )


def _known(terms: Sequence[str], seen: Mapping[str, Sighted]) -> float:
    """The share of these terms that occur in some memory; 1 if no route uses words."""
    known = [found.known for found in seen.values() if found.known is not None]
    return _mean(float(any(term in words for words in known)) for term in terms) if known and terms else 1.0


def _unknown_codes(codes: Iterable[str], seen: Mapping[str, Sighted], pool: Sequence[Candidate]) -> tuple[str, ...]:
    """The codes that no memory contains. None without a route by words, which alone knows every memory's terms."""
    from ..text.codes import code_term  # its patterns take time to compile

    known = [found.known for found in seen.values() if found.known is not None]
    if not known:
        return ()
    terms = frozenset[str]().union(*known)
    return tuple(code for code in codes if code_term(code) not in terms and not _is_written(code, pool))


def _is_written(code: str, pool: Sequence[Candidate]) -> bool:
    """Whether a candidate contains the code, with any punctuation and case."""
    from ..text.codes import same_code

    written = same_code(code)
    fields = (text for c in pool for text in (c.memory.text, c.memory.gist, *c.memory.tags, *c.memory.entities))
    return any(written.search(text) for text in fields)


def _of_routes(seen: Mapping[str, Sighted]) -> Signals:
    similarities = [f.top_similarity for f in seen.values() if f.top_similarity is not None]
    firsts = [f.sightings for f in seen.values() if f.sightings and f.of_all]
    return Signals(
        top_similarity=max(similarities, default=None),
        keyword_match=any(found.keyword_match for found in seen.values()),
        coverage=max((found.coverage for found in seen.values()), default=0.0),
        agreement=_mean(_overlap(a, b) for n, a in enumerate(firsts) for b in firsts[n + 1 :]),
        margin=_mean(map(_lead, firsts)),
        background=max((f.background for f in seen.values() if f.background is not None), default=None),
    )


def _evidence(pool: Sequence[Candidate], seen: Mapping[str, Sighted]) -> float | None:
    """The best single memory that is close, shares words and still holds. None without vectors."""
    near = [found.sightings for found in seen.values() if found.top_similarity is not None]
    cosines = {id: value for ranking in near for id, value in zip(ranking.ids, ranking.values, strict=True)}
    shares = [f.share for f in seen.values() if f.share is not None]
    if not cosines:
        return None
    least = min(cosines.values())  # a memory that no vector route proposed is no closer than this

    def offer(candidate: Candidate) -> float:
        id = candidate.memory.id
        words = _WORDS_AS_COSINE * max((share(id) for share in shares), default=0.0)
        return cosines.get(id, least) + words + _STANDING_AS_COSINE * math.log(max(candidate.standing, _LEAST_STANDING))

    return max(map(offer, pool[:EVIDENCE_DEPTH]), default=None)


def _overlap(a: Ranking, b: Ranking) -> float:
    """Of their first ten."""
    first, other = a.ids[:SIGNAL_DEPTH], b.ids[:SIGNAL_DEPTH]
    return len({*first} & {*other}) / min(len(first), len(other))


def _lead(ranking: Ranking) -> float:
    """How far the first is above the mean of the others in the first ten, as a share of its own value."""
    top, *others = ranking.values[:SIGNAL_DEPTH]
    return 1 - _mean(others) / top if others and top > 0 else 0.0


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
