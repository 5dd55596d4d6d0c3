"""Several memories in a few sentences, by rules: their own sentences, as far as each says something new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeAlias

from ..checks import MOST_TAGS
from ..errors import RecollectError
from ..extractors.judgement import adds_nothing
from ..ids import new_id
from ..text.sentences import sentences
from ..types import Memory
from ..write.screening.quarantine import OWNER

Summarise: TypeAlias = Callable[[Sequence[Memory]], str]

MOST_SENTENCES = 3
MOST_CHARS = 600
IMPORTANCE_GAIN = 0.1
"""Siestai: min(max + 0.1, 1)."""
_ENDS = tuple(".!?…。！？")


def summary_text(cluster: Sequence[Memory], summarise: Summarise | None) -> str:
    """What the given function makes of the cluster, or the rules where it gives nothing that can be used."""
    if summarise is None:
        return by_rules(cluster)
    try:
        written = summarise(cluster).strip()
    except (RecollectError, OSError):  # a model that does not answer
        return by_rules(cluster)
    return written if 0 < len(written) <= MOST_CHARS and "\0" not in written else by_rules(cluster)


def by_rules(cluster: Sequence[Memory]) -> str:
    """Sentences of the most central memory, then what the others add; at most three, 600 characters."""
    chosen: list[str] = []
    for sentence in (_ended(text) for memory in cluster for text in _sentences(memory)):
        if len(chosen) == MOST_SENTENCES:
            break
        longer = " ".join([*chosen, sentence])
        if len(longer) <= MOST_CHARS and _is_new(sentence, " ".join(chosen)):
            chosen.append(sentence)
    return " ".join(chosen)


def _sentences(memory: Memory) -> list[str]:
    return [text.strip() for _, text in sentences(memory.text) if text.strip()]


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(_ENDS) else f"{sentence}."


def _is_new(sentence: str, known: str) -> bool:
    return not known or not adds_nothing(sentence, known)


def covered(cluster: Sequence[Memory], text: str) -> list[Memory]:
    """The memories to which the summary is no loss: it holds each of their sentences word for word."""
    return [memory for memory in cluster if all(adds_nothing(part, text) for part in _sentences(memory))]


def summary(originals: Sequence[Memory], text: str) -> Memory:
    """A memory in place of these: as old as the newest, as much used as all of them together."""
    return Memory(
        id=new_id(),
        text=text,
        kind=_majority([memory.kind for memory in originals]),
        tags=_union([memory.tags for memory in originals]),
        entities=_union([memory.entities for memory in originals]),
        gist=originals[0].gist,
        importance=min(1.0, max(memory.importance for memory in originals) + IMPORTANCE_GAIN),
        confidence=min(memory.confidence for memory in originals),
        strength=max(memory.strength for memory in originals),
        namespace=originals[0].namespace,
        origin="tend",
        trust=next((memory.trust for memory in originals if memory.trust != OWNER), OWNER),
        metadata={"consolidates": sorted(memory.id for memory in originals)},
        created_at=max(memory.created_at for memory in originals),
        occurred_at=_latest([memory.occurred_at for memory in originals]),
        valid_from=min(memory.valid_from or memory.happened_at for memory in originals),
        access_count=sum(memory.access_count for memory in originals),
        last_accessed_at=_latest([memory.last_accessed_at for memory in originals]),
        retrieval_count=sum(memory.retrieval_count for memory in originals),
        last_retrieved_at=_latest([memory.last_retrieved_at for memory in originals]),
        decayed_at=_latest([memory.decayed_at for memory in originals]),
    )


def _majority(kinds: Sequence[str]) -> str:
    counts = Counter(kinds)
    return min(counts, key=lambda kind: (-counts[kind], kind))


def _union(labels: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for each in labels for label in each))[:MOST_TAGS]


def _latest(moments: Sequence[datetime | None]) -> datetime | None:
    return max((moment for moment in moments if moment is not None), default=None)
