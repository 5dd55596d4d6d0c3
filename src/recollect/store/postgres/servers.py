"""A primary server and its read replicas. Writes go to the primary. A read goes to a server that has everything that
this store has written.

A replica has it if it has replayed the log at least as far as the position after this store's last commit. When the
store is opened, that position is the end of the primary's log. So a store sees what was committed before it was opened
and what was written through it, whichever server answers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from time import monotonic
from typing import TypeAlias

from ...errors import StoreError, StoreUnreachable
from .. import call
from .connections import Connections, Database
from .session import NOTHING, Position, Session, identity, replayed, written
from .urls import has_several_hosts

AVOIDED_FOR_SECONDS = 2.0
"""A server that did not answer is not asked for so long, where another one can answer."""
REPLACED = (
    "leads to a server that was the primary before another one was promoted: stop it, and make it a replica of that one"
)

_Way: TypeAlias = Callable[[Connections], AbstractContextManager[Database]]


class Behind(StoreError):
    """The replica lacks something that this store has written."""


class _Avoided:
    """A server that may have failed a moment ago."""

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self.reads = 0
        """How many reads it has answered."""
        self._until = 0.0

    @property
    def is_avoided(self) -> bool:
        return monotonic() < self._until

    def avoid(self) -> None:
        self._until = monotonic() + AVOIDED_FOR_SECONDS

    def answers(self) -> None:
        self._until = 0.0
        self.reads += 1


class Doubted(_Avoided):
    """One that is avoided for twice as long each time it fails: connecting with a server that is gone without a word
    takes seconds."""

    most_doublings = 5
    """5: up to about a minute; 10: half an hour."""
    _failures = 0

    def avoid(self) -> None:
        self._until = monotonic() + AVOIDED_FOR_SECONDS * 2 ** min(self._failures, self.most_doublings)
        self._failures += 1

    def answers(self) -> None:
        super().answers()
        self._failures = 0


class Replica(Doubted):
    def __init__(self, name: str, url: str, servers: Servers) -> None:
        super().__init__(connections := Connections(url))
        self.name = name
        self.timeline = 0
        connections.check = self._check
        self.servers = servers
        self._had = NOTHING
        """What it has certainly replayed, and never loses: it wrote that to its disk before."""

    def _check(self, db: Session) -> None:
        self.check_identity(db)
        needed, held = self.servers.needed, db.has_replayed
        if self.connections.has_pooler or not _contains(held, needed):
            held = db.has_replayed = replayed(db)
            self.timeline = held.timeline
        if not self.has(held, needed):
            raise Behind(f"{self.connections.url} has not replayed yet what was written here")
        self._had = max(self._had, needed)

    def check_identity(self, db: Database) -> None:
        assert isinstance(db, Session)
        db.identity = db.identity or identity(db)
        if self.servers.identity not in ("", db.identity):
            self.timeline = 0  # it says nothing about our servers
            raise StoreError(f"{self.connections.url} is not a replica of {self.servers.primary.url}: correct read_url")

    def has(self, held: Position, needed: Position) -> bool:
        """A promoted replica has a timeline of its own. It has what it had before, and nothing else is certain."""
        return _contains(held, needed) or (held.timeline > needed.timeline and _contains(self._had, needed))


def _contains(held: Position, needed: Position) -> bool:
    return held.timeline == needed.timeline and held.lsn >= needed.lsn


class Servers:
    """Chooses a server for each read. It has the interface of `Connections`."""

    def __init__(self, url: str, read_urls: Sequence[str] = ()) -> None:
        self.primary = Connections(url)
        self.first = _Avoided(self.primary)
        named = enumerate(read_urls, start=1)
        self.replicas = [Replica(f"replica {n}", each, self) for n, each in named]
        random.shuffle(self.replicas)  # so that processes spread over the replicas
        self.needed = NOTHING
        """The position that a replica must have replayed before this store reads from it."""
        self.identity = ""
        """Of the primary; empty until that has answered."""
        self._timeline = 0
        """The latest that a primary server was seen on."""
        self._looked_until = 0.0
        if self.replicas:
            self.primary.committed = self.must_have
        if self.replicas or has_several_hosts(url):
            self.primary.check = self._check_primary

    @property
    def all(self) -> list[Connections]:
        return [self.primary, *(replica.connections for replica in self.replicas)]

    def must_have(self, position: Position) -> None:
        """From now on, replicas are read only if they have replayed this position."""
        self.needed = max(self.needed, position)

    def is_replaced(self, held: Position) -> bool:
        """Whether a server at this position was the primary before another one was promoted."""
        promoted = max((replica.timeline for replica in self.replicas if self.identity), default=0)
        return held.timeline < max(self._timeline, self.needed.timeline, promoted)

    def _check_primary(self, db: Session) -> None:
        if db.has_replayed == NOTHING:
            db.has_replayed = replayed(db)
            if monotonic() >= self._looked_until:
                self._look_for_a_promotion()
        if self.is_replaced(db.has_replayed):
            db.close()  # a URL with several hosts may lead to the right one next time
            raise StoreUnreachable(f"{self.primary.url} {REPLACED}")
        self._timeline = max(self._timeline, db.has_replayed.timeline)

    def _look_for_a_promotion(self) -> None:
        for replica in self.replicas:
            if not replica.is_avoided:
                try:
                    with replica.connections.outside() as db:
                        replica.check_identity(db)
                        replica.timeline = max(replica.timeline, replayed(db).timeline)
                except StoreError:
                    replica.avoid()
        self._looked_until = monotonic() + AVOIDED_FOR_SECONDS

    def follow(self, db: Database) -> None:
        """Takes the end of the primary's log as what replicas must have."""
        if self.replicas:
            self.identity = identity(db)
            self.must_have(written(db))

    # As Connections has it ------------------------------------------------------------------------

    @property
    def in_transaction(self) -> bool:
        return any(connections.in_transaction for connections in self.all)

    @property
    def forks(self) -> int:
        return self.primary.forks

    @property
    def is_closed(self) -> bool:
        return self.primary.is_closed

    def check_open(self) -> None:
        self.primary.check_open()

    def read(self) -> AbstractContextManager[Database]:
        return self._on_one_of_them(Connections.read)

    def snapshot(self) -> AbstractContextManager[Database]:
        return self._on_one_of_them(Connections.snapshot)

    def brief(self) -> AbstractContextManager[Database]:
        return self.primary.brief()

    @contextmanager
    def transaction(self, *, at_once: bool = False) -> Iterator[Database]:
        with ExitStack() as stack:
            try:
                db = stack.enter_context(self.primary.transaction(at_once=at_once))
            except StoreUnreachable as error:
                if not self.replicas:
                    raise
                raise StoreUnreachable(f"nothing was written: {error}") from error
            yield db

    def close(self) -> None:
        for connections in self.all:
            connections.close()

    # Choosing -------------------------------------------------------------------------------------

    def _on_one_of_them(self, way: _Way) -> AbstractContextManager[Database]:
        for connections in self.all:
            if not self.replicas or connections.in_transaction:
                return way(connections)
        return self._from_replica(way) if call.replicas_may_answer() else self._from_primary(way)

    @contextmanager
    def _from_replica(self, way: _Way) -> Iterator[Database]:
        """The first replica that has what this store wrote; otherwise the primary."""
        with ExitStack() as stack:
            yield self._enter_replica(stack, way) or self._enter_primary(stack, way)

    @contextmanager
    def _from_primary(self, way: _Way) -> Iterator[Database]:
        """The primary; where it does not answer, a replica that has what this store wrote."""
        with ExitStack() as stack:
            db = self._enter_replica(stack, way) if self.first.is_avoided else None
            yield db or self._enter_primary(stack, way)

    def _enter_primary(self, stack: ExitStack, way: _Way) -> Database:
        try:
            db = stack.enter_context(way(self.primary))
        except StoreUnreachable as error:
            self.first.avoid()
            if (found := self._enter_replica(stack, way, again=True)) is not None:
                return found
            raise StoreUnreachable(f"{error}; no replica has all that was written here") from error
        self.first.answers()
        if any(replica.timeline > self.needed.timeline for replica in self.replicas):
            self.follow(db)  # another server has become the primary, and its log goes on differently
        return db

    def _enter_replica(self, stack: ExitStack, way: _Way, *, again: bool = False) -> Database | None:
        """Enters the first replica that has what this store wrote. `again`: also those that failed a moment ago."""
        for replica in self.replicas:
            if again or not replica.is_avoided:
                with suppress(StoreError):
                    return self._entered(replica, stack, way)
        return None

    def _entered(self, replica: Replica, stack: ExitStack, way: _Way) -> Database:
        entered = ExitStack()
        entered.push(lambda kind, error, _: replica.avoid() if isinstance(error, StoreUnreachable) else None)
        try:
            db = entered.enter_context(way(replica.connections))
        except StoreError as error:
            if not isinstance(error, Behind):
                replica.avoid()
            raise
        stack.enter_context(entered)
        replica.answers()
        return db
