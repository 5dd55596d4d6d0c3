"""Vector search. A filter that admits few memories is applied first; otherwise an HNSW index is searched until enough
rows pass the filter.

The server selects rows by float16 products. The returned cosines are computed here in float64, row by row, as in every
other store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2s
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import StoreError
from ...types import Filter
from ..checksums import vector_checksum
from ..sql.filters import Where
from ..values import Embedded
from . import copy_format
from .connections import Database, limited
from .dialect import compile_filter
from .schema import DIMENSIONS, SCHEMA

if TYPE_CHECKING:
    from ...types import Vector

EXACT_UP_TO = 4_096
"""A filter that admits at most this many memories is applied first, and all of their vectors are compared."""
INDEX_FROM = 20_000
"""A view with this many vectors gets an HNSW index. Fewer are compared one by one in a few milliseconds."""
MOST_INDEXED_DIMENSIONS = 4_000
BUILD = "m = 12, ef_construction = 64"
"""As exact as m = 16, ef_construction = 100 with EF_SEARCH at 100,000 memories, and inserting takes half as long."""
_SPARE = 16
_TIE = 1e-3
"""The error of float16 products of unit vectors. Rows this close to a bound are compared exactly."""
_FETCH_FROM = 8
"""From this many queries on, fetching all admitted vectors is faster than one search per query."""
_FIRST_SIMILAR = 16
_BELIEVED_FOR_SECONDS = 60
_BELIEVED_AT_MOST = 1_000

_OF_THE_STORE = (
    "(SELECT 1 FROM setting WHERE key = %s), (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s))"
)
"""Whether there are vectors, and whether a view's index is complete."""
_OF_PARTITIONS = "true, NULL"
"""Each partition has an index of its own, and another server has no settings."""

_COLUMNS: Mapping[str, str] = {
    "tenant": "text",
    "id": "text",
    "name": "text",
    "hash": "bytea",
    "embedding": "bytea",
    "checksum": "int8",
}
Found = list[tuple[str, float]]


# Writing ------------------------------------------------------------------------------------------


def add(db: Database, rows: Sequence[tuple[str, str, Mapping[str, Embedded]]], settled: int | None) -> int:
    """Stores the views of memories given as (tenant, id, views). Returns the number of vectors. `settled` is the
    number of dimensions of the stored vectors, None if there are none."""
    flat = [
        (tenant, id, name, embedded.hash, np.asarray(embedded.vector, np.float32))
        for tenant, id, views in rows
        for name, embedded in views.items()
    ]
    if flat:
        _settle(db, len(flat[0][-1]), settled)
        stored = ((row, copy_format.halfvec(vector)) for *row, vector in flat)
        copy_format.append(db, "view", _COLUMNS, ((*row, data, vector_checksum(data)) for row, data in stored))
    return len(flat)


def _settle(db: Database, dim: int, settled: int | None) -> None:
    """Fixes the number of dimensions with the first vectors. The server then refuses vectors of another size."""
    if settled is None:
        with limited(db, None):  # only the owner may alter a table
            db.execute(f"ALTER TABLE view ALTER COLUMN embedding TYPE halfvec({dim})")
            db.execute("INSERT INTO setting VALUES (%s, %s)", (DIMENSIONS, str(dim)))
    elif settled != dim:
        raise StoreError(
            f"the store holds vectors of {settled} dimensions, not of {dim}: change over with `recollect reembed`"
        )


def dimensions(db: Database) -> int | None:
    row = db.execute("SELECT value FROM setting WHERE key = %s", (DIMENSIONS,)).fetchone()
    return None if row is None else int(row[0])


def remove(db: Database, keys: Sequence[tuple[str, str]]) -> None:
    if keys:
        db.execute(
            "DELETE FROM view v WHERE v.tenant = ANY(%s) AND v.id = ANY(%s)",
            (sorted({tenant for tenant, _ in keys}), [id for _, id in keys]),
        )


def drop(db: Database, *, partitioned: bool = False) -> None:
    if partitioned:
        from .partitions import hnsw

        hnsw.drop(db)
    else:
        for name in _indexes(db):
            db.execute(f"DROP INDEX {name}")
        db.execute("TRUNCATE view")
    db.execute("ALTER TABLE view ALTER COLUMN embedding TYPE halfvec")
    db.execute("DELETE FROM setting WHERE key = %s", (DIMENSIONS,))


# The index ----------------------------------------------------------------------------------------


def index_name(view: str, table: str = "view") -> str:
    return f"{table}_hnsw_{blake2s(view.encode(), digest_size=6).hexdigest()}"


def _indexes(db: Database) -> dict[str, bool]:
    """Index name → whether the index is valid. An interrupted build leaves an invalid one."""
    rows = db.execute(
        "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = 'view'::regclass AND starts_with(c.relname, 'view_hnsw_')"
    )
    return dict(rows.fetchall())


