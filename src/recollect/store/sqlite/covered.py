"""Which columns of a row its checksum covers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import StoreDamaged
from ..checksums import row_checksum
from ..sql.rows import COLUMNS, COUNTERS
from ..tables import KINDS, columns

if TYPE_CHECKING:
    from .connections import Database

MEMORY = (*(name for name in COLUMNS if name not in COUNTERS), "digest", "about")
"""Every recall changes the counters, and the tenant is a part of the namespace. Neither is covered."""
COVERED: Mapping[str, tuple[str, ...]] = {
    "memory": MEMORY,
    "link": ("a", "b", "kind", "weight", "created_at"),
    "event": ("id", "at", "actor", "action", "namespace", "detail", "undone_by", "hash"),
    "revision": ("event", "memory_id", "before"),
    "recall": ("id", "at", "actor", "namespace", "query", "recipe", "rejected", "confidence"),
    "recalled": ("recall", "memory_id", "rank", "score"),
    "feedback": ("recall", "memory_id", "used", "outcome", "strength", "importance", "at"),
    **{kind.TABLE: columns(kind) for kind in KINDS},
}
"""Table → the columns that its checksum covers, in this order. The table `vector` has the checksum of its data."""


def summed(table: str, **given: str) -> str:
    """SQL for the checksum of a row; `given` are expressions for columns that are about to change."""
    return f"row_checksum({', '.join(given.get(name, name) for name in COVERED[table])})"


def fill(db: Database) -> None:
    """Computes all checksums again."""
    db.execute("UPDATE vector SET checksum = vector_checksum(data)")
    for table in COVERED:
        db.execute(f"UPDATE {table} SET checksum = {summed(table)}")


VECTOR_GENERATION, MEMORY_GENERATION = "vector_generation", "memory_generation"
"""Settings that count the changes of stored vectors and memories. The second is missing until there is one."""


def is_covered(table: str, key: object) -> bool:
    """Whether the row has a checksum. SQL counts up the generations."""
    return table != "setting" or key not in (VECTOR_GENERATION, MEMORY_GENERATION)


def intact(*values: Any) -> bool:  # noqa: ANN401 - what columns hold
    """True. A function of SQL (table, checksum, covered columns) that raises StoreDamaged if the checksum is wrong."""
    table, checksum, *covered = values
    if is_covered(table, covered[0]) and not sums_agree(covered, checksum):
        raise StoreDamaged(
            f"a row of the table {table} is damaged: its checksum is wrong. `recollect check` finds every damage, "
            "`recollect recover` saves the rest"
        )
    return True


def sums_agree(covered: Iterable[object], checksum: object) -> bool:
    return row_checksum(covered) == checksum
