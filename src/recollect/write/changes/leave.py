"""Memories go out of sight, with everything that was made from them: forgotten or expired."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...embedders.optional import OptionalEmbedder
from ...namespaces import common
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Memory, Status
from ..build.put import fields_only
from ..screening.quarantine import OWNER
from ..stamp import Stamp, difference
from .follow import refresh
from .leaving import Leaving, Verb, leaving
from .owners import check_leaving
from .pages import EventChain, pages

STATUS: Mapping[Verb, Status] = {"forget": "forgotten", "expire": "expired", "undo": "forgotten"}

Pairs = list[tuple[Memory, Memory]]
"""Memories before and after a change."""


def leave(
    store: Store,
    embedder: OptionalEmbedder,
    memories: Sequence[Memory],
    stamp: Stamp,
    *,
    verb: Verb = "forget",
    chain: EventChain | None = None,
    also: Collection[str] = (),
) -> list[Memory]:
    """Hides memories and what was made from them, in one event per namespace. Returns all changed memories: first the
    hidden ones, then those that stay or hold again. `also`: those of the pages to come, after those of the chain."""
    chain = chain or EventChain()
    with store.transaction():
        plan = leaving(store, verb, stamp.within, also).name(memories).settle()
        check_leaving(plan, stamp)
        pairs = [*hidden(plan), *plan.changed]
        for namespace, some in _by_event(pairs, memories).items():
            followed = sorted(after.id for _, after in some if after.id in plan.followed or after.id in plan.kept)
            detail = {**noted(followed), **chain.detail(namespace)}
            event = stamp.event(verb, namespace, [difference(*pair) for pair in some], detail)
            store.write(Batch(puts=[fields_only(after) for _, after in some], events=[event]))
            chain.add(event)
        refresh(store, embedder, plan.kept)
    return [after for _, after in pairs]


def forget(store: Store, embedder: OptionalEmbedder, memories: Sequence[Memory], stamp: Stamp) -> list[Memory]:
    """Forgets memories page by page. Returns all changed memories."""
    if stamp.trust != OWNER:
        check_leaving(leaving(store, "forget", stamp.within).name(memories), stamp)  # before the first page
    changed: dict[str, Memory] = {}
    chain, ids = EventChain(), [memory.id for memory in memories]
    rest = set(ids)
    for page in pages(ids):
        rest.difference_update(page)
        with store.transaction():
            held = store.get(page)
            named = [held[id] for id in page if id in held and held[id].status != "forgotten"]
            done = leave(store, embedder, named, stamp, chain=chain, also=frozenset(rest)) if named else []
        changed |= {memory.id: memory for memory in done}
    return list(changed.values())


def hidden(plan: Leaving) -> Pairs:
    """The memories that go, before and after."""
    status = STATUS[plan.verb]
    return [(m, replace(m, status=status)) for m in plan.going.values() if m.status not in (status, "forgotten")]


def noted(followed: Sequence[str]) -> dict[str, Sequence[str]]:
    """An event's detail: the memories that changed because of others."""
    return {"followed": list(followed)} if followed else {}


def _by_event(pairs: Pairs, named: Sequence[Memory]) -> dict[str, Pairs]:
    """Namespace of the event → its changes. Memories of several namespaces are several events."""
    if pairs and len({memory.namespace for memory in named}) == 1:
        return {common(before.namespace for before, _ in pairs): pairs}
    found: dict[str, Pairs] = {}
    for pair in pairs:
        found.setdefault(pair[0].namespace, []).append(pair)
    return found
