"""Changes some memories in one call, as one page of a larger change that can be undone at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ... import checks
from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput
from ...namespaces import common
from ...recipes.recipe import WriteRules
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Changed, Event, Memory
from ..build.draft import Draft
from ..build.put import build, write
from ..stamp import Stamp, difference
from .leave import leave
from .owners import check_pinned, restamped
from .pages import PREVIOUS, EventChain
from .relocate import Relocation, check

ACTIONS = ("forget", "move", "tag")


@dataclass(slots=True)
class OneChain(EventChain):
    """A chain of events across namespaces. Each event names the one before it."""

    last: str | None = None

    def detail(self, namespace: str) -> dict[str, Any]:
        return {} if self.last is None else {PREVIOUS: self.last}

    def add(self, event: Event) -> None:
        self.last = event.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is to be done with the memories."""

    action: str
    to: str | None
    add: tuple[str, ...]
    remove: tuple[str, ...]


def wanted(action: str, to: str | None, add: object, remove: object) -> Change:
    """The change, after a check of its arguments."""
    checks.one_of("action", action, ACTIONS)
    tags = {"add_tags": checks.labels("add_tags", add), "remove_tags": checks.labels("remove_tags", remove)}
    if (to is None) == (action == "move"):
        raise InvalidInput("to=… names the namespace of action='move', and is for nothing else")
    if any(tags.values()) != (action == "tag"):
        raise InvalidInput("add_tags=… or remove_tags=… is needed for action='tag', and is for nothing else")
    place = None if to is None else checks.path(to, "to")
    return Change(action=action, to=place, add=tags["add_tags"], remove=tags["remove_tags"])


def change_many(
    store: Store,
    embedder: OptionalEmbedder,
    ids: Sequence[str],
    change: Change,
    previous: str | None,
    *,
    rules: WriteRules,
    stamp: Stamp,
) -> Changed:
    """Changes these memories in one transaction. Unknown and forgotten ones are left out. `previous` is the event of
    the call that this one continues."""
    chain = OneChain(last=previous)
    with store.transaction():
        held = store.get(ids)
        named = [held[id] for id in dict.fromkeys(ids) if id in held and held[id].status != "forgotten"]
        check_pinned(named, stamp)
        match change.action:
            case "forget":
                done = leave(store, embedder, named, stamp, chain=chain) if named else []
            case "move":
                done = _moved(store, embedder, named, str(change.to), chain, rules, stamp)
            case _:
                done = _tagged(store, embedder, named, change, chain, stamp)
    return Changed(changed=tuple(memory.id for memory in done), event=chain.last if done else previous)


def _moved(
    store: Store,
    embedder: OptionalEmbedder,
    memories: Sequence[Memory],
    to: str,
    chain: EventChain,
    rules: WriteRules,
    stamp: Stamp,
) -> list[Memory]:
    """Moves the memories of each namespace. All end up in the new one itself, not below it."""
    done: list[Memory] = []
    places: dict[str, list[Memory]] = {}
    for memory in memories:
        places.setdefault(memory.namespace, []).append(memory)
    for old, some in places.items():
        if old == to:
            continue
        check(old, to, whole=False)
        tools: Mapping[str, Any] = {"store": store, "embedder": embedder, "rules": rules, "stamp": stamp}
        if Relocation(**tools, old=old, new=to, chain=chain).move_some(some):
            done += some
    return done


def _tagged(
    store: Store,
    embedder: OptionalEmbedder,
    memories: Sequence[Memory],
    change: Change,
    chain: EventChain,
    stamp: Stamp,
) -> list[Memory]:
    pairs = [(memory, restamped(memory, _with_tags(memory, change), stamp)) for memory in memories]
    changed = [(before, after) for before, after in pairs if before.tags != after.tags]
    if not changed:
        return []
    puts = build(store, embedder, [Draft(memory=after, before=before) for before, after in changed], stamp)
    pairs = [(before, put.memory) for (before, _), put in zip(changed, puts, strict=True)]
    place = common(before.namespace for before, _ in pairs)
    event = stamp.event("update", place, [difference(*pair) for pair in pairs], chain.detail(place))
    write(store, embedder, Batch(puts=puts, events=[event]))
    chain.add(event)
    return [after for _, after in pairs]


def _with_tags(memory: Memory, change: Change) -> Memory:
    left = [tag for tag in memory.tags if tag not in change.remove]
    return replace(memory, tags=checks.labels("tags", list(dict.fromkeys([*left, *change.add]))))
