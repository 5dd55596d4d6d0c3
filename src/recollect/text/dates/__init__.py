"""Finds dates and time words and resolves them against the moment they were said.

Languages: English, Chinese, Spanish, German, French; one module each. A duration ("for three days", 三天) is not a
date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from recollect.text.sentences import sentences
from recollect.types.when import WEEKDAYS, When

from .joins import Time, resolve, times
from .language import Cues, Kind, Tense, compiled, folded
from .matches import Found, find
from .repeats import Rhythm, find_repeat
from .resolvers import group
from .spans import Span, widened
from .tense import clause_around, tense_of

_ROUGH_DAYS = 2
""" "Around the 20th" means at most so many days before or after it."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Words that name a time, and that time as whole days in the speaker's time zone."""

    text: str
    start: datetime
    end: datetime  # the first moment after it
    kind: Kind
    position: int
    uncertain: bool = False
    """ "Maybe in May", "Thursday or Friday", "around the 20th"."""


def find_dates(text: str, at: datetime, default: Tense = "future") -> list[TimeSpan]:
    """Every date that `text` names, in order.

    `at` is the moment of speaking, with a time zone. It decides what "yesterday", "in March" and 上周二 mean. If
    the year is missing, the tense of the clause decides; `default` is the tense of a clause that shows none.
    """
    if at.tzinfo is None:
        raise ValueError("at must have a time zone; text.moments.parse_moment adds one")
    return [span for start, sentence in sentences(text) for span in _in_sentence(sentence, start, at, default)]


def find_when(text: str, at: datetime) -> When | None:
    """The first time that a statement names: its days, or how often it repeats."""
    for _, sentence in sentences(text):
        found = _resolved(sentence, at.date(), "future")
        rhythm = find_repeat(sentence)
        if rhythm:
            return _repeated(rhythm, sentence, found)
        if found:
            _, (start, end), uncertain = found[0]
            return When(start=start, end=end - timedelta(days=1), uncertain=uncertain)
    return None


def mentions_time(text: str) -> bool:
    """Whether `text` names a time."""
    return any(find(sentence) for _, sentence in sentences(text))


def written_dates(text: str) -> list[tuple[int, str]]:
    """Position and words of each absolute or partial date, in order."""
    return [
        (start + found.core, sentence[found.core : found.end])
        for start, sentence in sentences(text)
        for found in find(sentence)
        if found.rule.kind != "relative"
    ]


def _in_sentence(sentence: str, offset: int, at: datetime, default: Tense) -> Iterator[TimeSpan]:
    for time_, days, uncertain in _resolved(sentence, at.date(), default):
        start, end = time_.place
        first, last = (datetime.combine(day, time(), at.tzinfo) for day in days)
        yield TimeSpan(sentence[start:end], first, last, time_.dates[-1].rule.kind, offset + start, uncertain)


@lru_cache(maxsize=256)  # a statement is searched for its dates, then for its first time, then within its message
def _resolved(sentence: str, today: date, default: Tense) -> tuple[tuple[Time, Span, bool], ...]:
    """The times of a sentence, the days that each means, and whether these are uncertain."""
    return tuple(_each_resolved(sentence, today, default))


def _each_resolved(sentence: str, today: date, default: Tense) -> Iterator[tuple[Time, Span, bool]]:
    for time_ in times(sentence, find(sentence)):
        first, language = time_.dates[0], time_.dates[0].rule.language
        unclear = None if language.this_year and default == "future" else default
        tense = tense_of(sentence, time_.place, first.core, language.cues, unclear)
        days = resolve(time_, today, tense)
        if days is not None:
            rough = _is_rough(sentence, time_, language.cues)
            widens = rough and days[1] - days[0] == timedelta(days=1)
            uncertain = rough or _is_uncertain(sentence, time_, language.cues)
            yield time_, widened(days, _ROUGH_DAYS) if widens else days, uncertain


def _is_rough(sentence: str, time_: Time, cues: Cues) -> bool:
    first, (_, end) = time_.dates[0], time_.place
    before = compiled(cues.around).search(folded(sentence[: first.core]))
    return bool(before or compiled(cues.around_after).search(folded(sentence[end:])))


def _is_uncertain(sentence: str, time_: Time, cues: Cues) -> bool:
    if time_.joint == "choice" or any(map(_is_vague, time_.dates)):
        return True
    left, right = clause_around(sentence, time_.place, cues)
    return compiled(cues.uncertain).search(sentence, left, right) is not None


def _is_vague(found: Found) -> bool:
    """Whether a date counts something like "a few"."""
    count = group(found.match, "count")
    fewest, most = found.rule.language.count(count) if count else (1, 1)
    return fewest != most


def _repeated(rhythm: Rhythm, sentence: str, found: Iterable[tuple[Time, Span, bool]]) -> When:
    """A rhythm, with its first and last day if the sentence names them: "every Tuesday until June", "every day last
    week"."""
    joints, text = rhythm.language.joints, folded(sentence)
    start = end = None
    for time_, (first, after), _ in found:
        before, last = text[: time_.dates[0].core], after - timedelta(days=1)
        if compiled(joints.since).search(before):
            start = first
        elif compiled(joints.until).search(before):
            end = last
        elif first < last and time_.joint is None and time_.dates[0].rule.kind != "partial":
            start, end = first, last
    weekdays = tuple(WEEKDAYS[day] for day in rhythm.days)
    return When(start=start, end=end, repeats=rhythm.repeats, interval=rhythm.interval, days=weekdays)
