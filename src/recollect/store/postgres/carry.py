"""Carries the rows of a memory to another tenant.

PostgreSQL can't move a row out of a partition that is on another server. There the row is deleted and inserted.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import Conflict
from .connections import Database
from .partitions.layout import HERE, part_of, parts
from .places import note_links_across

_TABLES = {"memory": "id", "usage": "id", "view": "id", "link": "a"}
"""Table → the column with the memory's id. The words are rewritten, because they hold the namespace."""
_FOLLOWING = ("usage",)
"""Plain tables whose foreign key makes them follow."""


def carry(db: Database, moves: Sequence[tuple[str, str, str]], *, partitioned: bool) -> None:
    """`moves` are (id, to, from)."""
    if moves and partitioned:
        _require_one_server(db, {(to, origin) for _, to, origin in moves})
    for table, column in _TABLES.items() if moves else ():
        if partitioned:
            _insert_again(db, table, column, moves)
        elif table not in _FOLLOWING:
            for id, to, origin in moves:
                db.execute(f"UPDATE {table} SET tenant = %s WHERE tenant = %s AND {column} = %s", (to, origin, id))
    if moves and partitioned:
        note_links_across(db)  # links lead to memories that stay


def _require_one_server(db: Database, pairs: set[tuple[str, str]]) -> None:
    """Two servers commit one after the other. If one died in between, the memory would be on both or on none."""
    found = parts(db)
    if all(part.server == HERE for part in found):
        return
    for to, origin in sorted(pairs):
        target, source = part_of(db, found, to).server, part_of(db, found, origin).server
        if target != source:
            raise Conflict(
                f"a memory can't move from {origin} to {to}, because they are on different servers: "
                f"run `recollect partitions move --tenant {origin} --to {target}` first"
            )


def _insert_again(db: Database, table: str, column: str, moves: Sequence[tuple[str, str, str]]) -> None:
    names = _columns(db, table)
    for id, to, origin in moves:
        db.execute(
            f"WITH gone AS (DELETE FROM {table} WHERE tenant = %s AND {column} = %s RETURNING *) "
            f"INSERT INTO {table} (tenant, {names}) SELECT %s, {names} FROM gone",
            (origin, id, to),
        )


def _columns(db: Database, table: str) -> str:
    rows = db.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped "
        "AND attname <> 'tenant' ORDER BY attnum",
        (table,),
    )
    return ", ".join(name for (name,) in rows.fetchall())
