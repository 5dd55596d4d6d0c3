"""The event log as a hash chain: each event's hash covers what the event says and the hash before it.

A store has a chain while it has the setting `HEAD`. The hash covers only what `purge` leaves: ids, names and numbers,
not the old texts of a change. docs/chain.md says how to compute it with other tools.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC
from hashlib import sha256
from itertools import accumulate
from typing import TYPE_CHECKING

from ..types import Event, plain
from .settings import setting
from .tables import CHAIN, Setting
from .values import Batch

if TYPE_CHECKING:
    from .protocol import Store

HEAD = f"{CHAIN}head"
"""The setting with the hash of the last event."""
FIRST = f"{CHAIN}first"
"""The setting with the id of the first event in the chain; empty while there is none."""
START = "0" * 64
"""The hash before the first event."""


def next_hash(before: str, event: Event) -> str:
    """The event's hash, given the hash of the event before it."""
    return sha256(f"{before}\n{_content(event)}".encode()).hexdigest()


def next_hashes(before: str, events: Sequence[Event]) -> list[str]:
    return list(accumulate(events, next_hash, initial=before))[1:]


def _content(event: Event) -> str:
    # `undone_by` is left out, because a later event sets it
    memories = sorted({change.memory_id for change in event.changes})
    named = [event.id, event.at.astimezone(UTC), event.actor, event.action, event.namespace, event.detail, memories]
    return json.dumps(plain(named), sort_keys=True, separators=(",", ":"))


def moved(before: str, events: Sequence[Event], hashes: Sequence[str]) -> list[Setting]:
    """The settings of the chain after these events."""
    first = [Setting(key=FIRST, value=events[0].id)] if before == START else []
    return [*first, Setting(key=HEAD, value=hashes[-1])]


# The switch ---------------------------------------------------------------------------------------


def head(store: Store) -> str | None:
    """The hash of the last event; None if the store has no chain."""
    return setting(store, HEAD)


def begin(store: Store) -> None:
    """The next event is the first of the chain. A chain that has begun goes on."""
    with store.transaction():
        if head(store) is None:
            store.write(Batch(rows=[Setting(key=FIRST, value=""), Setting(key=HEAD, value=START)]))


def end(store: Store) -> None:
    with store.transaction():
        for key in (FIRST, HEAD):
            store.delete_rows(Setting, key=key)
