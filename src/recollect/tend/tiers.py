"""Tiers: pinned memories are always loaded, searchable ones are searched, archived ones are searched last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from ..embedders.optional import OptionalEmbedder
from ..errors import InvalidInput
from ..store.protocol import Store
from ..text.tokens import estimate_tokens
from ..types import Filter, Granularity, Memory, Status
from ..write.changes import revise
from ..write.changes.leave import hidden, leave
from ..write.changes.leaving import leaving
from ..write.changes.owners import check_pinned
from ..write.changes.pages import EventChain, pages
from ..write.stamp import Stamp
from .last_used import idle, setting, sweep
from .retention import Rules, is_past_retention

ARCHIVE_AFTER_DAYS = 30
COMPLETE_AFTER_DAYS = 7
"""Both from Siestai."""
TOO_IMPORTANT_TO_ARCHIVE = 0.8
PINNED_TOKENS = 4_000
"""Pinned memories are part of every prompt, so they must leave room (the article on three tiers: 2,000–4,000)."""

_MAY_EXPIRE: tuple[Status, ...] = ("active", "superseded", "contradicted", "consolidated", "completed")


def check_room(store: Store, memory: Memory) -> None:
    """Refuses to pin a memory if the pinned memories of its namespace would have too many tokens."""
    here = Filter(namespaces=(memory.namespace,), exact=True, statuses=("active",), tiers=("pinned",))
    others = [m for m in store.scan(here) if m.id != memory.id]
    used, wanted = sum(estimate_tokens(m.text) for m in others), estimate_tokens(memory.text)
    if used + wanted > PINNED_TOKENS:
        raise InvalidInput(
            f"{memory.id} can't be pinned: it has {wanted:,} tokens and the {len(others)} pinned memories of "
            f"{memory.namespace!r} have {used:,}, together more than {PINNED_TOKENS:,}; unpin one or shorten it"
        )


def check_update(store: Store, memory_id: str, fields: Mapping[str, Any]) -> None:
    """Does the same check for an update that pins a memory or makes a pinned one longer."""
    if fields.get("tier") != "pinned" and "text" not in fields:
        return
    memory = revise.one(store, memory_id)
    text = fields.get("text", memory.text)
    if fields.get("tier", memory.tier) == "pinned" and isinstance(text, str):
        check_room(store, replace(memory, text=text))


def expire(
    store: Store, embedder: OptionalEmbedder, namespace: str, rules: Rules, stamp: Stamp, *, preview: bool
) -> list[str]:
    """Sets the status `expired` on memories past their `expires_at` or their namespace's retention, and on what was
    made from them."""

    def do(chosen: Sequence[Memory]) -> Sequence[Memory]:
        if preview:
            return [before for before, _ in hidden(leaving(store, "expire", stamp.within).name(chosen))]
        changed = leave(store, embedder, chosen, stamp, verb="expire")
        return [memory for memory in changed if memory.status == "expired"]

    within = Filter(namespaces=(namespace,), statuses=_MAY_EXPIRE)
    due = partial(_expired, rules=rules, at=stamp.at)
    return sweep(store, within, due, do, preview=preview)


def _expired(page: Sequence[Memory], rules: Rules, at: datetime) -> list[Memory]:
    return [memory for memory in page if _has_expired(memory, rules, at)]


def _has_expired(memory: Memory, rules: Rules, at: datetime) -> bool:
    if memory.expires_at is not None:
        return memory.expires_at <= at
    return is_past_retention(memory, rules, at)


def complete(
    store: Store, namespace: str, stamp: Stamp, *, preview: bool, skip: frozenset[str] = frozenset()
) -> list[str]:
    """Sets the status `completed` on tasks that were not used for a week."""
    within = Filter(namespaces=(namespace,), statuses=("active",), tiers=("searchable", "archived"), kinds=("task",))
    return sweep(
        store,
        within,
        lambda page: idle(store, page, stamp.at, COMPLETE_AFTER_DAYS),
        setting(store, "complete", stamp, preview=preview, status="completed"),
        preview=preview,
        skip=skip,
    )


def archive_idle(
    store: Store, namespace: str, stamp: Stamp, *, preview: bool, skip: frozenset[str] = frozenset()
) -> list[str]:
    """Archives what was said and not used for 30 days, except important messages. Age alone archives no memory and no
    fact: what somebody stated may be asked for at any time."""
    spoken: tuple[Granularity, ...] = ("turn", "round", "session")
    within = Filter(namespaces=(namespace,), statuses=("active",), tiers=("searchable",), granularities=spoken)
    return sweep(
        store,
        within,
        lambda page: [
            m for m in idle(store, page, stamp.at, ARCHIVE_AFTER_DAYS) if m.importance < TOO_IMPORTANT_TO_ARCHIVE
        ],
        setting(store, "archive", stamp, preview=preview, tier="archived"),
        preview=preview,
        skip=skip,
    )


def archive(store: Store, memories: Sequence[Memory], stamp: Stamp, *, named: bool, preview: bool) -> Sequence[Memory]:
    """Archives these memories, whatever their age; pinned ones only if they were named by their id.
    `update(id, tier="searchable")` reverts it."""
    spared = ("archived",) if named else ("archived", "pinned")
    chosen = [memory for memory in memories if memory.tier not in spared and memory.status != "forgotten"]
    if preview:
        return chosen
    check_pinned(chosen, stamp)
    changed: list[Memory] = []
    chain = EventChain()
    for page in pages(chosen):
        with store.transaction():
            held = list(store.get(memory.id for memory in page).values())
            changed += revise.change(store, held, "archive", stamp, chain, tier="archived")
    return changed
