"""Finds the sides of a comparison: "which came first, the new desk or the brass lamp?" asks about two things.

One vector for "A or B?" matches neither A nor B, so each side is searched on its own. Only questions that need every
side are split; "do I drink tea or coffee?" is one question. English only: in Chinese, split comparisons were answered
less often than whole ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from .analyze import analyze_query

_MOST_CHARS = 500
"""A longer question is a pasted text."""
_MOST_SIDES = 6
"""Each side costs a search. A question with more sides is a pasted list."""
_LEAST_WORDS = 2
"""A side with one content word is too short to be searched on its own."""
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)

_MORE = (
    r"(?:earlier|later|sooner|more|less|fewer|(?:long|old|young|cheap|short|tall|high|low|fast|slow|larg|bigg|small|heavi"
    r"|warm|clos|near)er)\b"
)
_COMPARING = re.compile(
    rf"\b{_MORE}|\bfirst(?:\s+\w+){{0,3}}\W*$|\blast\W*$|\b(?:which|what|the|this|these\s+in)\s+(?:order|sequence)\b",
    re.I,
)
_CHOOSING = re.compile(r"\b(?:which|what|who|order|sequence)\b", re.I)
_QUESTION_START = (
    r"(?:and\s+|or\s+|but\s+)?(?:which|what|who|where|when|how|why|(?:did|do|does|is|are|was|were|am|have|has|had|can|could"
    r"|will|would|shall|should|may|must)\s+\w+)\b"
)
_LIST = re.compile(rf"(?:,|(?P<whole>:)| [—–-])\s(?!{_QUESTION_START})(?P<list>[^?]+)", re.I)
_UNITS = r"(?:days?|weeks?|months?|years?|time)"
_MEASURED = (
    rf"(?:how\s(?:many|much)\s{_UNITS}(?:\s\w+){{0,3}}|^\W*{_UNITS}|how\slong(?:\s(?:is|was)\sit)?"
    r"|(?:gap|interval|difference)(?:\s\w+)?)"
)
_PAIR = r"between\s(?P<pair>[^?!;]+?\sand\s[^?!;]+{})"
_BETWEEN = (
    re.compile(rf"\b{_MEASURED}\s{_PAIR.format('')}", re.I),
    re.compile(rf"^\W*{_PAIR.format('?')},\s(?:which|what|who)\b[^?]*\b(?:first|last|{_MORE})", re.I),
)
_ANOTHER_QUESTION = re.compile(r",\s(?:and\s+)?(?:how|what|which|who)\b.*$", re.I)

_WHO = r"(?:i|we|you|he|she|they|it|my|our|your|his|her|their|the|an?|(?-i:[A-Z]\w+))\b"
_HOW_LONG = r"^\W*(?:about\s+)?how\s+(?:many|much|long|soon)\b[^,:;]*?"
_TWO_EVENTS = tuple(
    re.compile(_HOW_LONG + form, re.I)
    for form in (
        rf"\b(?:before|after)\s(.+?)\s(?:did|do|does)\s({_WHO}.+)",
        rf"\b(?:before|after)\s(.+?)\s(?:was|were|had|have|has|is|are)\s({_WHO}.+)",
        r"\bsince\s(.+?),?\swhen\s(.+)",
        rf"\b(?:had|have|has)\s{_WHO}.*?\bbeen\s(.+?),?\s(?:when|before)\s(.+)",
    )
)


def comparison_sides(question: str) -> tuple[str, ...]:
    """The things that a question compares. Empty if it asks about one thing."""
    text = " ".join(question.split())
    if len(text) > _MOST_CHARS:
        return ()
    for found in _forms(text):
        parts = tuple(part.strip(" ,;:.?!") for part in found)
        if 1 < len(parts) <= _MOST_SIDES and all(map(_is_searchable, parts)):
            return parts
    return ()


def _forms(text: str) -> Iterator[Sequence[str]]:
    """The sides according to each form of comparison."""
    for listed in _LIST.finditer(text):
        if all(asks.search(text[: listed.start()]) for asks in (_CHOOSING, _COMPARING)):
            yield _items(_ANOTHER_QUESTION.sub("", listed["list"]), whole=listed["whole"] is not None)
    for form in _BETWEEN:
        if between := form.search(text):
            yield _halves(_ANOTHER_QUESTION.sub("", between["pair"]))
    for form in _TWO_EVENTS:
        if found := form.search(text):
            yield found.groups()


def _items(listed: str, *, whole: bool) -> Sequence[str]:
    """Splits "a, b or c". Splits "a, b and c" or "a, b, c" only after a colon, where the list is complete: after a
    comma, it may be the end of a longer list."""
    if re.search(r"\bor\b", listed, re.I):
        return re.split(
            r",\s*(?:or\b)?\s*|\s+or\s+", re.sub(r"(.*\bor\b[^,]*),.*", r"\1", listed, flags=re.I), flags=re.I
        )
    return re.split(r",\s*(?:and\b)?\s*|\s+and\s+", listed, flags=re.I) if whole else ()


def _halves(pair: str) -> Sequence[str]:
    """Splits at the "and" after which the text begins as before ("the day I … and the day I …"), else at the "and"
    nearest to the middle."""
    found = [(pair[: joint.start()], pair[joint.end() :]) for joint in re.finditer(r"\sand\s", pair, re.I)]
    opening = f"{pair.partition(' ')[0]} ".casefold()
    alike = [halves for halves in found if halves[1].casefold().startswith(opening)]
    return min(alike or found, default=(), key=lambda halves: abs(len(halves[0]) - len(halves[1])))


def _is_searchable(side: str) -> bool:
    """Whether a side has at least two content words and more than a date."""
    if len(analyze_query(side).content) < _LEAST_WORDS:
        return False
    from .dates import find_dates  # its patterns take time to compile

    for span in find_dates(side, _ANY_DAY):
        side = side.replace(span.text, " ")
    return bool(analyze_query(side).content)
