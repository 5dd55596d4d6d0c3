"""Several writes as one event, so that one `undo` takes all of them back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from ...store.protocol import Store
from ...store.values import Batch
from ...types import Change, LinkKind, Memory
from ..stamp import difference

Ends = tuple[str, str, LinkKind]
"""From, to and kind of a link."""


class JoinedChanges:
    """Passes writes on to a store without their events. Then says what changed in all."""

    def __init__(self, store: Store) -> None:
        self._inner = store
        self._before: dict[str, Memory | None] = {}
        """Memories that were written → as they were before; None if they are new."""
        self._weights: dict[Ends, float | None] = {}
        """Links that were touched → their weight before; None if they are new."""

    @property
    def store(self) -> Store:
        """The store to write to."""
        return cast(Store, self)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a method of the store
        return getattr(self._inner, name)

    def write(self, batch: Batch) -> None:
        self._note_memories({put.memory.id for put in batch.puts})
        self._note_links([*((link.a, link.b, link.kind) for link in batch.links), *batch.unlinks])
        self._inner.write(replace(batch, events=()))

    def _note_memories(self, ids: Iterable[str]) -> None:
        fresh = sorted(id for id in ids if id not in self._before)
        held = self._inner.get(fresh) if fresh else {}
        self._before |= {id: held.get(id) for id in fresh}

    def _note_links(self, touched: Sequence[Ends]) -> None:
        fresh = [ends for ends in touched if ends not in self._weights]
        held = self._held(fresh)
        self._weights |= {ends: held.get(ends) for ends in fresh}

    def _held(self, links: Iterable[Ends]) -> dict[Ends, float]:
        return {(held.a, held.b, held.kind): held.weight for held in self._inner.links({a for a, _, _ in links})}

    def pairs(self) -> list[tuple[Memory | None, Memory]]:
        """The changed memories, before and now. Before is None for a new one."""
        now = self._inner.get(self._before)
        return [(before, now[id]) for id, before in self._before.items() if now[id] != before]

    def changes(self) -> list[Change]:
        return [
            Change(memory_id=now.id, before=None) if before is None else difference(before, now)
            for before, now in self.pairs()
        ]

    def relinked(self) -> dict[str, Any]:
        """The links that were set and removed, in the form of the log; empty if there are none."""
        now = self._held(self._weights)
        changed = {ends: weight for ends, weight in self._weights.items() if now.get(ends) != weight}
        if not changed:
            return {}
        removed = [(*ends, weight) for ends, weight in changed.items() if weight is not None]
        return {"linked": [ends for ends in changed if ends in now], "unlinked": removed}
