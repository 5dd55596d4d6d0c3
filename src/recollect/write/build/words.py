"""A memory's searchable sides: its analysed words."""

from __future__ import annotations

from collections.abc import Iterable

from ...store.values import Document
from ...text.analyze import analyze
from ...types import Memory


def document(memory: Memory) -> Document:
    return Document(
        gist=tuple(analyze(memory.gist)) if memory.gist else (),
        text=tuple(analyze(memory.text)),
        entities=_each(memory.entities),
        tags=_each(memory.tags),
    )


def _each(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(term for label in labels for term in analyze(label))
