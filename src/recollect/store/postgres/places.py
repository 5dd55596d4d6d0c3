"""Which tenants a memory may belong to, so that a lookup by id asks one partition and not all of them.

A search knows its tenants, and what it finds belongs to one of them. This is remembered here. It is only a hint: who
misses an id under these tenants asks everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...types import Filter
from .connections import Database
from .schema import INTERNAL

ACROSS = f"{INTERNAL}links_across"
"""The setting that says that a link may connect two tenants. It is never taken back."""
_MOST = 200_000


class Places:
    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}

    def learn(self, ids: Iterable[str], tenants: Iterable[str]) -> None:
        if among := tuple(sorted(set(tenants))):
            if len(self._known) > _MOST:
                self._known.clear()
            self._known.update(dict.fromkeys(ids, among))

    def learn_found(self, ids: Iterable[str], filter: Filter) -> None:
        self.learn(ids, tenants(filter))

    def forget(self, ids: Iterable[str]) -> None:
        for id in ids:
            self._known.pop(id, None)

    def of(self, ids: Iterable[str]) -> list[str] | None:
        """The tenants that these memories may belong to. None if one of them is not known."""
        found: set[str] = set()
        for id in ids:
            if (among := self._known.get(id)) is None:
                return None
            found.update(among)
        return sorted(found)

    def tenant_of(self, db: Database, ids: Iterable[str]) -> Mapping[str, str]:
        """Id → tenant of the memories that are there."""
        wanted = list(dict.fromkeys(ids))
        among = self.of(wanted)
        found = _tenant_of(db, wanted, among)
        if among is not None and (missing := [id for id in wanted if id not in found]):
            found |= _tenant_of(db, missing, None)
        for id, tenant in found.items():
            self.learn([id], [tenant])
        return found


def tenants(filter: Filter) -> list[str]:
    return sorted({path.partition("/")[0] for path in filter.namespaces})


def _tenant_of(db: Database, ids: list[str], among: list[str] | None) -> dict[str, str]:
    if among is None:
        rows = db.execute("SELECT id, tenant FROM memory WHERE id = ANY(%s)", (ids,))
    else:
        rows = db.execute("SELECT id, tenant FROM memory WHERE tenant = ANY(%s) AND id = ANY(%s)", (among, ids))
    return dict(rows.fetchall())


def has_links_across(db: Database) -> bool:
    return db.execute("SELECT 1 FROM setting WHERE key = %s", (ACROSS,)).fetchone() is not None


def note_links_across(db: Database) -> None:
    db.execute("INSERT INTO setting VALUES (%s, 'yes') ON CONFLICT (key) DO NOTHING", (ACROSS,))
