"""MemDaily (Zhang et al. 2024): Chinese messages of daily life, `{file: [trajectory]}`. Gold: messages.

A trajectory is a session of one user's messages. The protocol `pooled` stores all trajectories of a file together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..data import Dataset, Haystack, Message, Question, Session
from .reading import Part, kept

NO_QUESTION = "[ERRORQ]"
"""The placeholder in the official files for a question that could not be made."""
_DATE = r"(\d+)年(\d+)月(\d+)日.*?(\d+:\d+)"


def looks_like(data: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether it has lists of trajectories under one or two levels of names."""
    while isinstance(data, Mapping) and data:
        data = next(iter(data.values()))
    return isinstance(data, list) and bool(data) and isinstance(data[0], Mapping) and "message_list" in data[0]


def dataset(data: Part, name: str, digest: str) -> Dataset:
    haystacks: list[Haystack] = []
    questions: list[Question] = []
    without = 0
    for file, trajectories in _files(data):
        for number, trajectory in enumerate(trajectories):
            haystack, places = _haystack(trajectory["message_list"], file, f"{file}-{number:03}")
            haystacks.append(haystack)
            asked = [_question(each, haystack, places) for each in trajectory["question_list"]]
            questions += (question for question in asked if question.text != NO_QUESTION)
            without += sum(question.text == NO_QUESTION for question in asked)
    return Dataset(
        name=name,
        form="memdaily",
        unit="turn",
        digest=digest,
        haystacks=tuple(haystacks),
        questions=tuple(questions),
        notes=(f"{without} questions that are only {NO_QUESTION} skipped",) if without else (),
    )


def _files(data: Part, above: str = "") -> Iterator[tuple[str, Part]]:
    for name, inner in data.items():
        if isinstance(inner.value, Mapping):
            yield from _files(inner, f"{above}{name}_")
        else:
            yield f"{above}{name}", inner


def _haystack(messages: Part, file: str, name: str) -> tuple[Haystack, dict[str, str]]:
    said = [(message["mid"].label, _said(message)) for message in messages]
    if not said:
        messages.refuse("is empty")
    first = said[0][1].at
    assert first is not None
    spoken = kept(said, first)
    places = {label: f"{name}/{n}" for n, (label, _) in enumerate(spoken)}
    session = Session(id=name, at=first, turns=tuple(one for _, one in spoken))
    return Haystack(name=name, pool=file, sessions=(session,)), places


def _said(message: Part) -> Message:
    return Message(role="user", text=message["message"].maybe_empty, at=message["time"].moment("%Y %m %d %H:%M", _DATE))


def _question(asked: Part, haystack: Haystack, places: dict[str, str]) -> Question:
    targets = asked["target_step_id"]
    return Question(
        id=f"{haystack.name}-q{asked['qid'].label}",
        text=asked["question"].text,
        type=haystack.pool,
        haystack=haystack.name,
        at=asked["time"].moment("%Y %m %d %H:%M", _DATE),
        gold=frozenset(_place(each, places) for each in targets) or targets.refuse("is empty"),
    )


def _place(target: Part, places: dict[str, str]) -> str:
    return places.get(target.label) or target.refuse(f"names the message {target.value}, which is not in message_list")
