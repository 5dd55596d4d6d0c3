"""Changes to memories that are there: each is logged, and all but `purge` can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ... import checks
from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput, NotFound, UnknownName
from ...ids import digest
from ...namespaces import common
from ...store.protocol import Store
from ...store.values import Batch, Embedded, Put
from ...types import LINK_KINDS, STATUSES, TIERS, Change, Link, LinkKind, Memory
from ..build.embed import FULL
from ..build.words import document
from ..links import about
from ..screening import quarantine
from ..stamp import Stamp, difference

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
_SEARCHABLE = ("text", "gist", "entities", "tags")


def one(store: Store, memory_id: str) -> Memory:
    found = store.get([memory_id]).get(memory_id)
    if found is None:
        raise no_memory(memory_id)
    return found


def no_memory(memory_id: object) -> NotFound:
    return NotFound(f"no memory has the id {memory_id!r}")


def update(store: Store, embedder: OptionalEmbedder, memory_id: str, fields: Mapping[str, Any], stamp: Stamp) -> Memory:
    for name in fields:
        if name not in PARSERS:
            raise UnknownName("field", name, PARSERS)
    values = {name: PARSERS[name](value) for name, value in fields.items()}
    if stamp.redacts:
        values = quarantine.without_secrets(values)
    why = quarantine.reasons(stamp.trust, values)
    fresh = embedder.vectors([values["text"]]) if "text" in values else None
    with store.transaction():
        before = one(store, memory_id)
        after = quarantine.quarantined(quarantine.still_marked(before, replace(before, **values)), why)
        if after == before:
            return before
        views = {FULL: Embedded(hash=embedder.hash(after.text), vector=fresh[0])} if fresh is not None else None
        if "text" in values and views is None:
            views = {}  # the old vector would speak for a text that is gone
        put = Put(
            memory=after,
            document=document(after) if any(name in values for name in _SEARCHABLE) else None,
            digest=digest(after.text) if "text" in values else None,
            about=about(after.text),
            vectors=views,
        )
        detail = quarantine.held_back([after]) if why else {}
        event = stamp.event("update", after.namespace, [difference(before, after)], detail)
        store.write(Batch(puts=[put], events=[event]))
    return after


def change(store: Store, memories: Iterable[Memory], action: str, stamp: Stamp, **values: Any) -> list[Memory]:  # noqa: ANN401
    """Sets the same plain fields on several memories, as one event per namespace."""
    changed: dict[str, list[tuple[Memory, Memory]]] = {}
    for before in memories:
        after = replace(before, **values)
        if after != before:
            changed.setdefault(before.namespace, []).append((before, after))
    for namespace, pairs in changed.items():
        event = stamp.event(action, namespace, [difference(*pair) for pair in pairs])
        store.write(Batch(puts=[Put(memory=after) for _, after in pairs], events=[event]))
    return [after for pairs in changed.values() for _, after in pairs]


def restore(store: Store, memory_id: str, stamp: Stamp) -> Memory:
    """Back to what it was before it was forgotten; what is quarantined is released."""
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
    after = quarantine.released(memory)
    event = stamp.event("restore", memory.namespace, [difference(memory, after)], quarantine.held_back([memory]))
    store.write(Batch(puts=[Put(memory=after)], events=[event]))
    return after


def purge(store: Store, memories: Sequence[Memory], stamp: Stamp) -> int:
    """For good: the log keeps the ids and that it happened."""
    if not memories:
        return 0
    ids = [memory.id for memory in memories]
    place = common(memory.namespace for memory in memories)
    return store.purge(ids, stamp.event("purge", place, detail={"purged": ids}))


def move(store: Store, memories: Sequence[Memory], old: str, new: str, stamp: Stamp) -> int:
    with store.transaction():
        pairs = [(m, replace(m, namespace=checks.path(new + m.namespace[len(old) :]))) for m in memories]
        event = stamp.event("move", new, [difference(*pair) for pair in pairs], {"from": old, "to": new})
        if pairs:
            store.write(Batch(puts=[Put(memory=after) for _, after in pairs], events=[event]))
    return len(pairs)


def link(store: Store, a: str, b: str, kind: str, weight: float, stamp: Stamp) -> Link:
    known: LinkKind = checks.one_of("link kind", kind, LINK_KINDS)
    if a == b:
        raise InvalidInput(f"{a} can't be linked to itself")
    made = Link(a=a, b=b, kind=known, weight=checks.share("weight", weight), created_at=stamp.at)
    with store.transaction():
        place = common(one(store, end).namespace for end in (a, b))
        event = stamp.event("link", place, [_untouched(a), _untouched(b)], relinked(store, [made]))
        store.write(Batch(links=[made], events=[event]))
    return made


def unlink(store: Store, a: str, b: str, kind: str | None, stamp: Stamp) -> list[Link]:
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
    return gone


def supersede(store: Store, old_id: str, new_id: str, stamp: Stamp) -> Memory:
    """The old one's validity ends where the new one's begins; both stay."""
    if old_id == new_id:
        raise InvalidInput(f"{old_id} can't supersede itself")
    with store.transaction():
        old, new = one(store, old_id), one(store, new_id)
        for memory in (old, new):
            if memory.status == "quarantined":
                raise InvalidInput(f"{memory.id} is quarantined: `restore` it first, when it is harmless")
        after = replace(old, status="superseded", valid_to=new.valid_from or new.happened_at)
        joined = Link(a=new_id, b=old_id, kind="supersedes", weight=SUPERSEDES_WEIGHT, created_at=stamp.at)
        event = stamp.event(
            "supersede",
            common((old.namespace, new.namespace)),
            [difference(old, after), _untouched(new_id)],
            relinked(store, [joined]),
        )
        store.write(Batch(puts=[Put(memory=after)], links=[joined], events=[event]))
    return after


def relinked(store: Store, links: Sequence[Link], unlinks: Sequence[tuple[str, str, LinkKind]] = ()) -> dict[str, Any]:
    """What a change does to links, as the log keeps it: which are set, and the weights there were."""
    linked = [(link.a, link.b, link.kind) for link in links]
    touched = {*linked, *unlinks}
    held = [h for h in store.links({a for a, _, _ in touched}) if (h.a, h.b, h.kind) in touched]
    return {"linked": linked, "unlinked": [(h.a, h.b, h.kind, h.weight) for h in held]}


def _untouched(memory_id: str) -> Change:
    return Change(memory_id=memory_id, before={})
