"""Which memories of a batch are new, and which repeat another? Runs inside the transaction that stores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..store.values import Put
from ..types import Change, Event, Filter, Link, Memory, plain
from . import duplicates
from .build.embed import FULL
from .build.put import fields_only
from .build.statements import STATING
from .screening.quarantine import held_back
from .stamp import Stamp, difference

if TYPE_CHECKING:
    from ..types import Vector


@dataclass(slots=True)
class MergePlan:
    """Decides what happens to each memory of a batch.

    Exact duplicates are not stored. Near duplicates are stored with the status `consolidated`.
    """

    store: Store
    rules: WriteRules
    threshold: float
    at: datetime
    puts: list[Put] = field(default_factory=list)
    """The memories to write."""
    outcomes: list[Memory] = field(default_factory=list)
    """The resulting memory for each memory of the batch, in order."""
    links: list[Link] = field(default_factory=list)
    _merges: list[tuple[Memory, duplicates.Duplicate, Change]] = field(default_factory=list)
    """(the duplicate, the memory it repeats, the survivor's former values)."""
    _said_again: dict[str, int] = field(default_factory=dict)
    """Duplicate → its turn, if it repeats a statement of the same conversation."""
    _raised: dict[str, Memory] = field(default_factory=dict)
    """Survivors with their raised importance."""
    _held: dict[str, Memory] = field(default_factory=dict)
    _new: dict[str, Memory] = field(default_factory=dict)

    def place(self, built: Sequence[Put], merge: Sequence[bool]) -> None:
        """Decides for every memory. `merge` tells for each whether it may be merged."""
        for put, found in zip(built, self._repeated(built, merge), strict=True):
            stored = self._outcome(put.memory, found)
            if stored is not None:
                self.puts.append(put if stored is put.memory else replace(put, memory=stored))
        self.puts += map(fields_only, self._raised.values())

    @property
    def new(self) -> list[Memory]:
        return list(self._new.values())

    @property
    def raised(self) -> dict[str, Memory]:
        return self._raised

    # Finding ----------------------------------------------------------------------------------------

    def _repeated(self, built: Sequence[Put], merge: Sequence[bool]) -> list[duplicates.Duplicate | None]:
        """For each memory: the memory that it repeats, in the store or earlier in the batch, or None."""
        memories = [put.memory for put in built]
        wanted = [on and _may_merge(memory) for memory, on in zip(memories, merge, strict=True)]
        same = self._same_text(built, wanted)
        similar = self._similar(memories, wanted, _full(built))
        merged: dict[str, str] = {}
        found: list[duplicates.Duplicate | None] = []
        for n, memory in enumerate(memories):
            repeats = same[n]
            if repeats is None and similar[n]:
                nearby = [(other, s) for other, s in similar[n] if other.id not in merged]
                repeats = duplicates.near(memory, nearby, by_cosine=self.rules.near_duplicates == "cosine")
            if repeats is not None:  # merge into the survivor, never into a merged memory
                repeats = replace(repeats, of=merged.get(repeats.of, repeats.of))
                merged[memory.id] = repeats.of
            found.append(repeats)
        return found

    def _same_text(self, built: Sequence[Put], wanted: Sequence[bool]) -> list[duplicates.Duplicate | None]:
        asked = [put for put, on in zip(built, wanted, strict=True) if on]
        first: dict[tuple[str, bytes | None], str] = {}
        for namespace in {put.memory.namespace for put in asked}:
            inside = [put.digest for put in asked if put.memory.namespace == namespace and put.digest is not None]
            held = self.store.find_same(inside, replace(self._in_sight(namespace), exact=True))
            first |= {(namespace, digest): memory.id for digest, memory in held.items()}
            self._held |= {memory.id: memory for memory in held.values()}
        found: list[duplicates.Duplicate | None] = []
        for put, on in zip(built, wanted, strict=True):
            own = put.memory.id
            earlier = first.setdefault((put.memory.namespace, put.digest), own) if on else own
            found.append(duplicates.Duplicate(of=earlier, similarity=1.0, exact=True) if earlier != own else None)
        return found

    def _in_sight(self, *namespaces: str) -> Filter:
        """Admits the memories that a duplicate may be merged into: those that recall still finds."""
        return Filter(
            namespaces=namespaces,
            statuses=("active",),
            tiers=("pinned", "searchable"),
            granularities=STATING,
            live_at=self.at,
        )

    def _similar(
        self, memories: Sequence[Memory], wanted: Sequence[bool], vectors: Vector | None
    ) -> list[list[tuple[Memory, float]]]:
        if vectors is None or not any(wanted) or self.rules.near_duplicates == "keep":
            return [[] for _ in memories]
        within = self._in_sight(*sorted({m.namespace for m in memories}))
        asked = [n for n, on in enumerate(wanted) if on]
        texts = None if self.rules.near_duplicates == "cosine" else [memories[n].text for n in asked]
        most = duplicates.MOST_ALIKE
        stored = self.store.similar(vectors[asked], FULL, within, at_least=self.threshold, limit=most, texts=texts)
        if any(stored):
            self._held |= self.store.get({id for hits in stored for id, _ in hits})
        inside = duplicates.within(vectors[asked], self.threshold, texts)
        found: list[list[tuple[Memory, float]]] = [[] for _ in memories]
        for n, outer, inner in zip(asked, stored, inside, strict=True):
            found[n] = [(self._held[id], s) for id, s in outer]
            found[n] += [(memories[asked[earlier]], s) for earlier, s in inner]
        return found

    # Merging ----------------------------------------------------------------------------------------

    def _outcome(self, memory: Memory, found: duplicates.Duplicate | None) -> Memory | None:
        """The memory to store, or None for an exact duplicate."""
        if found is None:
            self._new[memory.id] = memory
            self.outcomes.append(memory)
            return memory
        before, survivor = self._raise(found, memory)
        self._merges.append((memory, found, difference(before, survivor)))
        if memory.session_id is not None and memory.session_id == survivor.session_id:
            self._said_again[memory.id] = memory.turn or 0
        if found.exact:
            self.outcomes.append(replace(survivor, merged_into=survivor.id))
            return None
        self.links.append(Link(a=memory.id, b=survivor.id, kind="same_as", weight=min(1.0, found.similarity)))
        kept = replace(memory, status="consolidated")
        self._new[memory.id] = kept
        self.outcomes.append(replace(kept, merged_into=survivor.id))
        return kept

    def _raise(self, found: duplicates.Duplicate, repeated: Memory) -> tuple[Memory, Memory]:
        before = self._raised.get(found.of) or self._new.get(found.of) or self._held[found.of]
        after = duplicates.raised(before, repeated, self.rules.duplicate_gain, exact=found.exact)
        self._raised[found.of] = after
        return before, after

    # Logging ----------------------------------------------------------------------------------------

    def events(self, stamp: Stamp) -> list[Event]:
        found = []
        for namespace in sorted({memory.namespace for memory in self._new.values()}):
            ids = sorted(id for id, memory in self._new.items() if memory.namespace == namespace)
            new = [Change(memory_id=id, before=None) for id in ids]
            found.append(stamp.event("remember", namespace, new, held_back(self._new[id] for id in ids)))
        return found + [_merge_event(*merge, stamp, self._said_again.get(merge[0].id)) for merge in self._merges]


def _merge_event(
    repeated: Memory, duplicate: duplicates.Duplicate, change: Change, stamp: Stamp, turn: int | None
) -> Event:
    """`turn`: where the same conversation says it again."""
    changes: tuple[Change, ...] = (change,)
    detail: dict[str, object] = {
        "similarity": round(duplicate.similarity, 4),
        "exact": duplicate.exact,
        "told_at": plain(repeated.told_at),
    }
    if turn is not None:
        detail["turn"] = turn
    if not duplicate.exact:
        changes += (Change(memory_id=repeated.id, before={"status": "active"}),)
        detail["linked"] = [[repeated.id, duplicate.of, "same_as"]]
    return stamp.event("merge", repeated.namespace, changes, detail)


def _may_merge(memory: Memory) -> bool:
    """Whether it can be merged. A quarantined memory must not raise the importance of a visible one."""
    return memory.granularity in STATING and memory.status != "quarantined"


def _full(built: Sequence[Put]) -> Vector | None:
    """The vectors of the full texts; None when there is no model."""
    if not built or not all(put.vectors for put in built):
        return None
    import numpy as np

    return np.stack([put.vectors[FULL].vector for put in built if put.vectors])
