"""Retention rules: how long and how many memories a namespace keeps. A namespace without a rule uses the one above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TypeAlias

from .. import checks
from ..store.protocol import Store
from ..store.tables import RetentionRule
from ..store.values import Batch
from ..types import Filter, Memory, Retention
from ..write.changes import revise
from ..write.changes.pages import EventChain, pages
from ..write.stamp import Stamp
from .last_used import last_touched

Rules: TypeAlias = Mapping[str, Retention]
"""Namespace → its rule."""


def rules(store: Store) -> dict[str, Retention]:
    return {
        row.namespace: Retention(expires_after_days=row.expires_after_days, most_memories=row.most_memories)
        for row in store.rows(RetentionRule)
    }


def set_rule(store: Store, namespace: str, rule: Retention) -> None:
    store.write(Batch(rows=[RetentionRule(namespace=namespace, **asdict(rule))]))


def limited(store: Store, namespace: str, expires_after_days: int | None, most_memories: int | None) -> Retention:
    """Checks a rule and sets it. None means no limit."""
    given = {"expires_after_days": expires_after_days, "most_memories": most_memories}
    rule = Retention(**{name: None if value is None else checks.count(name, value) for name, value in given.items()})
    set_rule(store, namespace, rule)
    return rule


def nearest_rule(namespace: str, known: Rules) -> str | None:
    """The namespace itself, or the nearest above it, that has a rule; None if there is none."""
    parts = namespace.split("/")
    paths = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((path for path in paths if path in known), None)


def is_past_retention(memory: Memory, known: Rules, at: datetime) -> bool:
    """Whether the memory is older than its namespace's rule allows. Pinned memories do not expire by rule."""
    ruled_by = nearest_rule(memory.namespace, known)
    days = known[ruled_by].expires_after_days if ruled_by is not None else None
    if days is None or memory.tier == "pinned":
        return False
    return at - memory.created_at >= timedelta(days=days)


def archive_surplus(
    store: Store,
    within: str,
    known: Rules,
    stamp: Stamp,
    *,
    preview: bool,
    skip: frozenset[str] = frozenset(),
    faded: Mapping[str, Memory] = MappingProxyType({}),
) -> list[str]:
    """Archives the least valuable memories until every namespace has at most as many as its rule allows. In a preview,
    `faded` holds the memories that decay would have changed."""
    archived: list[str] = []
    for namespace, rule in sorted(known.items()):
        if rule.most_memories is None or not f"{namespace}/".startswith(f"{within}/"):
            continue
        inside = [faded.get(memory.id, memory) for memory in _in_sight(store, namespace, known, skip)]
        surplus = [memory.id for memory in _surplus(inside, rule.most_memories)]
        archived += surplus if preview else _archive(store, surplus, stamp)
    return archived


def _archive(store: Store, ids: Sequence[str], stamp: Stamp) -> list[str]:
    """Page by page. Memories that were changed since they were chosen stay."""
    done, chain = [], EventChain()
    for page in pages(ids):
        with store.transaction():
            held = store.get(page, Filter(statuses=("active",), tiers=("searchable",)))
            done += [m.id for m in revise.change(store, held.values(), "archive", stamp, chain, tier="archived")]
    return done


def _in_sight(store: Store, namespace: str, known: Rules, skip: frozenset[str]) -> list[Memory]:
    inside = store.scan(Filter(namespaces=(namespace,), statuses=("active",), tiers=("pinned", "searchable")))
    return [m for m in inside if m.id not in skip and nearest_rule(m.namespace, known) == namespace]


def _surplus(memories: Sequence[Memory], most: int) -> list[Memory]:
    """The least important and weakest memories, then the longest unused. Never pinned ones."""
    unpinned = [memory for memory in memories if memory.tier != "pinned"]
    ranked = sorted(unpinned, key=lambda m: (m.importance * m.strength, last_touched(m), m.id))
    return ranked[: max(0, len(memories) - most)]
