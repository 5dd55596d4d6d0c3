"""Where the rows of a tenant are: buckets, the partitions in them, and the servers these are on.

A table is partitioned by the hash of the tenant into buckets. A bucket is partitioned by the tenant: one partition for
each tenant that has been moved on its own, and one for all the others. All tables have the same partitions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2s

from ....errors import InvalidInput, NotFound
from ..connections import Database
from ..schema import SCHEMA

TABLES = (
    "memory",
    "usage",
    "lexicon",
    "corpus",
    "term",
    "view",
    "link",
    "event",
    "revision",
    "recall",
    "recalled",
    "feedback",
)
"""The tables whose keys begin with the tenant."""
HERE = "here"
"""The name of the server that the store's URL names. The others are reached through it."""
PREFIX = "recollect_"
"""Before the name of a server in PostgreSQL's list of foreign servers, which all programs share."""
MOST_BUCKETS = 256
_BOUND = re.compile(r"FOR VALUES IN \('(.*)'\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Part:
    """A partition of every table: a tenant of its own, or the rest of a bucket."""

    bucket: int
    tenant: str | None
    server: str

    @property
    def suffix(self) -> str:
        return f"b{self.bucket}_{'rest' if self.tenant is None else _short(self.tenant)}"

    @property
    def name(self) -> str:
        return f"bucket {self.bucket}" if self.tenant is None else f"tenant {self.tenant}"

    def table(self, of: str) -> str:
        return f"{of}_{self.suffix}"

    def node(self, of: str) -> str:
        return node(of, self.bucket)


def node(table: str, bucket: int) -> str:
    return f"{table}_b{bucket}"


def _short(tenant: str) -> str:
    return "t" + blake2s(tenant.encode(), digest_size=8).hexdigest()


def is_partitioned(db: Database) -> bool:
    row = db.execute("SELECT relkind FROM pg_class WHERE oid = to_regclass(%s)", (f"{SCHEMA}.memory",)).fetchone()
    return row is not None and row[0] in ("p", b"p")


def parts(db: Database) -> list[Part]:
    """All partitions, by bucket, those of single tenants before the rest."""
    rows = db.execute(
        "SELECT n.relname, pg_get_expr(l.relpartbound, l.oid), s.srvname FROM pg_inherits a "
        "JOIN pg_class n ON n.oid = a.inhrelid JOIN pg_inherits b ON b.inhparent = n.oid "
        "JOIN pg_class l ON l.oid = b.inhrelid LEFT JOIN pg_foreign_table f ON f.ftrelid = l.oid "
        "LEFT JOIN pg_foreign_server s ON s.oid = f.ftserver WHERE a.inhparent = to_regclass(%s)",
        (f"{SCHEMA}.memory",),
    ).fetchall()
    found = [_part(*row) for row in rows]
    return sorted(found, key=lambda part: (part.bucket, part.tenant is None, part.tenant or ""))


def _part(node: str, bound: str, server: str | None) -> Part:
    tenant = match[1].replace("''", "'") if (match := _BOUND.search(bound)) else None
    where = HERE if server is None else server.removeprefix(PREFIX)
    return Part(int(node.rpartition("_b")[2]), tenant, where)


def bucket_of(db: Database, tenant: str, buckets: int) -> int:
    """The bucket of a tenant. PostgreSQL computes the hash."""
    row = db.execute(
        "SELECT r FROM generate_series(0, %s::int - 1) r "
        "WHERE satisfies_hash_partition(%s::regclass, %s::int, r, %s::text)",
        (buckets, f"{SCHEMA}.memory", buckets, tenant),
    ).fetchone()
    assert row is not None
    return int(row[0])


def buckets(parts: list[Part]) -> int:
    return 1 + max(part.bucket for part in parts)


def part_of(db: Database, found: list[Part], tenant: str) -> Part:
    """The partition that holds the tenant."""
    bucket = bucket_of(db, tenant, buckets(found))
    inside = [part for part in found if part.bucket == bucket]
    return next((part for part in inside if part.tenant == tenant), inside[-1])


def bucket_named(found: list[Part], bucket: int) -> Part:
    if not 0 <= bucket < buckets(found):
        raise NotFound(f"there is no bucket {bucket}: they are numbered 0 to {buckets(found) - 1}")
    return next(part for part in found if part.bucket == bucket and part.tenant is None)


def require_partitions(db: Database) -> list[Part]:
    if not is_partitioned(db):
        raise InvalidInput("the tables have no partitions yet: run `recollect partitions apply`")
    return parts(db)
