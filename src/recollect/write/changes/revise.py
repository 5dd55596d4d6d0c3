"""Changes of plain fields and links. Each is logged and can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ... import checks
from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput, NotFound
from ...namespaces import common, is_within
from ...store.protocol import Store
from ...store.values import Batch
from ...types import LINK_KINDS, STATUSES, TIERS, Change, Link, LinkKind, Memory
from ..build.put import fields_only
from ..said_in import Messages, says_only
from ..stamp import Stamp, difference
from .follow import follow_links
from .owners import check_pinned, is_protected
from .pages import EventChain

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


def start(memory: Memory) -> datetime:
    """When its validity begins."""
    return memory.valid_from or memory.happened_at


def change(
    store: Store,
    memories: Iterable[Memory],
    action: str,
    stamp: Stamp,
    chain: EventChain | None = None,
    **values: Any,  # noqa: ANN401
) -> list[Memory]:
    """Sets the same plain fields on several memories, as one event per namespace."""
    chain = chain or EventChain()
    changed: dict[str, list[tuple[Memory, Memory]]] = {}
    for before in memories:
        after = replace(before, **values)
        if after != before:
            changed.setdefault(before.namespace, []).append((before, after))
    for namespace, pairs in changed.items():
        event = stamp.event(action, namespace, [difference(*pair) for pair in pairs], chain.detail(namespace))
        store.write(Batch(puts=[fields_only(after) for _, after in pairs], events=[event]))
        chain.add(event)
    return [after for pairs in changed.values() for _, after in pairs]


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
    """Ends the validity of the old memory where that of the new one begins. Both memories stay. The messages that say
    the old one are replaced for that part of them.

    If the new one was superseded itself, it holds again: who supersedes in a circle decides by the last call.
    """
    if old_id == new_id:
        raise InvalidInput(f"{old_id} can't supersede itself")
    with store.transaction():
        old, new = one(store, old_id), one(store, new_id)
        check_pinned([old], stamp)
        for memory in (old, new):
            if memory.status == "quarantined":
                raise InvalidInput(f"{memory.id} is quarantined: `restore` it first, when it is harmless")
        after = ended_by(new, old)
        again, unlinks = _holds_again(store, new)
        messages = [message for message in outdated(store, old, stamp) if message.id != new_id]
        pairs = [(old, after), (new, again)]
        pairs += [(each, ended_by(new, each) if says_only(each, old) else each) for each in messages]
        links = [supersedes(new, older, stamp) for older in (old, *messages)]
        event = stamp.event(
            "supersede",
            common(memory.namespace for memory, _ in pairs),
            [difference(*pair) for pair in pairs],
            relinked(store, links, unlinks),
        )
        puts = [fields_only(memory) for _, memory in pairs]
        store.write(Batch(puts=puts, links=links, unlinks=unlinks, events=[event]))
    return after


def supersedes(newer: Memory, older: Memory, stamp: Stamp) -> Link:
    return Link(a=newer.id, b=older.id, kind="supersedes", weight=SUPERSEDES_WEIGHT, created_at=stamp.at)


def outdated(store: Store, statement: Memory, stamp: Stamp) -> list[Memory]:
    """The messages that say the statement. They are replaced together with it, for that part of them."""
    said = Messages(store).saying(statement)
    inside = [message for message in said if stamp.within is None or is_within(message.namespace, stamp.within)]
    return [message for message in inside if not is_protected(message, stamp)]


def ended_by(newer: Memory, memory: Memory) -> Memory:
    """The memory, replaced as a whole."""
    return replace(memory, status="superseded", valid_to=max(start(memory), start(newer)))


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
