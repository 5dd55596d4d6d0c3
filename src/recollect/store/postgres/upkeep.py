"""What an operator wants to know: the state of the servers, and advice about tables and indexes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...errors import StoreError
from ..operated import Server, ServerState, Upkeep
from .connections import Connections, Database
from .partitions import servers as partitions
from .partitions.direct import DirectReads
from .schema import SCHEMA
from .servers import REPLACED, Replica, Servers
from .session import replayed

_MANY_DEAD = 0.2
_DEAD_FROM = 10_000
"""Fewer dead rows cost nothing worth mentioning."""
_LAG_BYTES = 64 * 1024 * 1024
_DEAD = (
    "SELECT relname, n_live_tup, n_dead_tup FROM pg_stat_user_tables "
    f"WHERE schemaname = '{SCHEMA}' AND n_dead_tup >= %s AND n_dead_tup > n_live_tup * %s ORDER BY relname"
)
_HNSW = (
    "SELECT c.relname, pg_relation_size(c.oid), i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
    f"WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND position('_hnsw_' IN c.relname) > 0 ORDER BY 1"
)
_BUFFERS = "SELECT pg_size_bytes(current_setting('shared_buffers')), current_setting('autovacuum')::boolean"


# Servers ------------------------------------------------------------------------------------------


def states(servers: Servers, direct: DirectReads) -> list[Server]:
    """Asks every server now; the primary first."""
    found = _with_replicas(servers)
    return [*found, *(_holding_partitions(servers, direct) if found[0].state == "ok" else ())]


def _with_replicas(servers: Servers) -> list[Server]:
    found, end = _primary(servers)
    named = sorted(servers.replicas, key=lambda replica: replica.name)
    return [found, *(_replica(replica, end, servers) for replica in named)]


def _holding_partitions(servers: Servers, direct: DirectReads) -> Iterator[Server]:
    with servers.primary.outside() as db:
        for name in partitions.names(db):
            state, detail = _state_of(db, name)
            if (holder := direct.holder(name)) is None:
                yield Server(name=name, url="", state=state, detail=detail)
            else:
                yield _server(name, holder.connections, state, holder.reads, detail=detail)


def _state_of(db: Database, name: str) -> tuple[ServerState, str]:
    try:
        with partitions.session(db, name):
            return "ok", ""
    except StoreError as error:
        return "gone", str(error)


def _primary(servers: Servers) -> tuple[Server, int | None]:
    connections, reads = servers.primary, servers.first.reads
    try:
        with connections.outside() as db:
            end = replayed(db)
    except StoreError as error:
        return _server("primary", connections, "gone", reads, detail=str(error)), None
    if servers.is_replaced(end):
        return _server("primary", connections, "gone", reads, detail=f"{connections.url} {REPLACED}"), None
    return _server("primary", connections, "ok", reads), end.lsn


def _replica(replica: Replica, end: int | None, servers: Servers) -> Server:
    connections = replica.connections
    try:
        with connections.outside() as db:
            held, seconds = replayed(db), _seconds_behind(db)
            has_all = replica.has(held, servers.needed)
            replica.check_identity(db)
    except StoreError as error:
        return _server(replica.name, connections, "gone", replica.reads, detail=str(error))
    lag = None if end is None else max(0, end - held.lsn)
    return _server(
        replica.name,
        connections,
        "ok" if has_all else "behind",
        replica.reads,
        lag_bytes=lag,
        lag_seconds=0.0 if lag == 0 else seconds,
    )


def _seconds_behind(db: Database) -> float | None:
    row = db.execute("SELECT extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8").fetchone()
    return None if row is None or row[0] is None else max(0.0, row[0])


def _server(
    name: str,
    connections: Connections,
    state: ServerState,
    reads: int,
    *,
    detail: str = "",
    lag_bytes: int | None = None,
    lag_seconds: float | None = None,
) -> Server:
    (in_use, idle), statements = connections.counts, connections.statements
    return Server(
        name=name,
        url=connections.url,
        state=state,
        detail=detail,
        lag_bytes=lag_bytes,
        lag_seconds=lag_seconds,
        in_use=in_use,
        idle=idle,
        reads=reads,
        statements=statements.count,
        slow_statements=statements.slow,
        statement_seconds=statements.seconds,
    )


# Advice -------------------------------------------------------------------------------------------


def advice(servers: Servers) -> Iterator[Upkeep]:
    if servers.replicas:
        yield from map(_about, _with_replicas(servers))
    if servers.primary.limits is not None:
        yield Upkeep(state="ok", what="row security limits each key to its namespace")
    if servers.primary.has_pooler:
        yield Upkeep(
            state="ok", what=f"{servers.primary.url} has a pooler in front: no state is kept in its connections"
        )
    try:
        with servers.primary.outside() as db:
            yield from [*_vacuum(db), *_vector_indexes(db)]
            for name in partitions.names(db):
                yield from _on_another(db, name)
    except StoreError as error:
        yield Upkeep(state="fail", what="the primary server can't be asked", do=str(error))


def _on_another(db: Database, name: str) -> Sequence[Upkeep]:
    """Advice about a server that holds partitions."""
    try:
        with partitions.session(db, name) as there:
            found = [*_vacuum(there), *_vector_indexes(there)]
    except StoreError as error:
        return [Upkeep(state="fail", what=f"server {name}, which holds partitions, does not answer", do=str(error))]
    named = [Upkeep(state=each.state, what=f"on server {name}: {each.what}", do=each.do) for each in found]
    return [Upkeep(state="ok", what=f"server {name}, which holds partitions, answers"), *named]


def _about(server: Server) -> Upkeep:
    said = f"{server.name} {server.url}"
    if server.state == "gone":
        return Upkeep(state="fail", what=f"{said} is not used", do=server.detail)
    if server.state == "behind" or (server.lag_bytes or 0) > _LAG_BYTES:
        lag = "" if server.lag_bytes is None else f" by {server.lag_bytes / 1e6:.1f} MB"
        do = "reads go to another server until it has caught up; see pg_stat_replication on the primary"
        return Upkeep(state="warn", what=f"{said} is behind{lag}", do=do)
    return Upkeep(state="ok", what=f"{said} answers and has caught up")


def _vacuum(db: Database) -> Iterator[Upkeep]:
    row = db.execute(_BUFFERS).fetchone()
    if row is not None and not row[1]:
        yield Upkeep(
            state="warn", what="autovacuum is off", do="turn it on: counters and statistics are rewritten often"
        )
    for table, live, dead in db.execute(_DEAD, (_DEAD_FROM, _MANY_DEAD)).fetchall():
        what = f"table {table} has {dead:,} dead rows beside {live:,} live ones"
        has_vectors = table == "view" or table.startswith("view_b")
        extra = f"; then REINDEX INDEX CONCURRENTLY for each index {SCHEMA}.{table}_hnsw_*" if has_vectors else ""
        yield Upkeep(state="warn", what=what, do=f"run VACUUM (ANALYZE) {SCHEMA}.{table}{extra}")


def _vector_indexes(db: Database) -> Iterator[Upkeep]:
    row = db.execute(_BUFFERS).fetchone()
    buffers = 0 if row is None else row[0]
    for name, size, is_valid in db.execute(_HNSW).fetchall():
        if not is_valid:
            what = f"vector index {name} was not finished, and is not used"
            yield Upkeep(state="warn", what=what, do=f"run REINDEX INDEX CONCURRENTLY {SCHEMA}.{name}")
        elif size > buffers:
            what = f"vector index {name} has {size / 1e6:,.0f} MB, more than shared_buffers ({buffers / 1e6:,.0f} MB)"
            yield Upkeep(state="warn", what=what, do="raise shared_buffers, so that searches don't wait for the disk")
