"""Copies a store into another one: ids, vectors, links, history, recalls, feedback and statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Conflict, InvalidInput, NotFound
from ..store import open_store
from ..store.copying import copy, finish, is_begun, sums
from ..store.protocol import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """The result of a migration. Each count was verified with a checksum."""

    source: str
    target: str
    counts: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        return {"source": self.source, "target": self.target, "counts": self.counts}


def migrate(
    source: str, target: str, begin: Callable[[int], Callable[[int], None]] = lambda total: lambda count: None
) -> Migrated:
    """Copies all of SOURCE into an empty TARGET and verifies the copy. An interrupted copy can be continued.

    `begin` takes the number of memories to copy. It returns a function that takes the number of memories of each page.
    """
    if source == target:
        raise InvalidInput("source and target are the same store")
    if "://" not in source and not Path(source).exists():
        raise NotFound(f"there is no store at {source}")
    one = open_store(source)
    try:
        other = open_store(target)
        try:
            _copy(one, other, begin)
            proved = _proved(one, other)
            finish(other)
            return proved
        finally:
            other.close()
    finally:
        one.close()


def _copy(source: Store, target: Store, begin: Callable[[int], Callable[[int], None]]) -> None:
    held, total = target.counts(()), source.counts(()).memories
    if (held.memories or held.events or held.recalls) and not is_begun(source, target):
        if held.memories == total and sums(source) == sums(target):
            return  # an earlier run was killed after its last step
        raise InvalidInput(
            f"{target.url} holds {held.memories:,} memories already: migrate into an empty store "
            "(`recollect export` and `recollect import` add to one)"
        )
    with target.loading():
        copy(source, target, begin(total - held.memories))


def _proved(source: Store, target: Store) -> Migrated:
    expected, found = sums(source), sums(target)
    for kind, held in expected.items():
        if found[kind] != held:
            raise Conflict(
                f"{kind} differ after the move ({held.count:,} in {source.url}, {found[kind].count:,} in "
                f"{target.url}): something wrote to one of them meanwhile; stop that, empty the target and "
                "migrate again"
            )
    return Migrated(source=source.url, target=target.url, counts={kind: held.count for kind, held in expected.items()})
