"""What is left of the hash chain in a damaged file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..store.chain import HEAD, START, next_hash, next_hashes
from ..store.sqlite.salvage.rows import Salvaged
from ..types import Event

_OF_SETTINGS = {"setting", "sqlite_schema"}
_OF_EVENTS = {"event", "revision", "sqlite_schema"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hashed:
    """An event and its hash in the damaged file."""

    event: Event
    hash: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedChain:
    start: int
    """The place of the chain's first event among those that were saved."""
    kept: bool
    """Whether the saved events give the same hashes. Otherwise the chain begins anew."""


def saved_chain(found: Salvaged, log: Sequence[Hashed], lost: Collection[str]) -> SavedChain | None:
    """The chain over the saved events; None if the file had none. `lost` are the tables that lost rows."""
    head = _head(found)
    if head is None and not (log and log[-1].hash and _OF_SETTINGS.intersection(lost)):
        return None
    start = _start(log, head)
    hashes = [START, *next_hashes(START, [each.event for each in log[start:]])]
    same = hashes[1:] == [each.hash for each in log[start:]]
    ends = hashes[-1] == head if head is not None else not _OF_EVENTS.intersection(lost)
    return SavedChain(start=start, kept=same and ends)


def _head(found: Salvaged) -> str | None:
    row = found.rows.get("setting", {}).get((HEAD,))
    return row.values["value"] if row is not None and row.whole else None


def _start(log: Sequence[Hashed], head: str | None) -> int:
    """The newest event whose hash is that of a first one. If it is lost, the chain begins with the whole log."""
    if head == START:
        return len(log)
    first = (n for n, each in enumerate(log) if each.hash and each.hash == next_hash(START, each.event))
    return max(first, default=0)
