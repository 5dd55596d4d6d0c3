"""LongMemEval (Wu et al. 2024): S, M or oracle, the official JSON. Gold: whole sessions.

Session ids that begin with `answer_` and the `has_answer` flags reveal the gold. So sessions get new ids, and only
the role and the text of a message are read. A session without a date gets the question's date.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..data import Dataset, Haystack, Message, Question, Session
from .reading import Part, kept

POOL = "all"
NO_ANSWER = "_abs"
DATE = ("%Y %m %d %H:%M", r"(\d+)[/-](\d+)[/-](\d+).*?(\d+:\d+)")
"""`2023/05/20 (Sat) 02:21`; in a few sessions `2023-05-20T02:21:00`."""


def looks_like(data: Any) -> bool:  # noqa: ANN401 - JSON
    return isinstance(data, list) and bool(data) and isinstance(data[0], Mapping) and "haystack_sessions" in data[0]


def dataset(data: Part, name: str, digest: str) -> Dataset:
    ids: dict[str, str] = {}
    haystacks, questions = [], []
    for entry in data:
        haystacks.append(_haystack(entry, ids))
        questions.append(_question(entry, ids))
    return Dataset(
        name=name,
        form="longmemeval",
        unit="session",
        digest=digest,
        haystacks=tuple(haystacks),
        questions=tuple(questions),
    )


def _haystack(entry: Part, ids: dict[str, str]) -> Haystack:
    sessions: dict[str, Session] = {}
    named, dates = list(entry["haystack_session_ids"]), list(entry["haystack_dates"])
    held = list(entry["haystack_sessions"])
    if not len(named) == len(dates) == len(held):
        entry["haystack_sessions"].refuse(f"has {len(held)} entries, but haystack_session_ids {len(named)}")
    asked = entry["question_date"]
    for label, date, messages in zip(named, dates, held, strict=True):
        key = ids.setdefault(label.text, f"s{len(ids):06}")
        session = _session(key, asked if date.value is None else date, messages)
        if session.turns:
            sessions.setdefault(key, session)
    return Haystack(name=entry["question_id"].text, pool=POOL, sessions=tuple(sessions.values()))


def _session(key: str, date: Part, messages: Part) -> Session:
    at = date.moment(*DATE)
    said = [("", Message(role=one["role"].text, text=one["content"].maybe_empty)) for one in messages]
    return Session(id=key, at=at, turns=tuple(one for _, one in kept(said, at)))


def _question(entry: Part, ids: dict[str, str]) -> Question:
    label = entry["question_id"].text
    no_answer = label.endswith(NO_ANSWER)
    return Question(
        id=label,
        text=entry["question"].text,
        type=entry["question_type"].text,
        haystack=label,
        at=entry["question_date"].moment(*DATE),
        gold=frozenset() if no_answer else _gold(entry, ids),
        named=_named(entry, ids) if no_answer else frozenset(),
    )


def _named(entry: Part, ids: dict[str, str]) -> frozenset[str]:
    held = set(entry["haystack_session_ids"].value)
    return frozenset(ids[each.value] for each in entry["answer_session_ids"] if each.value in held)


def _gold(entry: Part, ids: dict[str, str]) -> frozenset[str]:
    held = set(entry["haystack_session_ids"].value)
    for each in entry["answer_session_ids"]:
        if each.value not in held:
            each.refuse(f"names {each.value!r}, which is not among haystack_session_ids")
    gold = frozenset(ids[each.value] for each in entry["answer_session_ids"])
    return gold or entry["answer_session_ids"].refuse("is empty: the question has no gold")
