"""The base class of both SQL stores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime
from typing import Any, Literal, TypeAlias, TypeVar, overload

from ...types import Event, Filter, Link, Memory
from ...types.bm25 import Formula
from ..protocol import Order
from ..recording import WaitingEntries
from ..tables import Row
from ..values import Counts, Dumped, Numbers, Proposed, Put, RecallRecord
from . import dump, figures, journal, memories, tables
from .dialect import Database, Dialect
from .text_query import TextQuery

R = TypeVar("R", bound=Row)
Keys: TypeAlias = tuple[Database, Sequence[Any], str]


class SqlStore(ABC):
    """`store.protocol` documents the methods."""

    _dialect: Dialect
    _waiting: WaitingEntries

    def _settle(self) -> None:
        """Writes entries of the recall log that had to wait, before the log is read or changed."""
        if self._waiting and not self._is_in_transaction():
            self._waiting.flush()

    @abstractmethod
    def _is_in_transaction(self) -> bool:
        """Whether this thread is inside a transaction."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Database]:
        """A connection for reading. Inside a transaction, it is the transaction's connection."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Database]:
        """A connection for several reads that must see one state while others write."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Database]:
        """A connection with the write lock, in a transaction."""

    @abstractmethod
    def _search_text(self, asked: TextQuery) -> Proposed:
        """See `search_text`."""

    @abstractmethod
    def _puts(self, db: Database, after: int, limit: int) -> Sequence[tuple[int, Put]]:
        """Memories with terms and vectors, in the order they were stored, each with its position."""

    # Memories -------------------------------------------------------------------------------------

    @overload
    def get(self, ids: Iterable[str], filter: Filter | None = None) -> dict[str, Memory]: ...
    @overload
    def get(self, ids: Iterable[str], filter: Filter | None = None, *, numbers: Sequence[str]) -> Numbers: ...
    def get(
        self, ids: Iterable[str], filter: Filter | None = None, *, numbers: Sequence[str] = ()
    ) -> dict[str, Memory] | Numbers:
        with self._keys(list(ids)) as (db, keys, by):
            if numbers:
                return memories.numbers(db, self._dialect, keys, filter, numbers, by)
            return memories.get(db, self._dialect, keys, filter, by)

    @contextmanager
    def _keys(self, ids: Sequence[str]) -> Iterator[Keys]:
        """A connection, what leads to these memories fastest there, and the name of its column."""
        with self._reading() as db:
            yield db, ids, "id"

    def scan(
        self, filter: Filter, *, order: Order = "newest", limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        with self._reading() as db:
            return memories.scan(db, self._dialect, filter, order, limit, after)

    def find_same(self, digests: Iterable[bytes], filter: Filter) -> dict[bytes, Memory]:
        with self._reading() as db:
            return memories.find_same(db, self._dialect, digests, filter)

    def find_about(self, keys: Iterable[str], filter: Filter) -> dict[str, list[Memory]]:
        with self._reading() as db:
            return memories.find_about(db, self._dialect, keys, filter)

    def links(self, ids: Iterable[str]) -> list[Link]:
        with self._reading() as db:
            return memories.links(db, self._dialect, ids)

    def sessions(self, filter: Filter, *, limit: int, after: str | None = None) -> list[Memory]:
        with self._reading() as db:
            return memories.sessions(db, self._dialect, filter, limit, after)

    def turns_near(self, ids: Iterable[str], distance: int, filter: Filter) -> dict[str, list[Memory]]:
        with self._reading() as db:
            return memories.turns_near(db, self._dialect, ids, distance, filter)

    def namespaces(self) -> dict[str, int]:
        with self._reading() as db:
            return memories.namespaces(db, self._dialect)

    # Index ----------------------------------------------------------------------------------------

    def search_text(
        self,
        content: Sequence[str],
        stop: Sequence[str],
        filter: Filter,
        *,
        match: Literal["any", "all"],
        fields: Mapping[str, float],
        limit: int,
        formula: Formula | None = None,
    ) -> Proposed:
        return self._search_text(
            TextQuery(
                content=content, stop=stop, filter=filter, match=match, fields=fields, limit=limit, formula=formula
            )
        )

    # Journal --------------------------------------------------------------------------------------

    def events(
        self,
        *,
        id: str | None = None,
        memory_id: str | None = None,
        namespaces: Sequence[str] = (),
        before: str | None = None,
        limit: int | None = None,
        changes: bool = True,
    ) -> list[Event]:
        chosen = journal.Chosen(id, memory_id, namespaces, before, limit, changes)
        with self._reading() as db:
            return journal.events(db, self._dialect, chosen)

    def recalls(
        self,
        *,
        id: str | None = None,
        memory_id: str | None = None,
        namespaces: Sequence[str] = (),
        before: str | None = None,
        limit: int | None = None,
    ) -> list[RecallRecord]:
        self._settle()
        chosen = journal.Chosen(id, memory_id, namespaces, before, limit)
        with self._snapshot() as db:
            return journal.recalls(db, self._dialect, chosen)

    def last_edited(self, ids: Iterable[str], *, until: datetime) -> dict[str, datetime]:
        with self._reading() as db:
            return journal.last_edited(db, self._dialect, ids, until)

    # Tables ---------------------------------------------------------------------------------------

    def rows(self, kind: type[R], **where: object) -> list[R]:
        with self._reading() as db:
            return tables.rows(db, self._dialect, kind, where)

    def delete_rows(
        self, kind: type[Row], *, expired_by: datetime | None = None, beyond: int | None = None, **where: object
    ) -> int:
        with self._writing() as db:
            return tables.delete(db, self._dialect, kind, where, expired_by, beyond)

    # Maintenance ----------------------------------------------------------------------------------

    def counts(self, namespaces: Sequence[str]) -> Counts:
        self._settle()
        with self._snapshot() as db:
            return figures.counts(db, self._dialect, namespaces)

    def growth(self, namespaces: Sequence[str]) -> list[tuple[date, int]]:
        with self._reading() as db:
            return figures.growth(db, self._dialect, namespaces)

    def dump(self, after: str = "", *, limit: int = 1_000) -> Dumped:
        self._settle()
        with self._snapshot() as db:
            return dump.dump(db, self._dialect, lambda start, count: self._puts(db, start, count), after, limit)
