"""Questions with their evidence and with passages that only look like it."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TYPO_SHARE = 0.05
"""Questions that get one typo."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the passages that answer it (indices), and those of the same memory (indices)."""

    question: str
    evidence: tuple[int, ...]
    beside: tuple[int, ...]
    style: str


@dataclass(slots=True)
class Examples:
    passages: list[str]
    examples: list[Example]


def authored(folders: Sequence[Path], *, without: str | None = None) -> Examples:
    """All memories in the folders' .jsonl files; `without` leaves one style out."""
    passages: list[str] = []
    examples: list[Example] = []
    for path in sorted(path for folder in folders for path in folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            memory = json.loads(line)
            if memory["style"] == without:
                continue
            start = len(passages)
            passages += memory["passages"]
            inside = range(start, len(passages))
            for asked in memory["questions"]:
                evidence = tuple(start + n for n in asked["pos"])
                beside = tuple(n for n in inside if n not in evidence)
                examples.append(Example(asked["q"], evidence, beside, memory["style"]))
    return Examples(passages, examples)


def longmemeval(path: Path, keep: Sequence[int] | None = None) -> Examples:
    """Questions of LongMemEval (MIT) whose evidence turns are marked; `keep` chooses by position in the file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        entries = json.load(file)
    chosen = [entries[n] for n in keep] if keep is not None else entries
    passages: list[str] = []
    examples: list[Example] = []
    for entry in chosen:
        if entry["question_id"].endswith("_abs"):
            continue
        start = len(passages)
        turns = [turn for session in entry["haystack_sessions"] for turn in session if turn["content"].strip()]
        passages += [turn["content"] for turn in turns]
        evidence = tuple(start + n for n, turn in enumerate(turns) if turn.get("has_answer"))
        if evidence:
            beside = tuple(n for n in range(start, len(passages)) if n not in evidence)
            examples.append(Example(entry["question"], evidence, beside, "longmemeval"))
    return Examples(passages, examples)


def joined(parts: Sequence[Examples]) -> Examples:
    passages: list[str] = []
    examples: list[Example] = []
    for part in parts:
        shift = len(passages)
        passages += part.passages
        examples += [
            Example(e.question, tuple(n + shift for n in e.evidence), tuple(n + shift for n in e.beside), e.style)
            for e in part.examples
        ]
    return Examples(passages, examples)


def batches(examples: Sequence[Example], size: int, order: random.Random) -> Iterator[list[Example]]:
    shuffled = order.sample(list(examples), len(examples))
    for start in range(0, len(shuffled) - size + 1, size):
        yield shuffled[start : start + size]


def with_typo(question: str, order: random.Random) -> str:
    """Now and then two letters of a word change places."""
    words = [match for match in re.finditer(r"[a-z]{5,}", question)]
    if not words or order.random() >= TYPO_SHARE:
        return question
    word = order.choice(words)
    at = order.randrange(word.start() + 1, word.end() - 2)
    return question[:at] + question[at + 1] + question[at] + question[at + 2 :]
