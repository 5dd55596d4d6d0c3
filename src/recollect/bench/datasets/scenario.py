"""Our own scenarios: memories with kind, tags and topic, and questions with the topics that answer them.

`scale` says how many wordings of each memory are stored: the text itself and its first variants. A question without
topics is a miss: the right answer is to return nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ..data import Dataset, Haystack, Question, Record
from .reading import Part

STORED_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ASKED_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def looks_like(data: Any) -> bool:  # noqa: ANN401 - JSON
    return isinstance(data, Mapping) and "memories" in data and "queries" in data


def dataset(data: Part, name: str, digest: str) -> Dataset:
    label = data["name"].text
    records = tuple(_records(data))
    topics = {record.topic for record in records}
    return Dataset(
        name=label,
        form="scenario",
        unit="topic",
        digest=digest,
        haystacks=(Haystack(name=label, pool=label, records=records),),
        questions=tuple(_question(asked, label, n, topics) for n, asked in enumerate(data["queries"])),
    )


def _records(data: Part) -> Iterator[Record]:
    scale = data["scale"].number
    for n, memory in enumerate(data["memories"]):
        wordings = [memory["text"].text, *(each.text for each in memory.get("variants") or ())]
        for version, text in enumerate(wordings[:scale]):
            yield _record(memory, f"m{n:04}-{version}", text)


def _record(memory: Part, key: str, text: str) -> Record:
    importance = memory.get("importance")
    return Record(
        key=key,
        text=text,
        topic=memory["topic"].text,
        kind=memory["kind"].text,
        tags=tuple(tag.text for tag in memory.get("tags") or ()),
        importance=float(importance.value) if importance else 0.5,
    )


def _question(asked: Part, label: str, n: int, topics: set[str]) -> Question:
    for topic in asked["topics"]:
        if topic.value not in topics:
            topic.refuse(f"names the topic {topic.value!r}, which no memory has")
    kind = asked.get("slice") or asked["kind"]
    return Question(
        id=f"{label}-q{n:02}",
        text=asked["q"].text,
        type=kind.text,
        haystack=label,
        at=ASKED_AT,
        gold=frozenset(topic.text for topic in asked["topics"]),
    )
