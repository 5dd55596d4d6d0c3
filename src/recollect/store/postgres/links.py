"""Writes and deletes links. A link belongs to the tenant of its first memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...types import Link
from ..sql.rows import to_micros
from .connections import Database
from .places import Places, note_links_across

_GIVEN = (
    "unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::float8[], %s::bigint[]) "
    "AS l (tenant, a, b, kind, weight, created_at)"
)


def write(db: Database, given: Sequence[Link], places: Places | None) -> None:
    rows = [(link.a, link.b, link.kind, link.weight, to_micros(link.created_at)) for link in given]
    last = {row[:3]: row for row in rows}  # one statement can't write the same link twice
    if places is None:
        _write(db, list(last.values()))
    else:
        _write_placed(db, list(last.values()), places)


def _write(db: Database, rows: Sequence[Sequence[Any]]) -> None:
    db.execute(
        "INSERT INTO link SELECT coalesce((SELECT m.tenant FROM memory m WHERE m.id = l.a LIMIT 1), ''), l.* "
        "FROM unnest(%s::text[], %s::text[], %s::text[], %s::float8[], %s::bigint[]) "
        "AS l (a, b, kind, weight, created_at) "
        "ON CONFLICT (tenant, a, b, kind) DO UPDATE SET weight = excluded.weight",
        [list(column) for column in zip(*rows, strict=True)],
    )


def _write_placed(db: Database, rows: Sequence[Sequence[Any]], places: Places) -> None:
    """ON CONFLICT needs a unique index of the whole table, which partitions on other servers rule out."""
    of = places.tenant_of(db, [end for row in rows for end in row[:2]])
    if any(of.get(a) != of.get(b) for a, b, *_ in rows):
        note_links_across(db)
    placed = [(of.get(row[0], ""), *row) for row in rows]
    tenants, firsts = sorted({row[0] for row in placed}), sorted({row[1] for row in placed})
    db.execute(
        f"WITH given AS MATERIALIZED (SELECT * FROM {_GIVEN}), "
        "held AS (UPDATE link k SET weight = g.weight FROM given g WHERE k.tenant = ANY(%s) AND k.a = ANY(%s) "
        "AND k.tenant = g.tenant AND k.a = g.a AND k.b = g.b AND k.kind = g.kind RETURNING k.a, k.b, k.kind) "
        "INSERT INTO link (tenant, a, b, kind, weight, created_at) SELECT * FROM given g "
        "WHERE (g.a, g.b, g.kind) NOT IN (SELECT h.a, h.b, h.kind FROM held h)",
        (*(list(column) for column in zip(*placed, strict=True)), tenants, firsts),
    )


def delete(db: Database, ends: Sequence[tuple[str, str, str]]) -> None:
    """Deletes the links with these (a, b, kind)."""
    columns = [list(column) for column in zip(*ends, strict=True)]
    db.execute(
        "DELETE FROM link l USING unnest(%s::text[], %s::text[], %s::text[]) AS gone (a, b, kind) "
        "WHERE l.a = gone.a AND l.b = gone.b AND l.kind = gone.kind AND l.a = ANY(%s)",
        (*columns, columns[0]),
    )
