"""BEAM (2025): `{number: {chat, probing_questions}}` as published. Gold: turns, if a question names them.

Each batch of a chat is a session. User messages end with a mark such as `->-> 1,2`, which refers to the authors' plan;
it is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ..data import Dataset, Haystack, Message, Question, Session
from .reading import Part, kept

POOL = "all"
NO_ANSWER = "abstention"
_PLAN_MARK = re.compile(r"\s*->->\s*[\d,\s]+$")
_UNDATED = datetime(2024, 1, 1, tzinfo=UTC)


def looks_like(data: Any) -> bool:  # noqa: ANN401 - JSON
    first = next(iter(data.values()), None) if isinstance(data, Mapping) else None
    return isinstance(first, Mapping) and ("chat" in first or "probing_questions" in first)


def dataset(data: Part, name: str, digest: str) -> Dataset:
    haystacks: list[Haystack] = []
    questions: list[Question] = []
    without = 0
    for number, (_, entry) in enumerate(data.items()):
        haystack, places = _haystack(entry["chat"], f"c{number:02}")
        asked = list(_questions(entry["probing_questions"], haystack, places))
        haystacks.append(haystack)
        questions += (each for each in asked if each is not None)
        without += asked.count(None)
    return Dataset(
        name=name,
        form="beam",
        unit="turn",
        digest=digest,
        haystacks=tuple(haystacks),
        questions=tuple(questions),
        notes=(f"{without} questions with an empty source_chat_ids skipped",) if without else (),
    )


def _haystack(chat: Part, name: str) -> tuple[Haystack, dict[int, str]]:
    sessions: list[Session] = []
    places: dict[int, str] = {}
    at = _UNDATED
    for number, batch in enumerate(chat):
        messages = [message for turns in batch["turns"] for message in turns]
        at = next(filter(None, map(_anchor, [batch, *messages])), at)
        said = kept(((message["id"].label, _said(message)) for message in messages), at)
        key = f"{name}-{number:02}"
        sessions.append(Session(id=key, at=at, turns=tuple(one for _, one in said)))
        places |= {int(label): f"{key}/{n}" for n, (label, _) in enumerate(said)}
    return Haystack(name=name, pool=POOL, sessions=tuple(sessions)), places


def _anchor(part: Part) -> datetime | None:
    anchor = part.get("time_anchor")
    return anchor.moment("%B-%d-%Y") if anchor else None


def _said(message: Part) -> Message:
    text = _PLAN_MARK.sub("", message["content"].maybe_empty)
    return Message(role=message["role"].text, text=text, at=_anchor(message))


def _questions(probing: Part, haystack: Haystack, places: dict[int, str]) -> Iterator[Question | None]:
    at = max(turn.at or session.at for session in haystack.sessions for turn in session.turns) + timedelta(days=1)
    for kind, listed in probing.items():
        for n, asked in enumerate(listed):
            gold = frozenset() if kind == NO_ANSWER else _gold(asked["source_chat_ids"], places)
            yield (
                Question(
                    id=f"{haystack.name}-{kind}-{n}",
                    text=asked["question"].text,
                    type=kind,
                    haystack=haystack.name,
                    at=at,
                    gold=gold,
                )
                if gold or kind == NO_ANSWER
                else None
            )


def _gold(sources: Part, places: dict[int, str]) -> frozenset[str]:
    return frozenset(_place(source, places) for source in _flat(sources))


def _place(source: Part, places: dict[int, str]) -> str:
    return places.get(source.number) or source.refuse(f"names the turn {source.value}, which is not in the chat")


def _flat(sources: Part) -> Iterator[Part]:
    """The ids of a list, or of lists under names such as `first_event`."""
    if isinstance(sources.value, Mapping):
        for _, inner in sources.items():
            yield from _flat(inner)
    elif isinstance(sources.value, list):
        for inner in sources:
            yield from _flat(inner)
    else:
        yield sources