def unindexed(db: Database) -> list[str]:
    """The views that are large enough for an index and have none yet."""
    dim = dimensions(db)
    if dim is None or dim > MOST_INDEXED_DIMENSIONS:
        return []
    whole = {name for name, is_whole in _indexes(db).items() if is_whole}
    rows = db.execute("SELECT name FROM view GROUP BY name HAVING count(*) >= %s ORDER BY name", (INDEX_FROM,))
    return [name for (name,) in rows if index_name(name) not in whole]


def build_index(db: Database, view: str, found_in: str) -> None:
    """Builds a view's index while others read and write. Not possible inside a transaction. Replaces an index that an
    interrupted build left. `found_in` is the schema of pgvector."""
    name = index_name(view)
    db.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{name}")
    db.execute(
        f'CREATE INDEX CONCURRENTLY {name} ON {SCHEMA}.view USING hnsw (embedding "{found_in}".halfvec_ip_ops) '
        f"WITH ({BUILD}) WHERE name = {literal(view)}"
    )


def literal(view: str) -> str:
    """The view's name as an SQL literal. The planner uses a view's partial index only with a literal."""
    return "'" + view.replace("'", "''").replace("%", "%%") + "'"


# Searching ----------------------------------------------------------------------------------------


class Searches:
    """Chooses the search method by earlier counts. Outdated counts cost time, but the results stay correct."""

    def __init__(self, *, partitioned: bool = False) -> None:
        self._partitioned = partitioned
        self._indexed: set[str] = set()
        self._few: dict[Filter | None, tuple[bool, float]] = {}
        """Filter → whether it admitted few memories, and when this entry expires."""

    def search(self, db: Database, query: Vector, view: str, filter: Filter, limit: int, floor: float) -> Found:
        if limit < 1:
            return []
        where = compile_filter(filter)
        few = self._admits_few(db, view, filter, where)
        if few is None:
            return []
        found = _nearest(db, query, view, where, limit, exact=few)
        if not few and len(found) < limit:  # the index search ended before enough rows passed the filter
            found = _nearest(db, query, view, where, limit, exact=True)
        return [(id, cosine) for id, cosine in found[:limit] if cosine >= floor]

    def similar(self, db: Database, queries: Vector, view: str, filter: Filter, at_least: float) -> list[Found]:
        where = compile_filter(filter)
        if view in self._indexed and len(queries) < _FETCH_FROM:
            walked = [_walked(db, query, view, where, at_least) for query in queries]
            if None not in walked:
                return [found for found in walked if found is not None]
        few = self._admits_few(db, view, filter, where)
        if few is None or not len(queries):
            return [[] for _ in queries]
        if few and len(queries) >= _FETCH_FROM:
            return _similar_here(db, queries, view, where, at_least)
        return [_similar_there(db, query, view, where, at_least, exact=few) for query in queries]

    def _admits_few(self, db: Database, view: str, filter: Filter, where: Where) -> bool | None:
        """Whether the filter admits few memories; None when there are no vectors at all."""
        shape = replace(filter, live_at=None) if filter.where is None else None  # live_at differs per question
        few, until = self._few.get(shape, (False, 0.0))
        if until > monotonic():
            return few
        counted = f"(SELECT count(*) FROM (SELECT 1 FROM memory m WHERE {where.sql} LIMIT %s) counted)"
        row = db.execute(
            f"SELECT {_OF_PARTITIONS if self._partitioned else _OF_THE_STORE}, {counted}",
            (*(() if self._partitioned else (DIMENSIONS, index_name(view))), *where.values, EXACT_UP_TO + 1),
        ).fetchone()
        assert row is not None
        settled, indexed, count = row
        if indexed:
            self._indexed.add(view)
        if (indexed or self._partitioned) and shape is not None:
            self._believe(shape, count <= EXACT_UP_TO)
        return None if settled is None else count <= EXACT_UP_TO

    def _believe(self, shape: Filter, few: bool) -> None:
        """Remembers whether a filter admits few memories. Only for views that may have an index; others are always
        compared exactly."""
        if len(self._few) >= _BELIEVED_AT_MOST:
            self._few.clear()
        self._few[shape] = few, monotonic() + _BELIEVED_FOR_SECONDS


def _nearest(db: Database, query: Vector, view: str, where: Where, limit: int, *, exact: bool) -> Found:
    # the index is used only if the product alone is the sort key
    order = "(v.embedding <#> %s::halfvec) + 0, v.id" if exact else "v.embedding <#> %s::halfvec"
    rows = db.execute(
        "SELECT v.id, v.embedding FROM view v JOIN memory m ON m.tenant = v.tenant AND m.id = v.id "
        f"WHERE v.name = {literal(view)} AND {where.sql} ORDER BY {order} LIMIT %s",
        (*where.values, _asked(query), limit + _SPARE),
        prepare=False,
        binary=True,
    ).fetchall()
    return _ranked(query, rows)


