"""Checks that a model's answer has the form it was asked for.

An answer with one error is refused as a whole: its other statements can't be trusted either.
"""

from __future__ import annotations

import json
import re
import unicodedata
from calendar import monthrange
from datetime import UTC, datetime

from recollect.errors import InvalidInput
from recollect.extractors.passage import Passage
from recollect.extractors.prompt import KEYS, MAX_STATEMENTS
from recollect.extractors.protocol import FACETS, Facet, Statement
from recollect.text.moments import parse_moment
from recollect.types import When

MAX_TIMES_THE_PASSAGE = 3
MAX_ENTITIES = 50
MAX_NAME_CHARACTERS = 200  # of an entity, subject, attribute or value
_QUOTED_CHARACTERS = 60

# Models write their reasoning first and put JSON in a code fence, even if told not to.
_THOUGHT = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"^\s*```(?:json)?\s*(.*?)\s*```\s*$", re.DOTALL)
# If only the month or the year is known, models give that instead of a day. Its first day is used.
_FIRST_DAY = {len("2023"): "-01-01", len("2023-05"): "-01"}
_CONTROL, _SURROGATE = "Cc", "Cs"


class BrokenAnswer(Exception):
    """The answer does not have the form it was asked for; the message says where."""


def statements(content: str, passage: Passage) -> tuple[Statement, ...]:
    """The statements of an answer about the passage. Raises BrokenAnswer."""
    answer = parsed(content)
    if not isinstance(answer, dict) or answer.keys() != {"statements"}:
        raise BrokenAnswer(f"must be an object with statements only, not {quoted(answer)}")
    found = answer["statements"]
    if not isinstance(found, list):
        raise BrokenAnswer(f"statements must be a list, not {quoted(found)}")
    if len(found) > MAX_STATEMENTS:
        raise BrokenAnswer(f"{len(found):,} statements, more than the {MAX_STATEMENTS} that were asked for")
    return tuple(_statement(item, passage) for item in found)


def parsed(content: str) -> object:
    bare = _FENCE.sub(r"\1", _THOUGHT.sub("", content))
    if not bare.strip():
        raise BrokenAnswer("empty")
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        raise BrokenAnswer(f"not JSON: {quoted(content)}") from None


def _statement(item: object, passage: Passage) -> Statement:
    if not isinstance(item, dict):
        raise BrokenAnswer(f"a statement must be an object, not {quoted(item)}")
    if unknown := item.keys() - KEYS:
        raise BrokenAnswer(f"a statement has unknown keys: {quoted(sorted(unknown))}")
    subject, attribute, value = (_name(item, key) for key in ("subject", "attribute", "value"))
    date = _name(item, "date")
    occurred_at = _date(date, passage.at)
    is_triple = subject is not None and attribute is not None and value is not None
    return Statement(
        text=_sentence(item, MAX_TIMES_THE_PASSAGE * passage.characters),
        facets=_facets(item.get("facets")),
        entities=_entities(item.get("entities", [])),
        occurred_at=occurred_at,
        subject=subject.lower() if is_triple and subject else None,
        attribute=attribute.lower() if is_triple and attribute else None,
        value=value if is_triple else None,
        when=_when(occurred_at, date),
    )


def _sentence(item: dict[str, object], max_characters: int) -> str:
    text = line_of(item.get("text"), "text")
    if not text:
        raise BrokenAnswer("a statement without text")
    if len(text) > max_characters:
        raise BrokenAnswer(f"a statement of {len(text):,} characters, more than {max_characters:,}: {quoted(text)}")
    return text


def _facets(value: object) -> tuple[Facet, ...]:
    if not isinstance(value, list):
        raise BrokenAnswer(f"facets must be a list, not {quoted(value)}")
    for facet in value:
        if facet not in FACETS:
            raise BrokenAnswer(f"unknown facet {quoted(facet)}")
    return tuple(facet for facet in FACETS if facet in value)


def _entities(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MAX_ENTITIES:
        raise BrokenAnswer(f"entities must be a list of at most {MAX_ENTITIES}, not {quoted(value)}")
    named = (_short(line_of(entity, "an entity"), "an entity") for entity in value)
    return tuple(dict.fromkeys(name for name in named if name))


def _name(item: dict[str, object], key: str) -> str | None:
    value = item.get(key)
    return None if value is None else _short(line_of(value, key), key) or None


def _short(text: str, what: str) -> str:
    if len(text) > MAX_NAME_CHARACTERS:
        raise BrokenAnswer(f"{what} of {len(text):,} characters: {quoted(text)}")
    return text


def line_of(value: object, what: str) -> str:
    """The text on one line. Control characters and lone surrogates are refused."""
    if not isinstance(value, str):
        raise BrokenAnswer(f"{what} must be text, not {quoted(value)}")
    line = " ".join(value.split())
    if any(unicodedata.category(character) in (_CONTROL, _SURROGATE) for character in line):
        raise BrokenAnswer(f"{what} has control characters: {quoted(line)}")
    return line


def _date(value: str | None, at: datetime | None) -> datetime | None:
    """A date without a time zone is in the speaker's time zone."""
    if value is None:
        return None
    try:
        bare = datetime.fromisoformat(value + _FIRST_DAY.get(len(value), ""))
        zoned = bare if bare.tzinfo else bare.replace(tzinfo=at.tzinfo if at else UTC)
        return parse_moment(zoned)
    except (ValueError, InvalidInput):
        raise BrokenAnswer(f"a date that can't be read: {quoted(value)}") from None


def _when(first: datetime | None, written: str | None) -> When | None:
    """The days that a date means: a day, or all of the month or year that was written."""
    if first is None or written is None:
        return None
    start = first.date()
    match len(written):
        case 4:
            end = start.replace(month=12, day=31)
        case 7:
            end = start.replace(day=monthrange(start.year, start.month)[1])
        case _:
            end = start
    return When(start=start, end=end)


def quoted(value: object) -> str:
    try:
        shown = json.dumps(value)
    except RecursionError:
        return "something nested too deeply to show"
    return shown if len(shown) <= _QUOTED_CHARACTERS else f"{shown[:_QUOTED_CHARACTERS]}…"
