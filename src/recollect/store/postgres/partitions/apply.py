"""Partitions a store, and spreads its buckets over servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from psycopg.conninfo import make_conninfo

from ....errors import InvalidInput, StoreError
from ... import open_store
from ...chain import HEAD
from .. import row_security
from ..connections import WRITER, Database
from ..failures import translated
from ..urls import parameters, shown
from . import citus, servers, tree
from .layout import HERE, MOST_BUCKETS, Part, is_partitioned, parts
from .move import move, unfinished
from .servers import connected
from .shape import shapes

BUCKETS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What `apply` would do."""

    partitioned: bool
    """Whether the tables have partitions already."""
    buckets: int
    servers: tuple[str, ...]
    """All servers, the store's own first."""
    moves: tuple[tuple[int, str, str], ...] = ()
    """(bucket, from, to)."""
    memories: int = 0
    """How many memories the tables hold that are to be partitioned."""

    def to_dict(self) -> dict[str, Any]:
        moves = [{"bucket": bucket, "from": source, "to": target} for bucket, source, target in self.moves]
        return {
            "partitioned": self.partitioned,
            "buckets": self.buckets,
            "servers": list(self.servers),
            "moves": moves,
            "memories": self.memories,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A partition, and how many memories it holds."""

    name: str
    server: str
    memories: int | None
    """None if the server can't be reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    partitioned: bool
    servers: dict[str, str] = field(default_factory=dict)
    """Server → `ok`, or what is wrong with it."""
    partitions: tuple[Placed, ...] = ()
    unfinished: tuple[str, ...] = ()
    """Moves that were interrupted."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def plan(url: str, *, buckets: int | None = None, servers: Sequence[str] = ()) -> Plan:
    """What `apply` would do with these servers, named or known already."""
    open_store(url).close()  # makes or migrates the tables
    with connected(make_conninfo("", **parameters(url)), shown(url)) as db:
        return _plan(db, buckets, servers)


def _plan(db: Database, count: int | None, named: Sequence[str]) -> Plan:
    for name in named:
        servers.check_name(name)
    held = parts(db) if is_partitioned(db) else []
    known = 1 + held[-1].bucket if held else None
    if known is not None and count not in (None, known):
        raise InvalidInput(f"the tables have {known} buckets already: their number can't be changed")
    total = known or count or BUCKETS
    if not 2 <= total <= MOST_BUCKETS:
        raise InvalidInput(f"{total} is not a number of buckets: choose 2 to {MOST_BUCKETS}")
    every = [HERE, *dict.fromkeys([*servers.names(db), *named])]
    if len(every) > total:
        raise InvalidInput(f"{total} buckets are too few for {len(every)} servers")
    if len(every) > 1 and db.execute("SELECT 1 FROM setting WHERE key = %s", (HEAD,)).fetchone():
        raise InvalidInput(
            "the chain of the event log needs all events on one server: switch it off with `recollect chain off`"
        )
    if row_security.is_on(db):
        raise InvalidInput("partitions and row security exclude each other: run `recollect row-security off` first")
    (memories,) = db.execute("SELECT count(*) FROM memory").fetchone() or (0,)
    rest = [part for part in held if part.tenant is None] or [Part(n, None, HERE) for n in range(total)]
    return Plan(
        partitioned=bool(held),
        buckets=total,
        servers=tuple(every),
        moves=tuple(even(rest, every)),
        memories=0 if held else memories,
    )


def even(rest: Sequence[Part], every: Sequence[str]) -> list[tuple[int, str, str]]:
    """The moves after which every server has as many buckets as any other, or one more. As few as possible."""
    low, more = divmod(len(rest), len(every))
    by = {name: [part.bucket for part in rest if part.server == name] for name in every}
    largest_first = sorted(every, key=lambda name: -len(by[name]))
    quota = {name: low + (n < more) for n, name in enumerate(largest_first)}
    spare = [(name, bucket) for name in every for bucket in by[name][quota[name] :]]
    wanting = [name for name in every for _ in range(quota[name] - len(by[name]))]
    return [(bucket, source, target) for (source, bucket), target in zip(spare, wanting, strict=True)]


def apply(
    url: str,
    *,
    buckets: int | None = None,
    servers: Mapping[str, str] | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Plan:
    """Partitions the tables, adds the servers and moves buckets to them. After an interruption, it continues."""
    given = servers or {}
    planned = plan(url, buckets=buckets, servers=list(given))
    with connected(make_conninfo("", **parameters(url)), shown(url)) as db, translated(shown(url)):
        for name, address in given.items():
            _add(db, name, address)
        if not planned.partitioned:
            tell(f"partitioning {planned.memories:,} memories into {planned.buckets} buckets")
            _build(db, planned.buckets)
        pending = [(bucket, target) for _, bucket, tenant, _, target, *_ in unfinished(db) if tenant is None]
    for bucket, target in dict.fromkeys([*pending, *((bucket, to) for bucket, _, to in planned.moves)]):
        tell(f"moving bucket {bucket} to {target}")
        move(url, target, bucket=bucket)
    return planned


def _add(db: Database, name: str, address: str) -> None:
    servers.check_name(name)
    if not is_known(db, name, address):
        servers.prepare_server(db, address)
        servers.add(db, name, address)


def is_known(db: Database, name: str, address: str) -> bool:
    """Whether the server is in the list with this very address."""
    return name in servers.names(db) and servers.is_at(db, name, address)


def _build(db: Database, count: int) -> None:
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(%s)", (WRITER,))
        if not is_partitioned(db):
            tree.build(db, count)


def status(url: str) -> Status:
    """Where the partitions are, and which servers answer."""
    with connected(make_conninfo("", **parameters(url)), shown(url)) as db, translated(shown(url)):
        if not is_partitioned(db):
            return Status(partitioned=False)
        found = parts(db)
        answers: dict[str, str] = {}
        placed: list[Placed] = []
        for name in [HERE, *servers.names(db)]:
            inside = [part for part in found if part.server == name]
            counts = _counts(db, name, inside, answers)
            placed += [Placed(name=part.name, server=name, memories=counts.get(part.suffix)) for part in inside]
        return Status(
            partitioned=True,
            servers=answers,
            partitions=tuple(placed),
            unfinished=tuple(
                f"{f'tenant {tenant}' if tenant else f'bucket {bucket}'} from {source} to {target} ({phase})"
                for _, bucket, tenant, source, target, _, phase in unfinished(db)
            ),
        )


def _counts(db: Database, name: str, inside: Sequence[Part], answers: dict[str, str]) -> dict[str, int]:
    try:
        with servers.session(db, name) as there:
            found = {}
            for part in inside:
                (found[part.suffix],) = there.execute(f"SELECT count(*) FROM {part.table('memory')}").fetchone() or (0,)
            answers[name] = "ok"
            return found
    except StoreError as error:
        answers[name] = str(error)
        return {}


def for_citus(url: str) -> list[str]:
    """The statements that distribute the store's tables with Citus."""
    open_store(url).close()
    with connected(make_conninfo("", **parameters(url)), shown(url)) as db:
        if is_partitioned(db):
            raise InvalidInput("the tables have partitions already, which Citus would distribute again: choose one")
        made = shapes(db)
    if found := citus.objections(made.values()):
        raise StoreError(f"Citus would refuse the tables: {'; '.join(found)}")
    return citus.statements(made)
