"""CrewAI's memory storage: `Memory(storage=storage, embedder=storage.embed)` with `storage = RecollectStorage(mind)`.

A record is a memory of the kind `crewai`. The scope `/crew/research` is the path `crew/research` below the memory's own
namespace.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from .. import Memory, Recollect
from ..checks.where import parse_where
from ..errors import InvalidInput, NotFound
from ..namespaces import decoded, encoded
from ..types import VISIBLE, Filter
from . import missing

try:
    from crewai.memory.types import MemoryRecord, ScopeInfo
except ModuleNotFoundError as error:
    raise missing("crewai", "crewai") from error

KIND = "crewai"
VIEW = "full"
OWN = "field:"
"""Before the names of a record's own metadata."""


class RecollectStorage:
    """Keeps CrewAI's records in a recollect memory. CrewAI searches it by vectors of the memory's own embedder."""

    def __init__(self, mind: Recollect) -> None:
        self.mind = mind

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The embedder to give to CrewAI's `Memory`. It needs no key and no network."""
        return [list(map(float, row)) for row in self.mind.embedder.embed(list(texts))]

    # Writing --------------------------------------------------------------------------------------

    def save(self, records: list[MemoryRecord]) -> None:
        self._check_vectors(record.embedding for record in records if record.embedding)
        self.mind.remember_many([self._item(record) for record in records])

    def update(self, record: MemoryRecord) -> None:
        self._check_vectors([record.embedding] if record.embedding else [])
        with self.mind.store.transaction():
            held = self._held(record.id)
            if held is None:
                raise NotFound(f"no record has the id {record.id!r}")
            if held.namespace != (place := self._path(record.scope)):
                self.mind.move(held.namespace, place, id=held.id)
            self.mind.update(
                held.id,
                text=record.content,
                tags=list(record.categories),
                importance=record.importance,
                source=record.source,
                metadata=_metadata(record),
            )

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        with self.mind.store.transaction():
            chosen = [
                memory
                for memory in self._scanned(scope_prefix, metadata_filter)
                if _is_in(memory, categories)
                and (not record_ids or memory.session_id in record_ids)
                and (older_than is None or memory.created_at < _aware(older_than))
            ]
            for memory in chosen:
                self.mind.purge(memory.id)
        return len(chosen)

    def reset(self, scope_prefix: str | None = None) -> None:
        self.delete(scope_prefix)

    def touch_records(self, record_ids: list[str]) -> None:
        """CrewAI calls this with what a recall found: each counts as accessed."""
        for record_id in record_ids:
            held = self._held(record_id)
            if held is not None:
                self.mind.get(held.id)

    # Reading --------------------------------------------------------------------------------------

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        import numpy as np

        self._check_vectors([query_embedding])
        vector = np.asarray(query_embedding, np.float32)
        within, depth = self._filter(scope_prefix, metadata_filter), limit
        while True:
            found = self.mind.store.search_vector(vector, VIEW, within, limit=depth, floor=min_score)
            held = self.mind.store.get([id for id, _ in found])
            chosen = [(held[id], score) for id, score in found if id in held and _is_in(held[id], categories)]
            if len(chosen) >= limit or len(found) < depth:
                return [(self._record(memory), score) for memory, score in chosen[:limit]]
            depth *= 4

    def get_record(self, record_id: str) -> MemoryRecord | None:
        held = self._held(record_id)
        return None if held is None else self._record(held)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        found = self.mind.store.scan(self._filter(scope_prefix), limit=limit + offset)
        return [self._record(memory) for memory in found[offset:]]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        found = self._scanned(scope)
        made = sorted(memory.created_at for memory in found)
        return ScopeInfo(
            path=f"/{scope.strip('/')}",
            record_count=len(found),
            categories=sorted({tag for memory in found for tag in memory.tags}),
            oldest_record=_naive(made[0]) if made else None,
            newest_record=_naive(made[-1]) if made else None,
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        above = "/".join(_parts(parent))
        start = f"/{above}/" if above else "/"
        below = (self._scope(memory.namespace).removeprefix(start) for memory in self._scanned(parent))
        return sorted({start + rest.split("/")[0] for rest in below if rest and not rest.startswith("/")})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        return dict(Counter(tag for memory in self._scanned(scope_prefix) for tag in memory.tags))

    def count(self, scope_prefix: str | None = None) -> int:
        return len(self._scanned(scope_prefix))

    # CrewAI's asynchronous calls ------------------------------------------------------------------

    async def asave(self, records: list[MemoryRecord]) -> None:
        await asyncio.to_thread(self.save, records)

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        given = query_embedding, scope_prefix, categories, metadata_filter, limit, min_score
        return await asyncio.to_thread(self.search, *given)

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        given = scope_prefix, categories, record_ids, older_than, metadata_filter
        return await asyncio.to_thread(self.delete, *given)

    # Records and memories -------------------------------------------------------------------------

    def _check_vectors(self, vectors: Iterable[Sequence[float]]) -> None:
        dim = self.mind.embedder.dim
        for size in {len(vector) for vector in vectors} - {dim}:
            raise InvalidInput(f"the vector has {size} numbers, not {dim}: give Memory embedder=storage.embed")

    def _item(self, record: MemoryRecord) -> dict[str, Any]:
        """A record's id is the session id, by which it is found. A chunk is never merged with another."""
        return {
            "text": record.content,
            "kind": KIND,
            "granularity": "chunk",
            "dedup": False,
            "namespace": self._path(record.scope),
            "session_id": record.id,
            "tags": list(record.categories),
            "importance": record.importance,
            "source": record.source,
            "at": _aware(record.created_at),
            "metadata": _metadata(record),
        }

    def _record(self, memory: Memory) -> MemoryRecord:
        held = memory.metadata
        own = {name.removeprefix(OWN): value for name, value in held.items() if name.startswith(OWN)}
        return MemoryRecord(
            id=memory.session_id or memory.id,
            content=memory.text,
            scope=self._scope(memory.namespace),
            categories=list(memory.tags),
            metadata=own,
            importance=memory.importance,
            created_at=_naive(memory.created_at),
            last_accessed=_accessed(memory),
            source=memory.source,
            private=held.get("private", False),
        )

    def _held(self, record_id: str) -> Memory | None:
        found = self.mind.store.scan(self._filter(session_id=record_id), limit=1)
        return found[0] if found else None

    def _scanned(self, scope: str | None, metadata: Mapping[str, Any] | None = None) -> list[Memory]:
        return self.mind.store.scan(self._filter(scope, metadata))

    def _filter(
        self, scope: str | None = None, metadata: Mapping[str, Any] | None = None, *, session_id: str | None = None
    ) -> Filter:
        where = parse_where({OWN + name: {"eq": value} for name, value in (metadata or {}).items()})
        namespaces = (self._path(scope or "/"),)
        return Filter(namespaces=namespaces, kinds=(KIND,), statuses=VISIBLE, session_id=session_id, where=where)

    def _path(self, scope: str) -> str:
        return "/".join([self.mind.namespace, *map(encoded, _parts(scope))])

    def _scope(self, path: str) -> str:
        below = path[len(self.mind.namespace) + 1 :]
        return "/" + "/".join(decoded(part) for part in below.split("/") if part)


def _parts(scope: str) -> Iterator[str]:
    return (part for part in scope.split("/") if part)


def _is_in(memory: Memory, categories: Sequence[str] | None) -> bool:
    return not categories or not set(categories).isdisjoint(memory.tags)


def _metadata(record: MemoryRecord) -> dict[str, Any]:
    own = {OWN + name: value for name, value in record.metadata.items()}
    return {**own, "private": record.private, "last_accessed": record.last_accessed.isoformat()}


def _accessed(memory: Memory) -> datetime:
    noted = _aware(datetime.fromisoformat(memory.metadata["last_accessed"]))
    return _naive(max(noted, memory.last_accessed_at or noted))


def _aware(moment: datetime) -> datetime:
    """CrewAI's moments have no zone and are in UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
