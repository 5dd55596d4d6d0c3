"""Finds dates and time words in English and Chinese, and resolves them against the moment they were said.

A duration ("for three days", 三天) is not a date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache

from recollect.text.calendar_spans import Span
from recollect.text.date_rules import DateContext, Kind, Rule, Tense
from recollect.text.dates_chinese import chinese_rules
from recollect.text.dates_english import english_rules
from recollect.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Words that name a time, and that time as whole days in the speaker's time zone."""

    text: str
    start: datetime
    end: datetime  # the first moment after it
    kind: Kind
    position: int


# Most sentences name no date. One cheap search avoids running all rules on them.
_ENGLISH_HINT = re.compile(
    r"\d|days?\b|night|week|month|year|decade|hour|minute|morrow|morning|afternoon|evening|quarter|spring|summer|fall"
    r"|autumn|winter|\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|christmas|halloween|valentine",
    re.IGNORECASE,
)
_WRITTEN_HINT = re.compile(
    r"\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|christmas|new year|halloween|valentine"
    r"|月|年|节|元旦|国庆|圣诞",
    re.IGNORECASE,
)
_CHINESE_HINT = re.compile("[年月日天周号晚早节]|星期|礼拜|前|后|元旦|国庆|圣诞|昨|今|平安夜|小时|分钟")
_FUTURE = re.compile(
    r"\b(?:will|won't|shall|going to|gonna|planning|plans? (?:to|for|on)|upcoming|scheduled|due|deadline|"
    r"appointment|remind me|need to|have to|want to|hope to|looking forward|let's|tomorrow|coming|next)\b"
    r"|[’']ll\b|将|打算|计划|准备|即将|截止|预约|安排|会(?!议)|要(?!求)|提醒",
    re.IGNORECASE,
)
_FUTURE_RIGHT_BEFORE = re.compile(r"\b(?:by|until|till|due|for)(?: (?:the|this))? ?$", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:was|were|did|didn't|had|went|been|got|came|took|saw|met|made|bought|ate|said|told|gave|ago|began|"
    r"left|ran|found|felt|won|lost|spent|wrote|read|paid|sold|flew|drove|last|since|yesterday|(?!need|feed|seed|speed|indeed|hundred)[a-z]{2,}ed)\b"
    r"|[了过曾]|已经|刚刚",
    re.IGNORECASE,
)


def find_dates(text: str, at: datetime) -> list[TimeSpan]:
    """Every date that `text` names, in order. Of overlapping matches, the longest is taken.

    `at` is the moment of speaking, with a time zone. It decides what "yesterday", "in March" and 上周二 mean.
    If the year is missing, the tense of the sentence decides; without a tense, a month or weekday is in the
    past.
    """
    if at.tzinfo is None:
        raise ValueError("at must have a time zone; text.moments.parse_moment adds one")
    found = [span for start, sentence in sentences(text) for span in _in_sentence(sentence, start, at)]
    return sorted(found, key=lambda span: span.position)


def mentions_time(text: str) -> bool:
    """Whether `text` names a time."""
    return any(_longest_matches(sentence) for _, sentence in sentences(text))


def written_dates(text: str) -> list[tuple[int, str]]:
    """Position and words of each absolute or partial date, in order."""
    if not _WRITTEN_HINT.search(text):
        return []
    return sorted(
        (start + match.start(), match[0])
        for start, sentence in sentences(text)
        for match, rule in _longest_matches(sentence)
        if rule.kind != "relative"
    )


def _in_sentence(sentence: str, offset: int, at: datetime) -> Iterator[TimeSpan]:
    for match, rule in _longest_matches(sentence):
        span = _resolved(match, rule, at.date())
        if span:
            start, end = (datetime.combine(edge, time(), at.tzinfo) for edge in span)
            yield TimeSpan(match[0], start, end, rule.kind, offset + match.start())


@lru_cache(maxsize=256)  # a text is searched for dates first and for entities right after
def _longest_matches(sentence: str) -> list[tuple[re.Match[str], Rule]]:
    """Matches that do not overlap. Longer matches win.

    They are chosen before they are resolved, so that 30 February 2023 is not read as February 2023.
    """
    matches = [(match, rule) for rule in _rules_for(sentence) for match in rule.pattern.finditer(sentence)]
    matches.sort(key=lambda found: (found[0].start() - found[0].end(), found[0].start()))
    chosen: list[tuple[re.Match[str], Rule]] = []
    for match, rule in matches:
        if all(match.end() <= other.start() or other.end() <= match.start() for other, _ in chosen):
            chosen.append((match, rule))
    return chosen


def _rules_for(sentence: str) -> Iterator[Rule]:
    if _ENGLISH_HINT.search(sentence):
        yield from english_rules()
    if not sentence.isascii() and _CHINESE_HINT.search(sentence):
        yield from chinese_rules()


def _resolved(match: re.Match[str], rule: Rule, today: date) -> Span | None:
    try:
        return rule.resolve(match, DateContext(today, _tense(match)))
    except (ValueError, OverflowError):  # 30 February, or a year outside the calendar
        return None


def _tense(match: re.Match[str]) -> Tense:
    """The tense of the sentence around a match, or None if it is unclear."""
    past = _PAST.search(match.string) is not None
    if _FUTURE_RIGHT_BEFORE.search(match.string, 0, match.start()):
        return "future"
    if _FUTURE.search(match.string) and not past:
        return "future"
    return "past" if past else None
