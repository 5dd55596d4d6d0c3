"""Finds how often something repeats: "every Tuesday", "on the first of each month"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from recollect.text.needed import Guarded, Several

from .language import Language, Repeat, Repeats, compiled, folded, one_of
from .matches import languages
from .resolvers import group

_RARITY = {"daily": 0, "weekly": 1, "monthly": 2, "yearly": 3}
_BY_UNIT: dict[str, Repeats] = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often, on which weekdays (Monday is 0), and at which interval: 2 is every second time."""

    repeats: Repeats
    days: tuple[int, ...]
    interval: int
    language: Language


def find_repeat(sentence: str) -> Rhythm | None:
    """The rarest rhythm that a sentence names: "the last Thursday of each month" is monthly."""
    text = folded(sentence)
    found = [rhythm for language in languages(sentence) for rhythm in _rhythms(text, language)]
    return max(found, key=lambda rhythm: _RARITY[rhythm.repeats], default=None)


def _rhythms(text: str, language: Language) -> Iterator[Rhythm]:
    guards = _guards(language)
    for n in guards.likely(text):
        repeat, match = language.repeats[n], guards[n].search(text)
        if match:
            often, days = _how_often(match, repeat, language), _days(match, repeat, language)
            yield Rhythm(often, days, _interval(match, language), language)


@cache
def _guards(language: Language) -> Several:
    return Several(Guarded(repeat.pattern, re.IGNORECASE) for repeat in language.repeats)


def _how_often(match: re.Match[str], repeat: Repeat, language: Language) -> Repeats:
    unit = group(match, "unit")
    return _BY_UNIT[language.units[unit.lower()]] if unit else repeat.repeats


def _days(match: re.Match[str], repeat: Repeat, language: Language) -> tuple[int, ...]:
    if repeat.days is not None:
        return repeat.days
    if repeat.repeats != "weekly" or group(match, "unit"):
        return ()
    named = compiled(one_of(language.weekdays)).findall(match[0])
    return tuple(sorted({language.weekdays[name.lower()] for name in named}))


def _interval(match: re.Match[str], language: Language) -> int:
    count = group(match, "count")
    return language.count(count)[1] if count else 1