def _walked(db: Database, query: Vector, view: str, where: Where, at_least: float) -> Found | None:
    """The admitted memories among the nearest ones. None if more memories could be near enough."""
    asked = _asked(query)
    rows = db.execute(
        "SELECT v.id, halfvec_send(v.embedding), v.embedding <#> %s::halfvec <= %s AND EXISTS "
        f"(SELECT 1 FROM memory m WHERE m.tenant = v.tenant AND m.id = v.id AND {where.sql}) "
        f"FROM (SELECT id, tenant, embedding FROM view WHERE name = {literal(view)} "
        f"ORDER BY embedding <#> %s::halfvec LIMIT {_FIRST_SIMILAR}) v",
        (asked, _TIE - at_least, *where.values, asked),  # the plan does not depend on the values
        binary=True,
    ).fetchall()
    admitted = {id for id, _, is_admitted in rows if is_admitted}
    found = _ranked(query, [row[:2] for row in rows])
    if len(found) < _FIRST_SIMILAR or found[-1][1] >= at_least - _TIE:
        return None
    return _above([(id, cosine) for id, cosine in found if id in admitted], at_least)


def _similar_here(db: Database, queries: Vector, view: str, where: Where, at_least: float) -> list[Found]:
    """Fetches all admitted vectors and compares them here. For many queries that is faster than one search each."""
    rows = db.execute(
        "SELECT v.id, v.embedding FROM memory m JOIN view v ON v.tenant = m.tenant AND v.id = m.id "
        f"WHERE v.name = {literal(view)} AND {where.sql}",
        where.values,
        prepare=False,
        binary=True,
    ).fetchall()
    if not rows:
        return [[] for _ in queries]
    near = queries @ halves([data for _, data in rows]).astype(np.float32).T >= at_least - _TIE
    return [
        _above(_ranked(query, [rows[n] for n in np.flatnonzero(hits)]), at_least)
        for query, hits in zip(queries, near, strict=True)
    ]


def _similar_there(db: Database, query: Vector, view: str, where: Where, at_least: float, *, exact: bool) -> Found:
    """Fetches the nearest memories, and more as long as the last of them is near enough."""
    limit = _FIRST_SIMILAR
    while True:
        found = _nearest(db, query, view, where, limit, exact=exact or limit > EXACT_UP_TO)
        if len(found) < limit or found[-1][1] < at_least:
            return _above(found, at_least)
        limit *= 8


def _above(found: Found, at_least: float) -> Found:
    return [(id, cosine) for id, cosine in found if cosine >= at_least]


def _ranked(query: Vector, rows: Sequence[tuple[Any, ...]]) -> Found:
    if not rows:
        return []
    vectors = halves([data for _, data in rows]).astype(np.float64)
    cosines = np.einsum("ij,j->i", vectors, query.astype(np.float64), optimize=False).tolist()
    return sorted(zip((id for id, _ in rows), cosines, strict=True), key=lambda x: (-x[1], x[0]))


def halves(rows: Iterable[bytes]) -> NDArray[np.float16]:
    """Decodes vectors in PostgreSQL's binary format, which begins with the number of dimensions.

    Prepared statements ask for `halfvec_send(embedding)`. The column's own type contains the number of dimensions: with
    the first vectors it changes, and PostgreSQL then refuses statements that were prepared before."""
    listed = list(rows)
    return np.frombuffer(b"".join(row[4:] for row in listed), ">f2").astype(np.float16).reshape(len(listed), -1)


def _asked(query: Vector) -> copy_format.Encoded:
    return copy_format.Encoded(copy_format.halfvec(query))


def by_hash(db: Database, hashes: Iterable[bytes]) -> dict[bytes, Vector]:
    among, wanted = _one_or_any(hashes)
    rows = db.execute(
        f"SELECT DISTINCT ON (hash) hash, halfvec_send(embedding) FROM view WHERE hash {among}", (wanted,), binary=True
    ).fetchall()
    return unpacked(rows)


def _one_or_any(values: Iterable[Any]) -> tuple[str, Any]:
    """A comparison with one or several values, and its binding. With one value, the statement is planned only once."""
    listed = list(values)
    return ("= %s", listed[0]) if len(listed) == 1 else ("= ANY(%s)", listed)


def unpacked(rows: Sequence[tuple[Any, ...]]) -> dict[Any, Vector]:
    if not rows:
        return {}
    made = halves([data for _, data in rows]).astype(np.float32)
    return {key: made[n] for n, (key, _) in enumerate(rows)}
