"""Regular expressions that are tried only on texts which can match.

Every match of `(?:no longer|quit)` has "no longer" or "quit" in it. To look for a few strings is much faster than to
search with a long pattern, and most texts have none of them. The strings are taken from the pattern itself, so they
can't differ from it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from importlib import import_module
from itertools import chain
from operator import or_
from typing import Any, TypeAlias

from recollect.text.pieces import EDGE, Pieces

_MOST = 64
"""Larger sets of strings are not looked for."""
_MOST_SETS = 3
"""A pattern is tried if a text has a string of each of so many sets."""
_RARE = 5
"""Strings of more letters are not rarer."""
_MOST_KEPT = 1 << 12
"""Sets of bits for which it is kept which patterns may match."""

_SOON = 500
"""Patterns are tried so often before their strings are looked up, which takes as long. Most processes are short."""
_waiting: set[Guarded] = set()
"""Patterns that were tried and not looked up yet."""
_lock = threading.Lock()
_pieces = Pieces()
"""The strings of all patterns that were looked up. Replaced before a pattern uses a new one."""


class Guarded:
    """A pattern with the strings that every match needs."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = re.compile(pattern, flags)
        self.masks: tuple[int, ...] = ()
        """Of each, one bit at least is found in every ASCII text that matches."""
        self._uses = 0

    def search(self, text: str, whole: str | None = None) -> re.Match[str] | None:
        """`whole`: a text that has this one in it, apart from capitals, and was looked at before."""
        return self.pattern.search(text) if self.may_match(whole or text) else None

    def match(self, text: str) -> re.Match[str] | None:
        return self.pattern.match(text) if self.may_match(text) else None

    def may_match(self, text: str) -> bool:
        """Whether a match in the text or in a part of it is possible. Case is folded in other ways outside of ASCII."""
        if self._uses < _SOON:
            self._count()
        masks = self.masks  # read before the pieces, which another thread may replace
        return not text.isascii() or not masks or _has(_pieces.found(text), masks)

    def _count(self) -> None:
        self._uses = uses = self._uses + 1
        if uses == 1:
            _waiting.add(self)
        elif uses == _SOON:
            _look_up()


def _has(found: int, masks: Iterable[int]) -> bool:
    """Whether one bit at least of each mask is among those found."""
    for mask in masks:  # noqa: SIM110 - a generator would take twice as long
        if not found & mask:
            return False
    return True


class Several:
    """Patterns that are tried on the same texts."""

    def __init__(self, patterns: Iterable[Guarded]) -> None:
        self.patterns = tuple(patterns)
        self._uses = 0
        self._known = _Likely([()] * len(self.patterns))

    def __getitem__(self, place: int) -> re.Pattern[str]:
        return self.patterns[place].pattern

    def likely(self, text: str) -> Sequence[int]:
        """The places of the patterns that may match the text, or a part of it."""
        if self._uses < _SOON:
            self._count()
        if not text.isascii():
            return range(len(self.patterns))
        known = self._known  # read before the pieces, which another thread may replace
        return known[_pieces.found(text) & known.bits]

    def _count(self) -> None:
        self._uses = uses = self._uses + 1
        if uses == 1:
            _waiting.update(self.patterns)
        elif uses == _SOON:
            _look_up()
            self._known = _Likely([each.masks for each in self.patterns])


