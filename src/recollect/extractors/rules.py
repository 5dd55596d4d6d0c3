"""Extracts statements and facets by rules: no model, no network, always the same result."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time

from recollect.extractors import triples, triples_european
from recollect.extractors.corrections import MARK
from recollect.extractors.facets import english_facets
from recollect.extractors.facets_chinese import chinese_facets
from recollect.extractors.protocol import FACETS, Facet, Statement
from recollect.extractors.statements import find_statements
from recollect.extractors.triples import Triple, english_triple
from recollect.extractors.triples_chinese import chinese_triple
from recollect.extractors.triples_european import european_triple
from recollect.text.dates import TimeSpan, find_dates, find_when
from recollect.text.entities import entities
from recollect.types import When

_HAN = re.compile("[\u4e00-\u9fff]")
_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]y|me|mine|[Ww]e|[Oo]ur|us)\b|[我咱]")
# Only used to check whether a time is named.
_ANY_MOMENT = datetime(2000, 1, 1, tzinfo=UTC)
# "Songs of the 1980s" does not say when something happened.
_DECADE = re.compile(r"\b(?:19|20)?\d0s\b")
# A shorter answer is kept together with its question.
_SHORT_ANSWER_CHARS = 40
_ANSWER = re.compile(r"^(?:yes|no|yeah|nope|是的?|不是?|对)\W*$", re.IGNORECASE)


class Rules:
    """The extractor that needs no model."""

    name = "rules"

    def extract(
        self, text: str, *, speaker: str | None = None, at: datetime | None = None, asked: str | None = None
    ) -> list[Statement]:
        return extract(text, speaker=speaker, at=at, asked=asked)


def extract(
    text: str, *, speaker: str | None = None, at: datetime | None = None, asked: str | None = None
) -> list[Statement]:
    """The statements of `text`, in order, each with the context it needs to be understood alone.

    `speaker`: who says "I". `at`: when it was said. `asked`: the question it answers. Questions, requests and
    small talk are left out, and so are statements about nobody and nothing in particular.
    """
    found = [_statement(words, speaker, at) for _, words in find_statements(text)]
    kept = [statement for statement in found if statement is not None]
    if asked and not kept and _answers(text):
        return [_answer(text.strip(), asked, speaker, at)]
    return kept


def facets(sentence: str, dates: list[TimeSpan]) -> tuple[Facet, ...]:
    """The facets of a statement in English or Chinese. `dates`: the dates it names."""
    dated = not all(_DECADE.search(date.text) for date in dates)
    found: set[Facet] = set()
    if _HAN.search(sentence):
        found.update(chinese_facets(sentence, dated))
    if re.search("[A-Za-z]{2}", sentence):
        found.update(english_facets(sentence, dated))
    return tuple(facet for facet in FACETS if facet in found)


def triple(sentence: str, speaker: str | None = None) -> Triple | None:
    """The subject, attribute and value of a single-valued statement, or None. English and Chinese; the commonest forms
    in German, French and Spanish."""
    if _HAN.search(sentence):
        return chinese_triple(sentence, speaker)
    return english_triple(sentence, speaker) or european_triple(sentence, speaker)


def may_have_triple(text: str) -> bool:
    """Whether a sentence of the text, or a part of it, may have a triple. Says so of every text outside of ASCII."""
    return triples.may_state(text) or triples_european.may_state(text)


def _statement(words: str, speaker: str | None, at: datetime | None) -> Statement | None:
    dates = find_dates(words, at or _ANY_MOMENT)
    found, said = facets(words, dates), triple(words, speaker)
    mentioned = entities(words)
    if not (found or said or mentioned or _FIRST_PERSON.search(words) or words.startswith(MARK)):
        return None
    when = find_when(words, at) if at else None
    return Statement(
        text=f"{speaker}: {words}" if speaker and _FIRST_PERSON.search(words) else words,
        facets=found,
        entities=mentioned,
        occurred_at=_first_moment(when, at),
        when=when,
        subject=said.subject if said else None,
        attribute=said.attribute if said else None,
        value=said.value if said else None,
    )


def _first_moment(when: When | None, at: datetime | None) -> datetime | None:
    """The start of the first day, where it was said. Something that repeats has none."""
    if when is None or when.start is None or when.repeats or at is None:
        return None
    return datetime.combine(when.start, time(), at.tzinfo)


def _answers(text: str) -> bool:
    bare = text.strip()
    return 0 < len(bare) <= _SHORT_ANSWER_CHARS and "?" not in bare and "？" not in bare and not _ANSWER.match(bare)


def _answer(text: str, asked: str, speaker: str | None, at: datetime | None) -> Statement:
    """A short answer together with its question: "Where do you live?" "Oslo."."""
    dates = find_dates(text, at or _ANY_MOMENT)
    when = find_when(text, at) if at else None
    who = f"{speaker}: " if speaker else ""
    return Statement(
        text=f"{asked.strip()} {who}{text}",
        facets=facets(f"{asked} {text}", dates),
        entities=entities(text),
        occurred_at=_first_moment(when, at),
        when=when,
    )
