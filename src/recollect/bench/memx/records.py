"""LongMemEval as records, as section 5.4 of the paper converts it: one store, one record per session, round or fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import groupby

from ...write.conversations.messages import turns
from ..data import Dataset, Haystack, Question, Record, Session
from ..datasets.scenario import ASKED_AT
from .facts import Facts

GRANULARITIES = ("session", "round", "fact")
POOL = "all"
KIND = "semantic"
"""The paper's facts have this type and no tags."""


def as_records(dataset: Dataset, granularity: str, facts: Facts | None = None) -> Dataset:
    """Every session once. A record's topic is its session, so a hit is a record of a gold session.

    All records have the same date and no counts: the paper stores them at once, so that recency and frequency do not
    influence the order. The questions with ids that end in `_abs` count like the others, with the sessions that
    the file names for them.
    """
    sessions = {s.id: s for haystack in dataset.haystacks for s in haystack.sessions}
    made = tuple(record for session in sessions.values() for record in _records(session, granularity, facts))
    return replace(
        dataset,
        name=f"{dataset.name} as {granularity}s",
        unit="topic",
        digest=_digest(dataset, granularity, made),
        haystacks=(Haystack(name=POOL, pool=POOL, records=made),),
        questions=tuple(map(_question, dataset.questions)),
    )


def without_abstention(question_id: str) -> bool:
    """Whether the question is one of the 470."""
    return not question_id.endswith("_abs")


def _question(question: Question) -> Question:
    return replace(question, haystack=POOL, at=ASKED_AT, gold=question.gold | question.named)


def _digest(dataset: Dataset, granularity: str, made: Sequence[Record]) -> str:
    """Of the file and of the records, because facts differ with what made them."""
    found = blake2b(f"{dataset.digest}\0{granularity}".encode(), digest_size=8)
    for record in made:
        found.update(f"\0{record.key}\0{record.text}".encode("utf-8", "replace"))
    return found.hexdigest()


def _records(session: Session, granularity: str, facts: Facts | None) -> Iterator[Record]:
    for number, text in enumerate(_texts(session, granularity, facts)):
        yield Record(key=f"{session.id}/{number}", text=text, topic=session.id, kind=KIND)


def _texts(session: Session, granularity: str, facts: Facts | None) -> list[str]:
    if granularity == "fact":
        assert facts is not None
        return facts.of(session)
    said = turns([one.to_message() for one in session.turns], at=session.at)
    lines = [(turn.round, f"{turn.role}: {turn.text}") for turn in said]
    if granularity == "session":
        return ["\n".join(line for _, line in lines)]
    return ["\n".join(line for _, line in members) for _, members in groupby(lines, key=lambda each: each[0])]