class _Likely(dict[int, Sequence[int]]):
    """Bits that were found in a text → the places of the patterns that may match. Few sets of bits occur often."""

    def __init__(self, masks: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self._masks = masks
        self.bits = reduce(or_, chain.from_iterable(masks), 0)

    def __missing__(self, found: int) -> Sequence[int]:
        if len(self) >= _MOST_KEPT:
            self.clear()
        self[found] = places = tuple(place for place, masks in enumerate(self._masks) if _has(found, masks))
        return places


def _look_up() -> None:
    """Finds out what the patterns need that were tried until now. All at once, because then every word is new. While
    another thread does it, they are tried on every text."""
    if _lock.acquire(blocking=False):
        try:
            _use({each: pieces_needed(each.pattern) for each in tuple(_waiting)})
        finally:
            _lock.release()


def _use(needs: Mapping[Guarded, Sequence[Sequence[str]]]) -> None:
    global _pieces
    _waiting.difference_update(needs)
    _pieces = Pieces([*_pieces.bits, *(piece for sets in needs.values() for some in sets for piece in some)])
    for each, sets in needs.items():
        each.masks = tuple(reduce(or_, (_pieces.bits[piece] for piece in some)) for some in sets)


def needed(pattern: re.Pattern[str]) -> tuple[tuple[str, ...], ...]:
    """Sets of strings in lower case. Every match of the pattern in an ASCII text has at least one of each set."""
    return tuple(_alone({piece.replace(EDGE, "") for piece in some}) for some in pieces_needed(pattern))


def _alone(strings: set[str]) -> tuple[str, ...]:
    return tuple(sorted(one for one in strings if not any(other in one for other in strings if other != one)))


def pieces_needed(pattern: re.Pattern[str]) -> tuple[tuple[str, ...], ...]:
    """The same sets, with the edges of words; the one that says most comes first."""
    try:
        tree = import_module("re._parser").parse(pattern.pattern, pattern.flags)
    except (ImportError, AttributeError):  # another Python than CPython
        return ()
    usable = (some for some in _sets_of(list(tree)) if some and all(map(_bare, some)) and len(some) <= _MOST)
    best = sorted(dict.fromkeys(usable), key=_worth, reverse=True)
    return tuple(tuple(sorted(some)) for n, some in enumerate(best[:_MOST_SETS]) if n == 0 or _says_enough(some))


def _bare(piece: str) -> str:
    return piece.strip(f" {EDGE}")


_Strings: TypeAlias = frozenset[str]
"""The empty set: it never matches an ASCII text. None, beside it: nothing is known."""
_ALONE: _Strings = frozenset([""])
_EDGE: _Strings = frozenset([EDGE])
_MOST_ENDS = 48


def _of_sequence(parts: Sequence[Any]) -> _Strings | None:
    """Of all sets of strings that a sequence needs, the one that says most."""
    return max(_sets_of(parts), key=_worth, default=None)


def _sets_of(parts: Sequence[Any]) -> list[_Strings]:
    """Sets of strings. A sequence needs one string of each."""
    held, run = list[_Strings](), _ALONE
    for part in parts:
        exact = _exact(part)
        if exact is not None and len(run) * len(exact) <= _MOST_ENDS:
            run = frozenset(start + end for start in run for end in exact)
            continue
        held, run = [*held, run, *_of_part(str(part[0]), part[1])], _ALONE
    return [each for each in (*held, run) if all(part.strip(EDGE) for part in each)]


def _exact(part: Any) -> _Strings | None:  # noqa: ANN401 - a tree of re
    """The only strings that a part matches; None if they are not few or not known."""
    op, value = str(part[0]), part[1]
    if op in ("AT", "ASSERT", "ASSERT_NOT"):
        return _EDGE if str(value) == "AT_BOUNDARY" else _ALONE
    if op == "LITERAL":
        return _character(value)
    if op == "IN":
        known = [_character(one) if str(kind) == "LITERAL" else None for kind, one in value]
        return None if None in known else frozenset().union(*(each for each in known if each))
    if op == "SUBPATTERN":
        return _exactly(value[-1])
    return _any([_exactly(branch) for branch in value[1]]) if op == "BRANCH" else None


def _exactly(parts: Iterable[Any]) -> _Strings | None:
    whole = _ALONE
    for part in parts:
        exact = _exact(part)
        if exact is None or len(whole) * len(exact) > _MOST_ENDS:
            return None
        whole = frozenset(start + end for start in whole for end in exact)
    return whole


def _character(code: int) -> _Strings | None:
    """A letter of another script never matches. Some letters are folded to ASCII ones."""
    one = chr(code)
    if one.isascii():
        return frozenset([one.lower()])
    return None if any(each.isascii() for each in one.lower() + one.upper()) else frozenset()


def _of_part(op: str, value: Any) -> list[_Strings]:  # noqa: ANN401 - a tree of re
    if op == "BRANCH":
        found = _any([_of_sequence(list(branch)) for branch in value[1]])
        return [] if found is None else [found]
    if op in ("SUBPATTERN", "ATOMIC_GROUP"):
        return _sets_of(list(value[-1] if op == "SUBPATTERN" else value))
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[0] > 0:
        return _sets_of(list(value[2]))
    return []


def _any(sets: Sequence[_Strings | None]) -> _Strings | None:
    return None if None in sets else frozenset().union(*(each for each in sets if each))


def _worth(found: _Strings) -> tuple[int, int]:
    """Long strings are rare; of two sets, the smaller one is looked for faster."""
    return min(_RARE, *(len(_bare(part)) for part in found), _RARE), -len(found)


def _says_enough(found: _Strings) -> bool:
    """Whether not almost every text has one of them."""
    return all(len(_bare(part)) > 1 or not _bare(part).isalnum() for part in found)
