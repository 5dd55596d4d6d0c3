"""Questions for calibration: those of the recall log that were answered, or questions made from memories.

A made question is like a person's: it leaves out the word that is asked for, and keeps three, two or one of the others.
Some are inflected in another way, and one is exchanged for a word that the memory does not contain. A question whose
answer is absent is made from it: its most telling word is exchanged for the one of another memory.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..store.protocol import Store
from ..text.analyze import analyze, analyze_query
from ..text.cjk import CJK_CLASS
from ..text.sentences import sentences
from ..types import Filter, Memory

MOST_QUESTIONS = 400
LEAST_WORDS = 3
"""The fewest content words of a sentence that a question is made from."""
KEPT_WORDS = (3, 2, 1)
"""How many words of the memory a question keeps, in turn. People's questions often share one word with the answer."""
SEED = 20260301
_MOST_CHARS = 2000
_LOGGED_RECALLS = 5000
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CHINESE = re.compile(f"[{CJK_CLASS}]+")
_FORMS = (
    "what about {}?",
    "do you remember {}?",
    "what did I say about {}?",
    "how was it with {}?",
    "tell me about {}",
    "which was it, {}?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, and the memories that answer it."""

    text: str
    memories: tuple[Memory, ...]
    namespace: str
    at: datetime | None = None
    """When it was asked; None for a question that was made."""
    absent: str | None = None
    """A question like it whose answer is not in memory."""


# The recall log -----------------------------------------------------------------------------------


def from_log(store: Store, namespace: str) -> list[Asked]:
    """The logged questions for which somebody used a memory that is still there, newest first, each once."""
    found: dict[str, Asked] = {}
    for record in store.recalls(namespaces=(namespace,), limit=_LOGGED_RECALLS):
        used = [given.memory_id for given in record.feedback if given.used and (given.outcome or 0) >= 0]
        there = [memory for memory in store.get(used).values() if memory.status == "active"] if used else []
        entry = record.entry
        if there and entry.query.strip():
            asked = Asked(text=entry.query, memories=tuple(there), namespace=entry.namespace, at=entry.at)
            found.setdefault(entry.query, asked)
    return list(found.values())[:MOST_QUESTIONS]


# Made from memories -------------------------------------------------------------------------------


def from_memories(store: Store, namespace: str) -> list[Asked]:
    """One question for each of up to 400 memories that say enough."""
    held = store.scan(Filter(namespaces=(namespace,), statuses=("active",)), order="id")
    usable = [(memory, words) for memory in held if (words := _telling_sentence(memory.text))]
    counts = Counter(term for memory in held for term in set(analyze(memory.text[:_MOST_CHARS])))
    chance = random.Random(SEED)
    picked = sorted(chance.sample(range(len(usable)), min(len(usable), MOST_QUESTIONS)))
    chosen = [
        (usable[n][0], _kept(usable[n][1], KEPT_WORDS[place % len(KEPT_WORDS)], counts, chance))
        for place, n in enumerate(picked)
    ]
    known = [frozenset(analyze(memory.text)) for memory in held]
    return list(_asked(chosen, counts, known, chance))


def _asked(
    chosen: Sequence[tuple[Memory, list[str]]],
    counts: Mapping[str, int],
    known: Sequence[frozenset[str]],
    chance: random.Random,
) -> Iterator[Asked]:
    vocabulary = sorted({word for _, words in chosen for word in words})
    for n, (memory, words) in enumerate(chosen):
        form = _FORMS[n % len(_FORMS)]
        key = _rarest(words, counts)
        worded = _reworded(words, key, vocabulary, chance)
        other = _rarest(chosen[(n + 1) % len(chosen)][1], counts)
        near = [other if word == key else word for word in worded]
        yield Asked(
            text=form.format(" ".join(worded)),
            memories=(memory,),
            namespace=memory.namespace,
            absent=None if _is_held(near, known) else form.format(" ".join(near)),
        )


def _telling_sentence(text: str) -> list[str]:
    """The content words of the first sentence that states enough; none if no sentence does."""
    for _, sentence in sentences(text[:_MOST_CHARS]):
        words = _content_words(sentence)
        if len(words) >= LEAST_WORDS and not sentence.rstrip().endswith(("?", "？")):
            return words
    return []


def _content_words(sentence: str) -> list[str]:
    found: list[str] = []
    for match in _WORD.finditer(sentence):
        found += _characters(match[0]) if _CHINESE.search(match[0]) else [match[0]]
    return [word for word in dict.fromkeys(found) if analyze_query(word).content]


def _characters(run: str) -> list[str]:
    """Pairs of characters stand for the words of a language without spaces."""
    return [run[n : n + 2] for n in range(0, len(run) - 1, 2)]


def _kept(words: Sequence[str], count: int, counts: Mapping[str, int], chance: random.Random) -> list[str]:
    """Some words in their order, without the rarest: that is what a person would ask for."""
    answer = _rarest(words, counts)
    others = [word for word in words if word != answer]
    picked = set(chance.sample(others, min(len(others), count)))
    return [word for word in others if word in picked]


def _rarest(words: Iterable[str], counts: Mapping[str, int]) -> str:
    return min(words, key=lambda word: (min((counts.get(term, 0) for term in analyze(word)), default=0), word))


def _reworded(words: Sequence[str], key: str, vocabulary: Sequence[str], chance: random.Random) -> list[str]:
    """Words besides the key are inflected in another way, and one is exchanged. A single word gets a strange one."""
    others = [word for word in words if word != key]
    strange = chance.choice([word for word in vocabulary if word not in words] or [key])
    if not others:
        return [key, strange]
    exchanged = chance.choice(others)
    return [strange if word == exchanged else word if word == key else _inflected(word) for word in words]


def _inflected(word: str) -> str:
    if not word.isascii() or not word.islower():
        return word
    return word[:-1] if word.endswith("s") else f"{word}s"


def _is_held(words: Iterable[str], known: Sequence[frozenset[str]]) -> bool:
    """Whether one memory contains all of these words, so that it may answer."""
    terms = {term for word in words for term in analyze(word)}
    return any(terms <= held for held in known)
