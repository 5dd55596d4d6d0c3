"""The write path: parse → facets → embed → dedup → link → store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ..embedders.optional import OptionalEmbedder
from ..errors import EmbedderMismatch
from ..ids import digest
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..store.settings import EMBEDDER, FINGERPRINT, set_embedder, setting
from ..store.values import Batch, Document, Embedded, Put
from ..types import Change, Event, Filter, Granularity, Link, Memory
from . import duplicates
from .build.embed import FULL, embed
from .build.words import document
from .links import stating
from .screening.quarantine import held_back
from .stamp import Stamp, difference
from .updates import relate

if TYPE_CHECKING:
    from ..types import Vector

BATCH = 1024
"""Memories per transaction, and per call of the embedder."""
_MERGEABLE: tuple[Granularity, ...] = ("memory", "fact")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory on its way in."""

    memory: Memory
    merge: bool = True
    """Whether it may be merged into one that says the same."""
    views: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further views by name, each the mean of the vectors of some texts; `full` is the memory's own text
    unless it is given here."""
    about: str | None = None
    """Whose what it states; see `link.about`."""

    @property
    def all_views(self) -> Mapping[str, tuple[str, ...]]:
        return {FULL: (self.memory.text,), **self.views}


def draft(memory: Memory, *, merge: bool) -> Draft:
    """A single memory as somebody states it."""
    if not merge:
        return Draft(memory=memory, merge=False)
    known, gist = stating(memory.text)
    return Draft(memory=replace(memory, gist=memory.gist or gist), about=known)


def remember(
    store: Store,
    embedder: OptionalEmbedder,
    drafts: Sequence[Draft],
    *,
    rules: WriteRules,
    stamp: Stamp,
    ready: Ready | None = None,
) -> Iterator[list[Memory]]:
    """Stores in batches, each atomic, and yields what became of each memory."""
    for start in range(0, len(drafts), BATCH):
        batch = slice(start, start + BATCH)
        some = prepare(store, embedder, drafts[batch]) if ready is None else ready[batch]
        yield _remember(store, embedder, drafts[batch], some, rules, stamp)


@dataclass(frozen=True, slots=True)
class Ready:
    """What takes time and needs no lock: the words and vectors of some drafts."""

    documents: Sequence[Document]
    digests: Sequence[bytes]
    views: Sequence[Mapping[str, Embedded]] | None

    def __getitem__(self, some: slice) -> Ready:
        views = None if self.views is None else self.views[some]
        return Ready(self.documents[some], self.digests[some], views)

    def only(self, chosen: Sequence[int]) -> Ready:
        views = None if self.views is None else [self.views[n] for n in chosen]
        return Ready([self.documents[n] for n in chosen], [self.digests[n] for n in chosen], views)


def prepare(store: Store, embedder: OptionalEmbedder, drafts: Sequence[Draft]) -> Ready:
    documents = [document(draft.memory) for draft in drafts]
    digests = [digest(draft.memory.text) for draft in drafts]
    return Ready(documents, digests, embed(store, embedder, [draft.all_views for draft in drafts]))


def _remember(
    store: Store, embedder: OptionalEmbedder, drafts: Sequence[Draft], ready: Ready, rules: WriteRules, stamp: Stamp
) -> list[Memory]:
    memories = [draft.memory for draft in drafts]
    views = ready.views
    with store.transaction():
        plan = _Plan(store, rules, rules.duplicate_threshold(embedder.embedder.name), stamp.at)
        plan.look(memories, ready.digests, [draft.merge for draft in drafts], _full(views))
        puts = []
        for n, memory in enumerate(memories):
            stored = plan.place(n, memory)
            if stored is not None:
                made = views[n] if views is not None else None
                puts.append(
                    Put(
                        memory=stored,
                        document=ready.documents[n],
                        digest=ready.digests[n],
                        about=drafts[n].about,
                        vectors=made,
                    )
                )
        remember_embedder(store, embedder)
        store.write(
            Batch(
                puts=[*puts, *(Put(memory=m) for m in plan.raised.values())],
                links=plan.links,
                events=plan.events(memories, stamp),
            )
        )
        stated = {draft.memory.id: draft.about for draft in drafts if draft.about is not None}
        changed = plan.raised | relate(store, plan.new, stated, stamp)
    return [changed.get(m.id, m) if m.merged_into is None else m for m in plan.outcomes]


def _may_merge(memory: Memory) -> bool:
    """What is held back must neither strengthen a memory that people see, nor be what others merge into."""
    return memory.granularity in _MERGEABLE and memory.status != "quarantined"


def _full(views: Sequence[Mapping[str, Embedded]] | None) -> Vector | None:
    if not views:
        return None
    import numpy as np

    return np.stack([made[FULL].vector for made in views])


def remember_embedder(store: Store, embedder: OptionalEmbedder) -> None:
    """The first vectors decide which embedder the store speaks; others are refused from then on."""
    if embedder.name is None:
        return
    held = setting(store, FINGERPRINT)
    if held is None:
        set_embedder(store, embedder.embedder.name, embedder.embedder.fingerprint)
    elif held != embedder.embedder.fingerprint:
        raise EmbedderMismatch(
            f"{store.url} was given vectors of {setting(store, EMBEDDER)!r} meanwhile, "
            f"not of {embedder.embedder.name!r}: open it again"
        )


@dataclass(slots=True)
class _Plan:
    """Decides for a batch which memories are new and which repeat another."""

    store: Store
    rules: WriteRules
    threshold: float
    at: datetime
    outcomes: list[Memory] = field(default_factory=list)
    raised: dict[str, Memory] = field(default_factory=dict)
    """Survivors outside the batch, with their raised importance."""
    links: list[Link] = field(default_factory=list)
    merges: list[tuple[str, duplicates.Duplicate, Change]] = field(default_factory=list)
    """(id of the repeated memory, what it repeats, what the survivor was before)."""
    _found: list[duplicates.Duplicate | None] = field(default_factory=list)
    _held: dict[str, Memory] = field(default_factory=dict)
    _new: dict[str, Memory] = field(default_factory=dict)

    @property
    def new(self) -> list[Memory]:
        return list(self._new.values())

    def look(
        self, memories: Sequence[Memory], digests: Sequence[bytes], merge: Sequence[bool], vectors: Vector | None
    ) -> None:
        """Finds for every memory what it repeats, in the store or earlier in the batch."""
        wanted = [_may_merge(m) and on for m, on in zip(memories, merge, strict=True)]
        same = self._same_text(memories, digests, wanted)
        similar = self._similar(memories, wanted, vectors)
        merged: dict[str, str] = {}
        for n, memory in enumerate(memories):
            found = same[n] if wanted[n] else None
            if found is None and wanted[n]:
                nearby = [(other, s) for other, s in similar[n] if other.id not in merged]
                found = duplicates.near(memory, nearby)
            if found is not None:  # what is merged away can't be what others merge into
                found = replace(found, of=merged.get(found.of, found.of))
                merged[memory.id] = found.of
            self._found.append(found)

    def _same_text(
        self, memories: Sequence[Memory], digests: Sequence[bytes], wanted: Sequence[bool]
    ) -> list[duplicates.Duplicate | None]:
        first: dict[tuple[str, bytes], str] = {}
        for namespace in {m.namespace for m, on in zip(memories, wanted, strict=True) if on}:
            inside = [d for m, d, on in zip(memories, digests, wanted, strict=True) if on and m.namespace == namespace]
            held = self.store.find_same(inside, replace(self._in_sight(namespace), exact=True))
            first |= {(namespace, d): found.id for d, found in held.items()}
            self._held |= {memory.id: memory for memory in held.values()}
        found: list[duplicates.Duplicate | None] = []
        for memory, text, on in zip(memories, digests, wanted, strict=True):
            earlier = first.setdefault((memory.namespace, text), memory.id) if on else memory.id
            repeats = earlier != memory.id
            found.append(duplicates.Duplicate(of=earlier, similarity=1.0, exact=True) if repeats else None)
        return found

    def _in_sight(self, *namespaces: str) -> Filter:
        """What a repeated text may be merged into: recall must still find it."""
        return Filter(
            namespaces=namespaces,
            statuses=("active",),
            tiers=("pinned", "searchable"),
            granularities=_MERGEABLE,
            live_at=self.at,
        )

    def _similar(
        self, memories: Sequence[Memory], wanted: Sequence[bool], vectors: Vector | None
    ) -> list[list[tuple[Memory, float]]]:
        if vectors is None or not any(wanted):
            return [[] for _ in memories]
        within = self._in_sight(*sorted({m.namespace for m in memories}))
        asked = [n for n, on in enumerate(wanted) if on]
        stored = self.store.similar(vectors[asked], FULL, within, at_least=self.threshold)
        self._held |= self.store.get({id for hits in stored for id, _ in hits})
        inside = duplicates.within(vectors[asked], self.threshold)
        found: list[list[tuple[Memory, float]]] = [[] for _ in memories]
        for n, outer, inner in zip(asked, stored, inside, strict=True):
            found[n] = [(self._held[id], s) for id, s in outer]
            found[n] += [(memories[asked[earlier]], s) for earlier, s in inner]
        return found

    def place(self, n: int, memory: Memory) -> Memory | None:
        """The memory as it is to be stored, or None for one that is there already word for word."""
        found = self._found[n]
        if found is None:
            self._new[memory.id] = memory
            self.outcomes.append(memory)
            return memory
        before, survivor = self._raise(found.of, memory)
        self.merges.append((memory.id, found, difference(before, survivor)))
        if found.exact:
            self.outcomes.append(replace(survivor, merged_into=survivor.id))
            return None
        self.links.append(Link(a=memory.id, b=survivor.id, kind="same_as", weight=min(1.0, found.similarity)))
        kept = replace(memory, status="consolidated")
        self._new[memory.id] = kept
        self.outcomes.append(replace(kept, merged_into=survivor.id))
        return kept

    def _raise(self, survivor_id: str, repeated: Memory) -> tuple[Memory, Memory]:
        before = self.raised.get(survivor_id) or self._new.get(survivor_id) or self._held[survivor_id]
        after = duplicates.raised(before, repeated, self.rules.duplicate_gain)
        self.raised[survivor_id] = after
        return before, after

    def events(self, memories: Sequence[Memory], stamp: Stamp) -> list[Event]:
        found = []
        for namespace in sorted({memory.namespace for memory in self._new.values()}):
            ids = sorted(id for id, memory in self._new.items() if memory.namespace == namespace)
            new = [Change(memory_id=id, before=None) for id in ids]
            found.append(stamp.event("remember", namespace, new, held_back(self._new[id] for id in ids)))
        where = {memory.id: memory.namespace for memory in memories}
        for repeated, duplicate, change in self.merges:
            changes: tuple[Change, ...] = (change,)
            detail: dict[str, object] = {"similarity": round(duplicate.similarity, 4), "exact": duplicate.exact}
            if not duplicate.exact:
                changes += (Change(memory_id=repeated, before={"status": "active"}),)
                detail["linked"] = [[repeated, duplicate.of, "same_as"]]
            found.append(stamp.event("merge", where[repeated], changes, detail))
        return found
