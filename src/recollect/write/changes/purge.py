"""Removes memories permanently, with everything that was made from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ...embedders.optional import OptionalEmbedder
from ...namespaces import common
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Change, Event, Memory
from ..build.put import fields_only
from ..screening.quarantine import OWNER
from ..stamp import Stamp, difference
from .follow import around, refresh
from .leave import noted
from .leaving import Leaving, leaving
from .owners import check_leaving
from .pages import PAGE, pages


def purge(store: Store, embedder: OptionalEmbedder, memories: Sequence[Memory], stamp: Stamp) -> list[Memory]:
    """Purges page by page. Returns the purged memories as they were. The log keeps only their ids and the event."""
    if stamp.trust != OWNER:
        check_leaving(leaving(store, "purge", stamp.within).name(memories), stamp)  # before the first page
    gone: dict[str, Memory] = {}
    rest = {memory.id: memory for memory in memories}
    while rest:
        page = list(islice(rest.values(), PAGE))
        with store.transaction():
            plan = leaving(store, "purge", stamp.within, set(rest)).name(page).settle()
            done = {memory.id for memory in page} | plan.going.keys() | plan.kept.keys()
            rest = {id: memory for id, memory in rest.items() if id not in done}
            _purge(store, embedder, plan, stamp, more=bool(rest))
        gone |= plan.going
    return list(gone.values())


def preview(store: Store, memories: Sequence[Memory], stamp: Stamp) -> list[Memory]:
    """What `purge` would remove."""
    found: dict[str, Memory] = {}
    named = {memory.id: memory for memory in memories}
    for page in pages(memories):
        found |= leaving(store, "purge", stamp.within, named.keys()).name(page).going
    return list(found.values())


def _purge(store: Store, embedder: OptionalEmbedder, plan: Leaving, stamp: Stamp, *, more: bool) -> None:
    if not plan.going:
        return
    check_leaving(plan, stamp)
    going = list(plan.going.values())
    beside = {*around(store, going), *plan.kept} - plan.going.keys()
    event = stamp.event("purge", common(m.namespace for m in going), detail={"purged": list(plan.going)})
    puts = [fields_only(after) for _, after in plan.changed]
    store.write(Batch(puts=puts, links=plan.links, events=list(_events(plan, stamp))))
    store.purge(plan.going, event, more=more)
    refresh(store, embedder, beside)


def _events(plan: Leaving, stamp: Stamp) -> Iterator[Event]:
    """The events of what stays. Those of facts hold no former values: these would describe the purged turn."""
    held = plan.near.memories
    hidden = sorted(id for id, after in plan.kept.items() if after.status != held[id].status)
    moved = sorted(id for id, after in plan.kept.items() if after != held[id] and id not in hidden)
    back = [difference(plan.kept.get(id, held[id]), plan.back[id]) for id in sorted(plan.back)]
    why = "a turn that states it was purged"
    status = [Change(memory_id=id, before={"status": held[id].status}) for id in hidden]
    yield from _automatic("forget", why, status, plan, stamp)
    yield from _automatic("update", why, [Change(memory_id=id, before={}) for id in moved], plan, stamp)
    yield from _automatic("restore", "what replaced it was purged", back, plan, stamp)


def _automatic(action: str, why: str, changes: Sequence[Change], plan: Leaving, stamp: Stamp) -> Iterator[Event]:
    if changes:
        ids = [change.memory_id for change in changes]
        place = common(plan.near.memories[id].namespace for id in ids)
        linked = [[link.a, link.b, link.kind] for link in plan.links if link.b in ids]
        detail = {"why": why, "automatic": True, **noted(ids), **({"linked": linked} if linked else {})}
        yield stamp.event(action, place, changes, detail)
