"""Finds the memories that a caller names: by id, by filters, by their links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from .. import checks
from ..checks.keywords import Listing
from ..errors import InvalidInput
from ..store.protocol import Store
from ..store.values import Access, RecallHit
from ..types import VISIBLE, Event, Filter, Link, Memory
from ..write.changes.revise import one as whole_id
from .ids import memory_id
from .question import filter_of
from .reasons import with_values


def one(store: Store, id: str) -> Memory:
    """The memory with this id, or whose id is the only one to begin like this."""
    return whole_id(store, memory_id(store, id))


def accessed(store: Store, id: str, at: datetime) -> Memory:
    """The same, and counts as an access where the store can be written."""
    memory = one(store, id)
    if store.read_only:
        return memory
    store.record(Access(memory_id=memory.id, at=at))
    return whole_id(store, memory.id)


def chosen(store: Store, own: str, id: str | None, filters: Mapping[str, Any]) -> Sequence[Memory]:
    """One by id, or all that the filters admit. Refuses to mean everything by naming nothing."""
    if id is not None:
        return [one(store, id)]
    if not any(filters.values()):  # an empty list of tags names nothing either
        raise InvalidInput("name an id or at least one filter (such as namespace=… for all of a namespace)")
    return store.scan(filter_of(own, filters), order="id")


def inside(store: Store, namespace: str, id: str | None, filters: Mapping[str, Any]) -> Sequence[Memory]:
    """The memories of a namespace and those below it: one by id, those that the filters admit, or all."""
    if "namespace" in filters or "namespaces" in filters:
        raise InvalidInput("the namespace to move from is given already: leave out the filters for namespaces")
    within = filter_of(namespace, filters)
    if id is None:
        return store.scan(within, order="id")
    memory = one(store, id)
    if not store.get([memory.id], within):
        raise InvalidInput(f"{memory.id} is in {memory.namespace!r}, not in {namespace!r}")
    return [memory]


def listed(
    store: Store, own: str, filters: Mapping[str, Any], limit: int | None, after: str | None, order: Listing = "newest"
) -> Sequence[Memory]:
    """In that order. Forgotten memories only when `statuses` asks for them."""
    within = filter_of(own, filters)
    within = within if within.statuses else replace(within, statuses=VISIBLE)
    most = None if limit is None else checks.count("limit", limit)
    named = checks.optional("after", after)
    return store.scan(within, order=order, limit=most, after=None if named is None else memory_id(store, named))


def neighbours(store: Store, id: str) -> list[tuple[Link, Memory]]:
    """Links in either direction with the memory at the other end, heaviest first; forgotten memories left out."""
    own = one(store, id).id
    links = sorted(store.links([own]), key=lambda link: (-link.weight, link.other(own)))
    memories = store.get({link.other(own) for link in links}, Filter(statuses=VISIBLE))
    return [(link, memories[link.other(own)]) for link in links if link.other(own) in memories]


def recalls(store: Store, id: str, limit: int) -> list[RecallHit]:
    """The recalls that found a memory, newest first."""
    return [record.hit(id) for record in store.recalls(memory_id=id, limit=limit)]


def history(store: Store, id: str) -> Sequence[Event]:
    """The events of a memory, oldest first. A purged memory still has some; its id must be given whole."""
    return with_values(store, (store.events(memory_id=id) or store.events(memory_id=one(store, id).id))[::-1])
