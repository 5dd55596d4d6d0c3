"""Turns the hash chain of the event log on and off."""

from __future__ import annotations

from ..store import chain
from ..store.protocol import Store


def switched(store: Store, on: bool | None) -> str | None:
    """The head of the chain after the switch. With None, nothing is switched."""
    if on is not None:
        (chain.begin if on else chain.end)(store)
    return chain.head(store)
