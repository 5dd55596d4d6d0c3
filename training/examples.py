"""Questions with their evidence and with passages that only look like it."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recollect.text.chinese_to_english import translate_chinese

TYPO_SHARE = 0.05
"""Questions that get one typo."""
CHATS = ("whole-chat", "updates-chat", "zh-chat", "advice", "category", "events")
"""Styles in which user and assistant take turns."""
OF_TIME = ("now", "past", "when")
"""Types of questions whose stale messages give a value of another time."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the passages that answer it (indices), and those of the same memory (indices)."""

    question: str
    evidence: tuple[int, ...]
    beside: tuple[int, ...]
    style: str
    aside: tuple[int, ...] = ()
    """Passages that are neither right nor wrong: former values."""


@dataclass(slots=True)
class Examples:
    passages: list[str]
    examples: list[Example]
    place: list[int]
    """Of each passage: where it stands in its memory or session."""
    alternates: list[bool]
    """Of each passage: whether its memory is a chat, user and assistant by turns."""


def authored(folders: Sequence[Path], *, translated: bool = True) -> Examples:
    """All memories in the folders' .jsonl files, the Chinese ones as the embedder reads them.

    A memory that comes with its translation has its passages and questions in both languages: any of the questions is
    answered by any of the evidence.
    """
    found = Examples([], [], [], [])
    for path in sorted(path for folder in folders for path in folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            memory = json.loads(line)
            english = (translated and memory.get("english")) or {"passages": [], "questions": []}
            told = [list(map(translate_chinese, memory["passages"])), english["passages"]]
            starts = [len(found.passages), len(found.passages) + len(told[0])][: 2 if told[1] else 1]
            for passages in told:
                found.passages += passages
                found.place += range(len(passages))
                found.alternates += [memory["style"] in CHATS] * len(passages)
            inside = range(starts[0], len(found.passages))
            for number, asked in enumerate(memory["questions"]):
                evidence = tuple(start + n for start in starts for n in asked["pos"])
                beside = tuple(n for n in inside if n not in evidence)
                for question in (translate_chinese(asked["q"]), *english["questions"][number : number + 1]):
                    found.examples.append(Example(question, evidence, beside, memory["style"]))
    return found


def lives(files: Iterable[Path]) -> Examples:
    """Questions about lives. What no longer holds, and what is missing, is left to the reader.

    A vector does not know the time, so a former statement is neither right nor wrong for a question about what holds
    now. What is said of another person is wrong.
    """
    found = Examples([], [], [], [])
    for path in sorted(files):
        life = json.loads(path.read_text(encoding="utf-8"))
        at: dict[tuple[str, int], int] = {}
        for session in life["sessions"]:
            for number, message in enumerate(session["messages"]):
                at[session["id"], number] = len(found.passages)
                found.passages.append(_told(message["content"], message.get("name", "")))
                found.place.append(number)
                found.alternates.append("name" not in message)
        _add(found, life["questions"], at, list(at.values()), "lives")
    return found


def knots(files: Iterable[Path]) -> Examples:
    """Questions about small tangles of messages, in which one thing changes and others sound alike."""
    found = Examples([], [], [], [])
    for path in sorted(files):
        for line in path.read_text(encoding="utf-8").splitlines():
            knot, start = json.loads(line), len(found.passages)
            for message in knot["messages"]:
                by = message["by"]
                found.passages.append(_told(message["text"], "" if by in ("user", "assistant") else by))
            count = len(knot["messages"])
            found.place += [0] * count
            found.alternates += [False] * count
            asked = [
                {"text": q["q"], "type": q["type"], "evidence": q["answers"], "stale": q.get("stale", ())}
                for q in knot["questions"]
            ]
            _add(found, asked, {n: start + n for n in range(count)}, range(start, start + count), "knots")
    return found


def _told(text: str, name: str) -> str:
    return translate_chinese(f"{name}: {text}" if name else text)


def _add(
    found: Examples,
    questions: Iterable[Mapping[str, Any]],
    at: Mapping[Any, int],
    inside: Sequence[int],
    style: str,
) -> None:
    def places(named: Iterable[Any]) -> tuple[int, ...]:
        return tuple(at[tuple(place) if isinstance(place, list) else place] for place in named)

    for question in questions:
        evidence = places(question["evidence"])
        if evidence:
            of_time = question["type"] in OF_TIME
            aside = places(question.get("stale", ())) if of_time else ()
            beside = tuple(n for n in inside if n not in evidence and n not in aside)
            found.examples.append(Example(translate_chinese(question["text"]), evidence, beside, style, aside))


def longmemeval(path: Path, fold: tuple[int, int] | None = None, times: int = 1) -> Examples:
    """Questions of LongMemEval (MIT) whose evidence turns are marked, each `times` times.

    A fold (k, n) leaves out those at k, k + n, … in the file.
    """
    with gzip.open(path, "rt", encoding="utf-8") as file:
        entries = json.load(file)
    chosen = [entry for n, entry in enumerate(entries) if fold is None or n % fold[1] != fold[0]]
    found = Examples([], [], [], [])
    for entry in chosen:
        if entry["question_id"].endswith("_abs"):
            continue
        start = len(found.passages)
        turns = [
            (n, turn)
            for session in entry["haystack_sessions"]
            for n, turn in enumerate(session)
            if turn["content"].strip()
        ]
        found.passages += [turn["content"] for _, turn in turns]
        found.place += [n for n, _ in turns]
        found.alternates += [True] * len(turns)
        evidence = tuple(start + n for n, (_, turn) in enumerate(turns) if turn.get("has_answer"))
        if evidence:
            beside = tuple(n for n in range(start, len(found.passages)) if n not in evidence)
            found.examples.append(Example(entry["question"], evidence, beside, "longmemeval"))
    found.examples *= times
    return found


def without(data: Examples, styles: Collection[str]) -> Examples:
    """All memories of the other styles."""
    return _only(data, [example for example in data.examples if example.style not in styles])


def share(data: Examples, wanted: float, seed: int) -> Examples:
    """Whole memories drawn at random, until that share of the questions is reached."""
    if wanted == 1:
        return data
    memories: dict[int, list[Example]] = {}
    for example in data.examples:
        memories.setdefault(min(example.evidence + example.beside), []).append(example)
    drawn: list[Example] = []
    for start in random.Random(seed).sample(sorted(memories), len(memories)):
        if len(drawn) >= wanted * len(data.examples):
            break
        drawn += memories[start]
    return _only(data, drawn)


def _only(data: Examples, kept: Sequence[Example]) -> Examples:
    """These questions with their memories' passages, and no others."""
    used = sorted({n for example in kept for n in example.evidence + example.beside + example.aside})
    now = {n: at for at, n in enumerate(used)}
    return Examples(
        [data.passages[n] for n in used],
        [_moved(e, now) for e in kept],
        [data.place[n] for n in used],
        [data.alternates[n] for n in used],
    )


def joined(parts: Sequence[Examples]) -> Examples:
    found = Examples([], [], [], [])
    for part in parts:
        shift = len(found.passages)
        found.passages += part.passages
        found.place += part.place
        found.alternates += part.alternates
        found.examples += [_moved(e, range(shift, shift + len(part.passages))) for e in part.examples]
    return found


def _moved(example: Example, places: Sequence[int] | Mapping[int, int]) -> Example:
    """The same question, where its passages are now."""
    held = {name: tuple(places[n] for n in getattr(example, name)) for name in ("evidence", "beside", "aside")}
    return replace(example, **held)


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


def shown_as(data: Examples, chosen: Sequence[int], *, context: bool, marks: bool) -> list[str]:
    """Passages as they may be stored: alone or after the one before them, with or without a mark of who speaks."""
    return [_shown(data, n, context=context, marks=marks) for n in chosen]


def _shown(data: Examples, n: int, *, context: bool, marks: bool) -> str:
    text = _marked(data, n) if marks else data.passages[n]
    if not context or data.place[n] == 0:
        return text
    before = _marked(data, n - 1) if marks else data.passages[n - 1]
    return f"{before}\n{text}"


def _marked(data: Examples, n: int) -> str:
    """Chats alternate between user and assistant; where names stand already they stay."""
    text = data.passages[n]
    if not data.alternates[n] or re.match(r"\w+: ", text):
        return text
    return f"{'user' if data.place[n] % 2 == 0 else 'assistant'}: {text}"
