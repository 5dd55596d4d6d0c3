"""LoCoMo (Maharana et al. 2024): the official JSON. Gold: turns. Questions of category 5 have no answer.

A picture is represented by its caption in brackets after the turn's text. The official evidence has errors
(`D8:6; D9:17` in one entry, `D:11:26`, turns that do not exist). What can be read is used. Questions without usable
evidence are skipped, and a note says how many.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ..data import Dataset, Haystack, Message, Question, Session
from .reading import Part, kept

POOL = "all"
ADVERSARIAL = 5
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", ADVERSARIAL: "adversarial"}
_DIALOGUE = re.compile(r"D:?(\d+):(\d+)")


def looks_like(data: Any) -> bool:  # noqa: ANN401 - JSON
    return isinstance(data, list) and bool(data) and isinstance(data[0], Mapping) and "conversation" in data[0]


def dataset(data: Part, name: str, digest: str) -> Dataset:
    haystacks: list[Haystack] = []
    questions: list[Question] = []
    without = 0
    for number, sample in enumerate(data):
        haystack, places = _haystack(sample["conversation"], f"c{number:02}")
        asked = [_question(each, haystack, places, n) for n, each in enumerate(sample["qa"])]
        haystacks.append(haystack)
        questions += (each for each in asked if each is not None)
        without += asked.count(None)
    return Dataset(
        name=name,
        form="locomo",
        unit="turn",
        digest=digest,
        haystacks=tuple(haystacks),
        questions=tuple(questions),
        notes=(f"{without} questions without usable evidence skipped",) if without else (),
    )


def _haystack(conversation: Part, name: str) -> tuple[Haystack, dict[str, str]]:
    sessions: list[Session] = []
    places: dict[str, str] = {}
    numbers = sorted(int(key.split("_")[1]) for key, _ in conversation.items() if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        session, labels = _session(conversation, number, f"{name}-{number:02}")
        places |= {label: f"{session.id}/{n}" for n, label in enumerate(labels)}
        sessions.append(session)
    return Haystack(name=name, pool=POOL, sessions=tuple(sessions)), places


def _session(conversation: Part, number: int, key: str) -> tuple[Session, list[str]]:
    at = _moment(conversation[f"session_{number}_date_time"])
    said = kept(((_label(turn["dia_id"].text), _said(turn)) for turn in conversation[f"session_{number}"]), at)
    return Session(id=key, at=at, turns=tuple(one for _, one in said)), [label for label, _ in said]


def _moment(date: Part) -> datetime:
    return date.moment("%I:%M %p %d %B %Y", r"(\d+:\d+) ([ap]m) on (\d+) (\w+), (\d+)")


def _said(turn: Part) -> Message:
    caption = turn.get("blip_caption")
    shown = f" [{caption.text}]" if caption else ""
    return Message(role=turn["speaker"].text, text=f"{turn['text'].maybe_empty}{shown}")


def _label(text: str) -> str:
    """A label such as `D8:6` or one of its misspellings, in one form."""
    found = _DIALOGUE.search(text)
    return f"{int(found[1])}:{int(found[2])}" if found else text


def _question(asked: Part, haystack: Haystack, places: dict[str, str], n: int) -> Question | None:
    category = asked["category"].number
    gold = frozenset() if category == ADVERSARIAL else _gold(asked["evidence"], places)
    if not gold and category != ADVERSARIAL:
        return None
    return Question(
        id=f"{haystack.name}-q{n:03}",
        text=asked["question"].text,
        type=CATEGORIES.get(category, str(category)),
        haystack=haystack.name,
        at=max(session.at for session in haystack.sessions) + timedelta(days=1),
        gold=gold,
    )


def _gold(evidence: Part, places: dict[str, str]) -> frozenset[str]:
    labels = (f"{int(session)}:{int(turn)}" for each in evidence for session, turn in _DIALOGUE.findall(each.text))
    return frozenset(places[label] for label in labels if label in places)
