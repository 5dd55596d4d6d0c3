"""Adds events to the hash chain of the log, and verifies the chain. `store/chain.py` has the hash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...types import Event
from ..chain import FIRST, HEAD, START, moved, next_hash, next_hashes
from ..tables import Setting
from ..values import Finding
from . import journal, tables
from .dialect import Database, Dialect

PAGE = 1_000
_MEND = (
    "somebody changed the log with another program: compare it with a backup; "
    "`recollect chain off` and `recollect chain on` begin a new chain"
)


def held(db: Database, dialect: Dialect, key: str) -> str | None:
    return next((row.value for row in tables.rows(db, dialect, Setting, {"key": key})), None)


def extend(db: Database, dialect: Dialect, events: Sequence[Event], head: str | None) -> Sequence[str | None]:
    """The hashes of new events after this head. The caller holds the write lock, so no other event comes between."""
    if head is None or not events:
        return [None] * len(events)
    hashes = next_hashes(head, events)
    tables.write(db, dialect, moved(head, events, hashes))
    return hashes


def verify(db: Database, dialect: Dialect, known: str | None = None) -> list[Finding]:
    """Computes every hash again. `known` is an earlier head, which must still be in the chain."""
    head = held(db, dialect, HEAD)
    if head is None:
        return [] if known is None else [_finding("the event log has no chain, so the given head can't be in it")]
    try:
        passed = known in (None, START)
        last = START
        for last in _hashes(db, dialect, head):
            passed = passed or last == known
    except _Misfit as misfit:
        return [_finding(str(misfit))]
    found = [] if last == head else [_finding("events were removed or added at the end of the log")]
    return found if passed else [*found, _finding(f"the chain does not contain {known}: the log was written anew")]


class _Misfit(Exception):
    """The first event that does not fit the chain."""


def _hashes(db: Database, dialect: Dialect, head: str) -> Iterator[str]:
    """The hashes of the chain, each as it must be. Raises _Misfit."""
    before = START
    for event, hash in _chained(db, dialect, head):
        if hash is None:
            raise _Misfit(f"event {event.id} ({event.action}) has no hash: it was not written by recollect")
        if hash != next_hash(before, event):
            raise _Misfit(
                f"event {event.id} ({event.action}) does not fit the chain: "
                "it was changed or inserted, or an event before it was removed"
            )
        yield (before := hash)


def _chained(db: Database, dialect: Dialect, head: str) -> Iterator[tuple[Event, str | None]]:
    """The events since the chain began, in the order of the log, page by page."""
    first = held(db, dialect, FIRST)
    at = journal.position(db, dialect, first or "")
    if at is None:
        if head != START:
            raise _Misfit(f"event {first}, the first of the chain, was removed from the log")
        return
    after = at - 1
    while page := journal.chained_page(db, dialect, after, PAGE):
        yield from ((event, hash) for _, event, hash in page)
        after = page[-1][0]


def _finding(what: str) -> Finding:
    return Finding(what=what, count=1, mend=_MEND, chain=True)
