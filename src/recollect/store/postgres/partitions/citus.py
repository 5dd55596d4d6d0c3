"""The statements that distribute the tables with Citus, and whether its rules allow them.

Citus distributes a table by one column. Each unique key must contain that column. A foreign key must contain it too,
and lead to a table that is distributed in the same way; it may not follow an update of the column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...tables import KINDS
from ..schema import SCHEMA
from .layout import TABLES
from .shape import Shape

_COLUMN = "tenant"
SHARDS = 32


def statements(shapes: Mapping[str, Shape], shards: int = SHARDS) -> list[str]:
    """What an administrator runs once, in a database with the extension and with the store's tables."""
    first, *others = TABLES
    return [
        *(
            f"ALTER TABLE {SCHEMA}.{table} DROP CONSTRAINT {reference.name};"
            for table, shape in shapes.items()
            for reference in shape.references
            if reference.cascades
        ),
        *(f"SELECT create_reference_table('{SCHEMA}.{table}');" for table in small_tables()),
        f"SELECT create_distributed_table('{SCHEMA}.{first}', '{_COLUMN}', shard_count => {shards});",
        *(
            f"SELECT create_distributed_table('{SCHEMA}.{table}', '{_COLUMN}', colocate_with => '{SCHEMA}.{first}');"
            for table in others
        ),
    ]


def small_tables() -> list[str]:
    """The tables without a tenant. Every server gets a copy of them."""
    return [kind.TABLE for kind in KINDS]


def objections(shapes: Iterable[Shape]) -> list[str]:
    """What Citus would refuse. Foreign keys that `statements` drops are left out."""
    return [found for shape in shapes for found in _objections(shape)]


def _objections(shape: Shape) -> Iterable[str]:
    if _COLUMN not in dict(shape.columns):
        yield f"{shape.table} has no column {_COLUMN}"
    for key in shape.keys:
        if _COLUMN not in key.columns:
            yield f"{shape.table}: {key.sql} does not contain {_COLUMN}"
    for reference in shape.references:
        if reference.to not in TABLES:
            yield f"{shape.table}: {reference.name} leads to {reference.to}, which is not distributed"
        elif _COLUMN not in reference.columns:
            yield f"{shape.table}: {reference.name} does not contain {_COLUMN}"
