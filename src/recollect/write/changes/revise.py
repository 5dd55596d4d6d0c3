"""Changes to stored memories. Each is logged, and all except `purge` can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ... import checks
from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput, NotFound, UnknownName
from ...namespaces import common
from ...store.protocol import Store
from ...store.values import Batch, Put
from ...types import LINK_KINDS, STATUSES, TIERS, Change, Link, LinkKind, Memory
from ..build.draft import Draft
from ..build.put import build, fields_only, write
from ..screening.quarantine import held_back, newly_held_back, released
from ..stamp import Stamp, difference
from .follow import OF_VIEWS, around, follow, follow_links, refresh

SUPERSEDES_WEIGHT = 0.3
CONTRADICTS_WEIGHT = 0.8
"""Both from OpenMem."""

PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "text": checks.text,
    "kind": lambda v: checks.label("kind", v),
    "tags": lambda v: checks.labels("tags", v),
    "entities": lambda v: checks.labels("entities", v),
    "gist": lambda v: checks.short("gist", v),
    "importance": lambda v: checks.share("importance", v),
    "confidence": lambda v: checks.share("confidence", v),
    "strength": lambda v: checks.share("strength", v),
    "status": lambda v: checks.one_of("status", v, STATUSES),
    "tier": lambda v: checks.one_of("tier", v, TIERS),
    "metadata": checks.metadata,
    "source": lambda v: checks.optional("source", v),
    "occurred_at": lambda v: checks.moment("occurred_at", v),
    "valid_from": lambda v: checks.moment("valid_from", v),
    "valid_to": lambda v: checks.moment("valid_to", v),
    "expires_at": lambda v: checks.moment("expires_at", v),
}


def one(store: Store, memory_id: str) -> Memory:
    found = store.get([memory_id]).get(memory_id)
    if found is None:
        raise no_memory(memory_id)
    return found


def no_memory(memory_id: object) -> NotFound:
    return NotFound(f"no memory has the id {memory_id!r}")


def update(store: Store, embedder: OptionalEmbedder, memory_id: str, fields: Mapping[str, Any], stamp: Stamp) -> Memory:
    values = _parsed(fields)
    seen = one(store, memory_id)
    put = _updated(store, embedder, seen, values, stamp)  # a new text is embedded before the lock is taken
    with store.transaction():
        before = one(store, memory_id)
        if before != seen:
            put = _updated(store, embedder, before, values, stamp)
        if put.memory == before:
            return before
        pair = before, put.memory
        event = stamp.event("update", before.namespace, [difference(*pair)], newly_held_back([pair]))
        write(store, embedder, Batch(puts=[put], events=[event]))
        if OF_VIEWS & values.keys():
            follow(store, embedder, [put.memory])
    return put.memory


def _parsed(fields: Mapping[str, Any]) -> dict[str, Any]:
    for name in fields:
        if name not in PARSERS:
            raise UnknownName("field", name, PARSERS)
    return {name: PARSERS[name](value) for name, value in fields.items()}


def _updated(store: Store, embedder: OptionalEmbedder, before: Memory, values: Mapping[str, Any], stamp: Stamp) -> Put:
    after = replace(before, **values)
    if values.keys() & {"valid_from", "valid_to"} and start(after) > (
        after.valid_to or datetime.max.replace(tzinfo=UTC)
    ):
        raise InvalidInput(f"valid_to ({after.valid_to}) is before valid_from ({start(after)}): it would never hold")
    return build(store, embedder, [Draft(memory=after, before=before)], stamp)[0]


def start(memory: Memory) -> datetime:
    """When its validity begins."""
    return memory.valid_from or memory.happened_at


def change(store: Store, memories: Iterable[Memory], action: str, stamp: Stamp, **values: Any) -> list[Memory]:  # noqa: ANN401
    """Sets the same plain fields on several memories, as one event per namespace."""
    changed: dict[str, list[tuple[Memory, Memory]]] = {}
    for before in memories:
        after = replace(before, **values)
        if after != before:
            changed.setdefault(before.namespace, []).append((before, after))
    for namespace, pairs in changed.items():
        event = stamp.event(action, namespace, [difference(*pair) for pair in pairs])
        store.write(Batch(puts=[fields_only(after) for _, after in pairs], events=[event]))
    return [after for pairs in changed.values() for _, after in pairs]


def restore(store: Store, memory_id: str, stamp: Stamp) -> Memory:
    """Restores a forgotten memory to its former status, or releases a quarantined one."""
    with store.transaction():
        memory = one(store, memory_id)
        if memory.status == "quarantined":
            return _release(store, memory, stamp)
        if memory.status != "forgotten":
            raise InvalidInput(
                f"{memory_id} is {memory.status}, neither forgotten nor quarantined: there is nothing to restore"
            )
        log = (event.changes[0].before or {} for event in store.events(memory_id=memory_id))
        status = next((before["status"] for before in log if "status" in before), "active")
        return change(store, [memory], "restore", stamp, status=status)[0]


def _release(store: Store, memory: Memory, stamp: Stamp) -> Memory:
    after = released(memory)
    event = stamp.event("restore", memory.namespace, [difference(memory, after)], held_back([memory]))
    store.write(Batch(puts=[fields_only(after)], events=[event]))
    return after


def purge(store: Store, embedder: OptionalEmbedder, memories: Sequence[Memory], stamp: Stamp) -> int:
    """Removes memories permanently. The log keeps only their ids and the event."""
    if not memories:
        return 0
    ids = [memory.id for memory in memories]
    place = common(memory.namespace for memory in memories)
    beside = set(around(store, memories)) - set(ids)
    purged = store.purge(ids, stamp.event("purge", place, detail={"purged": ids}))
    if beside:
        with store.transaction():
            refresh(store, embedder, beside)
    return purged


def move(store: Store, memories: Sequence[Memory], old: str, new: str, stamp: Stamp) -> int:
    with store.transaction():
        pairs = [(m, replace(m, namespace=checks.path(new + m.namespace[len(old) :]))) for m in memories]
        event = stamp.event("move", new, [difference(*pair) for pair in pairs], {"from": old, "to": new})
        if pairs:
            store.write(Batch(puts=[fields_only(after) for _, after in pairs], events=[event]))
    return len(pairs)


def link(store: Store, embedder: OptionalEmbedder, a: str, b: str, kind: str, weight: float, stamp: Stamp) -> Link:
    known: LinkKind = checks.one_of("link kind", kind, LINK_KINDS)
    if a == b:
        raise InvalidInput(f"{a} can't be linked to itself")
    made = Link(a=a, b=b, kind=known, weight=checks.share("weight", weight), created_at=stamp.at)
    with store.transaction():
        place = common(one(store, end).namespace for end in (a, b))
        event = stamp.event("link", place, [_untouched(a), _untouched(b)], relinked(store, [made]))
        store.write(Batch(links=[made], events=[event]))
        follow_links(store, embedder, [(a, b, known)])
    return made


def unlink(store: Store, embedder: OptionalEmbedder, a: str, b: str, kind: str | None, stamp: Stamp) -> list[Link]:
    if kind is not None:
        checks.one_of("link kind", kind, LINK_KINDS)
    with store.transaction():
        place = common(one(store, end).namespace for end in (a, b))
        gone = [held for held in store.links([a]) if (held.a, held.b) == (a, b) and kind in (None, held.kind)]
        if not gone:
            raise NotFound(f"there is no {kind or ''} link from {a} to {b}".replace("  ", " "))
        unlinks = [(held.a, held.b, held.kind) for held in gone]
        detail = relinked(store, [], unlinks)
        event = stamp.event("unlink", place, [_untouched(a), _untouched(b)], detail)
        store.write(Batch(unlinks=unlinks, events=[event]))
        follow_links(store, embedder, unlinks)
    return gone


def supersede(store: Store, old_id: str, new_id: str, stamp: Stamp) -> Memory:
    """Ends the validity of the old memory where that of the new one begins. Both memories stay.

    If the new one was superseded itself, it holds again: who supersedes in a circle decides by the last call.
    """
    if old_id == new_id:
        raise InvalidInput(f"{old_id} can't supersede itself")
    with store.transaction():
        old, new = one(store, old_id), one(store, new_id)
        for memory in (old, new):
            if memory.status == "quarantined":
                raise InvalidInput(f"{memory.id} is quarantined: `restore` it first, when it is harmless")
        after = replace(old, status="superseded", valid_to=max(start(old), start(new)))
        again, unlinks = _holds_again(store, new)
        joined = Link(a=new_id, b=old_id, kind="supersedes", weight=SUPERSEDES_WEIGHT, created_at=stamp.at)
        event = stamp.event(
            "supersede",
            common((old.namespace, new.namespace)),
            [difference(old, after), difference(new, again)],
            relinked(store, [joined], unlinks),
        )
        puts = [fields_only(memory) for memory in (after, again)]
        store.write(Batch(puts=puts, links=[joined], unlinks=unlinks, events=[event]))
    return after


def _holds_again(store: Store, memory: Memory) -> tuple[Memory, list[tuple[str, str, LinkKind]]]:
    """The memory as active, if it was superseded, and the links that said so."""
    if memory.status != "superseded":
        return memory, []
    over = [link for link in store.links([memory.id]) if link.kind == "supersedes" and link.b == memory.id]
    return replace(memory, status="active", valid_to=None), [(link.a, link.b, link.kind) for link in over]


def relinked(store: Store, links: Sequence[Link], unlinks: Sequence[tuple[str, str, LinkKind]] = ()) -> dict[str, Any]:
    """The links that a change sets and removes, with their former weights, in the form of the log."""
    linked = [(link.a, link.b, link.kind) for link in links]
    touched = {*linked, *unlinks}
    held = [h for h in store.links({a for a, _, _ in touched}) if (h.a, h.b, h.kind) in touched]
    return {"linked": linked, "unlinked": [(h.a, h.b, h.kind, h.weight) for h in held]}


def _untouched(memory_id: str) -> Change:
    return Change(memory_id=memory_id, before={})
