"""The sides of a question that compares: "which came first, the new desk or the brass lamp?" asks for both.

Only forms that need every side to be known are taken apart; "do I drink tea or coffee?" is one question. English: taken
apart, comparisons in Chinese were found less often than whole ("A和B哪个更早" says of both what it asks).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from .analyze import analyze_query

_MOST_CHARS = 500
"""What is longer is a pasted text."""
_LEAST_WORDS = 2
"""A side of one content word says too little to be asked alone."""
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)

_COMPARING = re.compile(
    r"\b(?:first|last|order|sequence|earli(?:er|est)|lat(?:er|est)|sooner|before|after|more|most|less|least|fewer|fewest"
    r"|better|best|(?:long|old|young|cheap|short|high|low|fast|slow|larg|bigg|small|clos|near)(?:er|est))\b",
    re.I,
)
_MEASURED = re.compile(
    r"\b(?:how\s+(?:many|much|long)|days?|weeks?|months?|years?|hours?|minutes?|gap|interval|difference)\b", re.I
)
_CHOOSING = re.compile(r"\b(?:which|what|who|order|sequence)\b", re.I)
_LIST = re.compile(
    r"(?P<mark>[,:])\s+(?!(?:which|what|who|where|when|how|why|(?:did|do|does|is|are|was|were|am|have|has|had|can|could|will"
    r"|would|shall|should|may|must)\s+\w+)\b)(?P<list>[^?]+)",
    re.I,
)
_BETWEEN = re.compile(r"\bbetween\s+(?P<pair>[^?!;]+?\sand\s[^?!;]+)", re.I)
_ANOTHER_QUESTION = re.compile(r",\s+(?:and\s+)?(?:how|what|which|who)\b.*$", re.I | re.S)

_WHO = r"(?:i|we|you|he|she|they|it|my|our|your|his|her|their|the|an?|[A-Z]\w+)\b"
_HOW_LONG = r"^\W*(?:about\s+)?how\s+(?:many|much|long|soon)\b[^,:;]*?"
_APART = tuple(
    re.compile(_HOW_LONG + form, re.I)
    for form in (
        rf"\b(?:before|after)\s+(.+?)\s+(?:did|do|does)\s+({_WHO}.+)",
        rf"\b(?:before|after)\s+(.+?)\s+(?:was|were|had|have|has|is|are)\s+({_WHO}.+)",
        r"\bsince\s+(.+?),?\s+when\s+(.+)",
        rf"\b(?:had|have|has)\s+{_WHO}.*?\bbeen\s+(.+?),?\s+(?:when|before)\s+(.+)",
    )
)


def sides(question: str) -> tuple[str, ...]:
    """What must each be in memory for the question to be answered; empty where it asks for one thing."""
    text = question.strip()
    if len(text) > _MOST_CHARS:
        return ()
    for found in _forms(text):
        parts = tuple(part.strip(" \t\n,;:.?!") for part in found)
        if len(parts) > 1 and all(map(_tells, parts)):
            return parts
    return ()


def _forms(text: str) -> Iterator[Sequence[str]]:
    """What each form of comparing makes of a question."""
    for listed in _LIST.finditer(text):
        if all(asks.search(text, 0, listed.start()) for asks in (_CHOOSING, _COMPARING)):
            yield _items(_ANOTHER_QUESTION.sub("", listed["list"]), whole=listed["mark"] == ":")
    if (between := _BETWEEN.search(text)) and (_MEASURED.search(text, 0, between.start()) or _COMPARING.search(text)):
        yield _halves(_ANOTHER_QUESTION.sub("", between["pair"]))
    for form in _APART:
        if found := form.search(text):
            yield found.groups()


def _items(listed: str, *, whole: bool) -> Sequence[str]:
    """ "a, b or c", and of a whole list "a, b and c": what follows a comma may be the end of a longer one."""
    last = next((word for word in ("or", "and") if re.search(rf"\b{word}\b", listed, re.I)), None)
    if last is None or (last == "and" and not whole):
        return ()
    return re.split(rf",\s*(?:{last}\b)?\s*|\s+{last}\s+", listed, flags=re.I)


def _halves(pair: str) -> Sequence[str]:
    """Parted where the second half begins as the first ("the day I … and the day I …"), else nearest the middle."""
    found = [(pair[: joint.start()], pair[joint.end() :]) for joint in re.finditer(r"\s+and\s+", pair, re.I)]
    opening = f"{pair.split()[0]} ".casefold()
    alike = [halves for halves in found if halves[1].casefold().startswith(opening)]
    return min(alike or found, default=(), key=lambda halves: abs(len(halves[0]) - len(halves[1])))


def _tells(side: str) -> bool:
    """Whether it says enough to be asked alone, and more than a date."""
    if len(analyze_query(side).content) < _LEAST_WORDS:
        return False
    from .dates import find_dates  # its patterns take time to compile

    for span in find_dates(side, _ANY_DAY):
        side = side.replace(span.text, " ")
    return bool(analyze_query(side).content)
