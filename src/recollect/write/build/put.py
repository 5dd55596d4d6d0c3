"""Builds everything that is stored with a memory: screening → gist and `about` → terms → vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from json import dumps
from typing import Any

from ...embedders.optional import OptionalEmbedder
from ...ids import digest
from ...store.protocol import Store
from ...store.values import Batch, Embedded, Put
from ...types import FIELDS, WHEN, Memory
from ..screening.quarantine import quarantined, screened, screened_texts
from ..stamp import Stamp
from .draft import Draft
from .embed import FULL, embed, remember_embedder
from .statements import statement_of
from .words import document

ALTERED = "damaged row"
"""The reason of quarantine for a memory that `recover` could read only with changes."""


def build(store: Store, embedder: OptionalEmbedder, drafts: Sequence[Draft], stamp: Stamp) -> list[Put]:
    """Builds the puts for these drafts with one call of the embedder. Needs no lock."""
    made = [statement_of(draft, screened(draft, stamp)) for draft in drafts]
    wanted = [_wanted_views(draft, memory, stamp) for draft, (memory, _) in zip(drafts, made, strict=True)]
    views = embed(
        store, embedder, [(memory.tenant, each or {}) for each, (memory, _) in zip(wanted, made, strict=True)]
    )
    return [
        _put(draft, memory, about, _vectors(draft, wanted[n], None if views is None else views[n]))
        for n, (draft, (memory, about)) in enumerate(zip(drafts, made, strict=True))
    ]


def fields_only(memory: Memory) -> Put:
    """A put for a change that keeps text, gist, tags and entities. Terms and vectors stay as they are."""
    return Put(memory=memory)


def saved(memory: Memory, digest: bytes | None, about: str | None, vectors: Mapping[str, Embedded]) -> Put:
    """A put for a memory from a damaged file whose row is whole. Only the words are analysed again."""
    return Put(memory=memory, document=document(memory), digest=digest, about=about, vectors=vectors)


def saved_altered(memory: Memory) -> Put:
    """A put for a memory from a damaged file whose row was altered. Recall must not find it before somebody read it."""
    held = quarantined(memory, [ALTERED])
    return Put(memory=held, document=document(held), digest=statement_digest(held))


def without_vectors(put: Put) -> Put:
    """The put without its vectors, because nobody knows which embedder made them."""
    return replace(put, vectors={})


def statement_digest(memory: Memory) -> bytes:
    """Equal for memories that say the same word for word. "The dentist on Thursday" is another appointment in another
    week, so the time that a fact names counts too."""
    when = memory.metadata.get(WHEN) if memory.granularity == "fact" else None
    return digest(f"{memory.text}\n{dumps(when, sort_keys=True)}" if when else memory.text)


def write(store: Store, embedder: OptionalEmbedder, batch: Batch) -> None:
    """Writes the batch. Raises EmbedderMismatch for vectors of another embedder than the store's."""
    if any(put.vectors for put in batch.puts):
        remember_embedder(store, embedder)
    store.write(batch)


def _wanted_views(draft: Draft, memory: Memory, stamp: Stamp) -> dict[str, tuple[str, ...]] | None:
    """View → the texts it is the mean of. None if the stored views stay as they are."""
    if draft.views is None:
        return None
    if draft.before is not None and draft.before.text == memory.text and not draft.views:
        return None
    return {FULL: (memory.text,), **screened_texts(draft.views, stamp)}


def _vectors(
    draft: Draft, wanted: Mapping[str, Any] | None, made: Mapping[str, Embedded] | None
) -> Mapping[str, Embedded] | None:
    if wanted is None:
        return None
    if made is None:  # there is no model, and vectors of the old text must not stay
        return None if draft.before is None else {}
    return made


def _put(draft: Draft, memory: Memory, about: str | None, vectors: Mapping[str, Embedded] | None) -> Put:
    before = draft.before
    if before is None or memory.text != before.text:
        return Put(
            memory=memory, document=document(memory), digest=statement_digest(memory), about=about, vectors=vectors
        )
    found_by_other_words = any(getattr(memory, name) != getattr(before, name) for name in FIELDS)
    return Put(memory=memory, document=document(memory) if found_by_other_words else None, vectors=vectors)
