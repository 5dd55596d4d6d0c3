"""What does a year of an assistant's memory look like? Sixty memories, and questions that each show one thing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..recollect import Recollect
    from ..types import Recall

EXPLAINED = "Why did the Harbour Atlas date slip?"
"""The question whose answer is shown with its whole arithmetic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: str
    expect: tuple[str, ...]
    """Keys of the memories that answer it; none when it must be rejected."""
    shows: str

    @property
    def explained(self) -> bool:
        return self.text == EXPLAINED


@cache
def _year() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files(__name__).joinpath("year.json").read_text(encoding="utf-8"))
    return found


def namespace() -> str:
    return str(_year()["namespace"])


def now() -> str:
    """The year's last morning: what `at` is to be when it is asked."""
    return str(_year()["now"])


def load(mind: Recollect) -> dict[str, str]:
    """Remembers the year, with its links, updates and contradictions; returns the id of each key."""
    year = _year()
    stored = mind.remember_many([_without_key(memory) for memory in year["memories"]], progress=True)
    ids = {told["key"]: kept.merged_into or kept.id for told, kept in zip(year["memories"], stored, strict=True)}
    for link in year["links"]:
        mind.link(ids[link["a"]], ids[link["b"]], link["kind"], link["weight"])
    for change in year["supersedes"]:
        mind.supersede(ids[change["old"]], ids[change["new"]])
    for clash in year["contradicts"]:
        mind.contradict(ids[clash["a"]], ids[clash["b"]])
    return ids


def _without_key(memory: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in memory.items() if name != "key"}


def questions() -> Sequence[Question]:
    return [
        Question(text=each["q"], expect=tuple(each["expect"]), shows=each["shows"]) for each in _year()["questions"]
    ]


def ask(mind: Recollect, question: Question, *, limit: int = 3) -> Recall:
    """Asks as of the year's end, without leaving a trace."""
    return mind.recall(question.text, limit=limit, at=now(), track=False)
