"""Stores conversations in one of MemSense's modes and asks for sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...config import Settings
from ...embedders.protocol import Embedder
from ...progress import progress
from ...recollect import Recollect
from ...types import Recall
from ..data import Dataset, Haystack, Question
from ..datasets.life import Life, life_files, load

Mode = Literal["hybrid", "session", "turn"]
MODES: tuple[Mode, ...] = ("hybrid", "session", "turn")
STORED: dict[Mode, tuple[str, ...]] = {"hybrid": ("session", "round"), "session": ("session",), "turn": ("round",)}
"""Mode → what is stored. MemSense's turn chunk is a question with its answer: our round."""
RECIPE = "memsense"
TOP_K = 4
"""MemSense's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to one question in one mode."""

    dataset: str
    question: Question
    mode: Mode
    gold: frozenset[str]
    ranked: tuple[str, ...]
    """Sessions, best first."""
    recall: Recall


ENGLISH = ("farmer", "flatmates", "gamer", "lawyer", "teen", "widow")


def english_lives(questions: int | None) -> list[Dataset]:
    """The English lives of the package, each with at most so many questions."""
    return [of_life(load(path)).sample(questions) for path in life_files() if path.stem in ENGLISH]


def of_life(life: Life) -> Dataset:
    """A life as a set of sessions, with the questions that are asked after its last session and have an answer."""
    last = max(session.at for session in life.sessions)
    asked = [
        Question(
            id=question.id,
            text=question.text,
            type=question.type,
            at=question.at,
            haystack=life.name,
            gold=frozenset(key.rpartition("/")[0] for key in question.evidence),
        )
        for question in life.questions
        if question.answerable and question.at >= last
    ]
    haystack = Haystack(name=life.name, pool=life.name, sessions=life.sessions)
    return Dataset(
        name=life.name, form="life", unit="session", digest="", haystacks=(haystack,), questions=tuple(asked)
    )


def ask_all(
    datasets: Sequence[Dataset], mode: Mode, embedder: Embedder, top_k: int, *, show: bool = False
) -> list[Answered]:
    """Each haystack gets a new store in memory. Questions without an answer are left out."""
    total = sum(len(dataset.haystacks) for dataset in datasets)
    found: list[Answered] = []
    with progress(f"mode {mode}", total, show) as advance:
        for dataset in datasets:
            for haystack in dataset.haystacks:
                found += _ask(dataset, haystack, mode, embedder, top_k)
                advance(1)
    return found


def opened(embedder: Embedder) -> Recollect:
    return Recollect(":memory:", embedder=embedder, recipe=RECIPE, settings=Settings(log_queries=False))


def store(mind: Recollect, haystack: Haystack, mode: Mode) -> None:
    told = [{"messages": [m.to_message() for m in s.turns], "session_id": s.id, "at": s.at} for s in haystack.sessions]
    for granularity in STORED[mode]:
        mind.ingest_many(told, granularity=granularity)


def _ask(dataset: Dataset, haystack: Haystack, mode: Mode, embedder: Embedder, top_k: int) -> Iterator[Answered]:
    questions = [q for q in dataset.questions if q.haystack == haystack.name and q.answerable]
    if not questions:
        return
    with opened(embedder) as mind:
        store(mind, haystack, mode)
        for question in questions:
            found = mind.recall(question.text, limit=top_k, at=question.at, track=False)
            yield Answered(
                dataset=dataset.name,
                question=question,
                mode=mode,
                gold=_sessions(question, dataset),
                ranked=tuple(dict.fromkeys(hit.memory.session_id or hit.memory.id for hit in found.hits)),
                recall=found,
            )


def _sessions(question: Question, dataset: Dataset) -> frozenset[str]:
    if dataset.unit == "session":
        return question.gold
    return frozenset(key.rpartition("/")[0] for key in question.gold)
