"""Copies a whole store into another one, and verifies the copy.

Each page is one transaction of the target, which also stores the mark of the page. So an interrupted copy continues
after the last stored page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

from ..errors import StoreError
from ..types import plain
from . import chain
from .protocol import Store
from .tables import COPYING, Mark, Row
from .values import Batch, Put, RecallRecord

PAGE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """The number of rows of a kind, and a checksum that does not depend on their order."""

    count: int
    checksum: str


# Copying ------------------------------------------------------------------------------------------


def copy(source: Store, target: Store, advance: Callable[[int], None]) -> None:
    """Copies everything except the pages that an earlier attempt copied. Call `finish` once the copy is verified."""
    after = _mark(source, target)
    if after is None:  # noted first, so that half a copy is never taken for a whole one
        after = ""
        target.write(Batch(rows=[Mark(task=COPYING, namespace=source.url, value=after)]))
    if chain.head(source) is not None:
        chain.begin(target)  # the copied events are chained as they arrive
    while True:
        batch, mark = source.dump(after, limit=PAGE)
        if not mark:
            break
        with target.transaction():
            target.write(batch)
            target.write(Batch(rows=[Mark(task=COPYING, namespace=source.url, value=mark)]))
        if batch.puts:
            advance(len(batch.puts))
        after = mark


def finish(target: Store) -> None:
    """Deletes the mark of the copy, because the copy is complete."""
    target.delete_rows(Mark, task=COPYING)


def check_whole(store: Store) -> None:
    """Raises StoreError if a copy into this store was interrupted: it may lack the newest memories."""
    for row in store.rows(Mark, task=COPYING):
        raise StoreError(
            f"{store.url} is an unfinished copy of {row.namespace}: "
            f"run `recollect migrate {row.namespace} {store.url}` again, it continues where it stopped"
        )


def is_begun(source: Store, target: Store) -> bool:
    """Whether a copy from this source to this target was interrupted."""
    return _mark(source, target) is not None


def _mark(source: Store, target: Store) -> str | None:
    return next((row.value for row in target.rows(Mark, task=COPYING, namespace=source.url)), None)


# Verifying ----------------------------------------------------------------------------------------


def sums(store: Store) -> dict[str, Sum]:
    """Kind → its sum. Two stores with equal sums have the same content."""
    totals: dict[str, list[int]] = {kind: [0, 0] for kind in ROWS}
    for batch in pages(store):
        for kind, rows in ROWS.items():
            for row in rows(batch):
                totals[kind][0] += 1
                totals[kind][1] += _checksum(row)
    return {kind: Sum(count=count, checksum=f"{total % (1 << 128):032x}") for kind, (count, total) in totals.items()}


def pages(store: Store) -> Iterator[Batch]:
    """Everything in the store, page by page."""
    after = ""
    while True:
        batch, after = store.dump(after, limit=PAGE)
        if not after:
            return
        yield batch


def _checksum(row: object) -> int:
    made = json.dumps(plain(row), ensure_ascii=False, sort_keys=True)
    return int.from_bytes(blake2b(made.encode(), digest_size=16).digest())


def _memory(put: Put) -> Any:  # noqa: ANN401 - JSON
    terms = None if put.document is None else asdict(put.document)
    return [put.memory.to_dict(), terms, put.digest.hex() if put.digest else None, put.about]


def _vectors(put: Put) -> Iterator[Any]:
    for name, embedded in (put.vectors or {}).items():
        yield [put.memory.id, name, embedded.hash.hex(), blake2b(embedded.vector.tobytes()).hexdigest()]


def _recall(record: RecallRecord) -> Any:  # noqa: ANN401 - JSON
    return [asdict(record.entry), [asdict(said) for said in record.feedback], record.feedback_at]


def _row(row: Row) -> Any:  # noqa: ANN401 - JSON
    return [row.TABLE, asdict(row)]


ROWS: dict[str, Callable[[Batch], Iterable[Any]]] = {
    "memories": lambda batch: map(_memory, batch.puts),
    "vectors": lambda batch: (row for put in batch.puts for row in _vectors(put)),
    "links": lambda batch: (link.to_dict() for link in batch.links),
    "events": lambda batch: (event.to_dict() for event in batch.events),
    "recalls": lambda batch: map(_recall, batch.recalls),
    "settings": lambda batch: map(_row, batch.rows),
}
"""Kind → a function that gives the batch's rows of that kind as JSON."""
