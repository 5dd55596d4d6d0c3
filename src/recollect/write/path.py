"""The write path: drafts → build (screening, gist, terms, vectors) → merge → store → relate to stored memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..embedders.optional import OptionalEmbedder
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..store.values import Batch, Put
from ..types import Memory
from .build.draft import Draft
from .build.put import build, write
from .merging import MergePlan
from .stamp import Stamp
from .updates import relate

BATCH = 1024
"""Memories per transaction, and per call of the embedder."""


def remember(
    store: Store,
    embedder: OptionalEmbedder,
    drafts: Sequence[Draft],
    *,
    rules: WriteRules,
    stamp: Stamp,
    built: Sequence[Put] | None = None,
) -> Iterator[list[Memory]]:
    """Stores new memories in atomic batches and yields the resulting memories of each batch.

    `built` holds the puts of the drafts if the caller ran `build` before taking the lock.
    """
    for start in range(0, len(drafts), BATCH):
        batch = slice(start, start + BATCH)
        some = build(store, embedder, drafts[batch], stamp) if built is None else built[batch]
        yield _remember(store, embedder, drafts[batch], some, rules, stamp)


def _remember(
    store: Store,
    embedder: OptionalEmbedder,
    drafts: Sequence[Draft],
    built: Sequence[Put],
    rules: WriteRules,
    stamp: Stamp,
) -> list[Memory]:
    with store.transaction():
        plan = MergePlan(store, rules, rules.duplicate_threshold(embedder.embedder.name), stamp.at)
        plan.place(built, [draft.merge for draft in drafts])
        write(store, embedder, Batch(puts=plan.puts, links=plan.links, events=plan.events(stamp)))
        stated = {put.memory.id: put.about for put in built if put.about is not None}
        alone = {draft.memory.id for draft in drafts if not draft.merge} - stated.keys()
        new = plan.new if rules.recognise_updates else ()
        related = relate(store, new, stated, stamp, alone=alone)
    changed = {**plan.raised, **related.changed}
    now = [changed.get(m.id, m) if m.merged_into is None else m for m in plan.outcomes]
    return [replace(m, superseded=related.replaced[m.id]) if m.id in related.replaced else m for m in now]
