"""Which part of a conversation is stored already? Pure: compares roles and texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

Said = tuple[str, str]
"""Role and text."""

_MOST_REPEATED = 8
"""A text that occurs more often than this ("ok") is not used to find the position."""
_SURE = 3
"""If more turns than this overlap, some of them may differ, because messages can be edited."""


def offset(held: Mapping[int, Said], said: Sequence[Said]) -> int:
    """The number of the first of these turns: 0 for the same conversation (longer, cut or edited), a later number for
    a part of it, and the next free number for its continuation."""
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
    """Whether enough turns agree: at position 0 half of the overlap; elsewhere all of it, or two thirds if it is
    long enough."""
    overlap = sum(start + n in held for n in range(len(said)))
    common = _common(held, said, start)
    if not overlap or not common:
        return False
    if start == 0:
        return 2 * common >= overlap
    return common == overlap or (overlap > _SURE and 3 * common >= 2 * overlap)
