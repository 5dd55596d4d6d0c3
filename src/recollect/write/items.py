"""Stores many memories, each given as a dict of `remember`'s arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .. import checks
from ..embedders.optional import OptionalEmbedder
from ..errors import InvalidInput
from ..progress import progress
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..types import Memory
from . import path
from .build.draft import Draft, stated
from .screening.quarantine import OWNER
from .stamp import Stamp


def remember_many(
    store: Store,
    embedder: OptionalEmbedder,
    items: Iterable[Mapping[str, Any]],
    *,
    namespace: str,
    rules: WriteRules,
    stamp: Stamp,
    show: bool,
) -> list[Memory]:
    """Checks every item before anything is stored. Returns the resulting memories in the order of the items."""
    drafts = checks.each("item", items, lambda item: _draft(item, namespace, stamp))
    stored: list[Memory] = []
    with progress("remembering", len(drafts), show) as advance:
        for batch in path.remember(store, embedder, drafts, rules=rules, stamp=stamp):
            stored += batch
            advance(len(batch))
    return stored


def _draft(item: Mapping[str, Any], namespace: str, stamp: Stamp) -> Draft:
    if not isinstance(item, Mapping):
        raise InvalidInput(f"an item must be a dict of remember's arguments, not {type(item).__name__}")
    origin = stamp.origin or OWNER
    memory = checks.memory(item, namespace=namespace, now=stamp.at, origin=origin, trust=stamp.trust)
    return stated(memory, merge=bool(item.get("dedup", True)))
