"""Which part of a conversation is there already? Pure: decides on what was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

Said = tuple[str, str]
"""Role and text."""

_MOST_REPEATED = 8
"""What was said more often than this ("ok") does not tell where we are."""
_SURE = 3
"""From so many turns in common on, some of them may have been edited."""


def offset(held: Mapping[int, Said], said: Sequence[Said]) -> int:
    """The number of the first of these turns: 0 for the same conversation again (longer, cut or edited), inside
    for a window of it, and after the end for what came next."""
    best = max(_candidates(held, said), key=lambda start: (_common(held, said, start), -start))
    return best if _fits(held, said, best) else max(held, default=-1) + 1


def _candidates(held: Mapping[int, Said], said: Sequence[Said]) -> set[int]:
    places: dict[Said, list[int]] = {}
    for number, turn in held.items():
        places.setdefault(turn, []).append(number)
    votes = Counter(
        number - n
        for n, turn in enumerate(said)
        if len(places.get(turn, ())) <= _MOST_REPEATED
        for number in places.get(turn, ())
        if number >= n
    )
    return {0, *(start for start, _ in votes.most_common(_MOST_REPEATED))}


def _common(held: Mapping[int, Said], said: Sequence[Said], start: int) -> int:
    return sum(held.get(start + n) == turn for n, turn in enumerate(said))


def _fits(held: Mapping[int, Said], said: Sequence[Said], start: int) -> bool:
    """All of the overlap, or most of it where it is long enough; at the start, half of it."""
    overlap = sum(start + n in held for n in range(len(said)))
    common = _common(held, said, start)
    if not overlap or not common:
        return False
    if start == 0:
        return 2 * common >= overlap
    return common == overlap or (overlap > _SURE and 3 * common >= 2 * overlap)
