"""Joins two dates to one time: "from Monday to Thursday", "Thursday or Friday"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal, TypeAlias

from .context import DateContext
from .language import Joints, Tense, compiled, folded
from .matches import Found
from .resolvers import is_floating, next_day
from .spans import Span

Joint: TypeAlias = Literal["span", "choice", None]
_LONGEST_GAP = 30
_COMMA = " *[,、] *"


@dataclass(frozen=True, slots=True)
class Time:
    """One date, or dates that are joined to one time."""

    dates: tuple[Found, ...]
    joint: Joint = None

    @property
    def place(self) -> tuple[int, int]:
        return self.dates[0].start, self.dates[-1].end


def times(sentence: str, found: Sequence[Found]) -> Iterator[Time]:
    """The times of a sentence. "The day after" counts only where it is joined to another date."""
    text, rest = folded(sentence), list(found)
    while rest:
        count, joint = _joined(text, rest)
        if joint or rest[0].rule.resolve is not next_day:
            yield Time(tuple(rest[:count]), joint)
        rest = rest[count:]


def _joined(text: str, found: Sequence[Found]) -> tuple[int, Joint]:
    """How many of the dates, from the first on, are one time, and how they are joined."""
    first, joints = found[0], found[0].rule.language.joints
    if len(found) > 1 and _is_span(text, first, found[1], joints):
        return 2, "span"
    for count, (one, other) in enumerate(pairwise(found), start=2):
        if _gap(text, one, other, joints.choice):
            return count, "choice"
        if not _gap(text, one, other, _COMMA):
            break
    return 1, "choice" if _is_choice(first, joints) else None


def _is_span(text: str, first: Found, second: Found, joints: Joints) -> bool:
    if _gap(text, first, second, joints.span):
        return True
    return bool(compiled(joints.between).search(text[: first.core])) and _gap(text, first, second, joints.both)


def _gap(text: str, first: Found, second: Found, pattern: str) -> bool:
    if second.core - first.end > _LONGEST_GAP:
        return False
    return compiled(pattern).fullmatch(text, first.end, second.core) is not None


def _is_choice(one: Found, joints: Joints) -> bool:
    """Whether a pattern with two ends, such as "July or August", matched a choice."""
    match = one.match
    last = next((name for name in match.groupdict() if name.startswith("last") and match[name]), None)
    if last is None:
        return False
    first = next(name for name in ("month", "day", "year") if match.groupdict().get(name))
    between = match.string[match.end(first) : match.start(last)]
    return compiled(joints.choice).search(between) is not None


def resolve(time: Time, today: date, tense: Tense) -> Span | None:
    """The days that a time means."""
    if len(time.dates) == 1:
        return _resolved(time.dates[0], today, tense)
    if time.joint == "choice":
        return _any_of(time.dates, today, tense)
    return _from_to(*time.dates, today=today, tense=tense)


def _resolved(one: Found, today: date, tense: Tense) -> Span | None:
    try:
        return one.rule.resolve(one.match, DateContext(today, tense, one.rule.language))
    except (ValueError, OverflowError):  # 30 February, or a year outside the calendar
        return None


def _any_of(dates: Sequence[Found], today: date, tense: Tense) -> Span | None:
    spans: list[Span] = []
    for one in dates:
        after_last = one.rule.resolve is next_day and spans
        span = _resolved(one, spans[-1][0] if after_last else today, tense)
        if span is None:
            return None
        spans.append(span)
    return min(start for start, _ in spans), max(end for _, end in spans)


def _from_to(first: Found, last: Found, *, today: date, tense: Tense) -> Span | None:
    """The end is resolved first. A beginning without a year is the latest before that end."""
    end = _resolved(last, today, tense)
    if end is None:
        return None
    if is_floating(first.match, first.rule.resolve):
        start = _resolved(first, end[1] - timedelta(days=1), "past")
    else:
        start = _resolved(first, today, tense)
        if start and end[1] <= start[0]:
            end = _resolved(last, start[0], "future")
    return (start[0], end[1]) if start and end and start[0] < end[1] else None
