"""Where a statement comes from, and what it replaced. From links, memories and events that were fetched before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter

from ...namespaces import is_within
from ...types import Event, Link, LinkKind, Memory, Replaced


def ends(links: Iterable[Link], kind: LinkKind) -> set[str]:
    """The memories that links of this kind lead to."""
    return {link.b for link in links if link.kind == kind}


def _by_start(links: Iterable[Link], kind: LinkKind) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for link in links:
        if link.kind == kind:
            found.setdefault(link.a, []).append(link.b)
    return found


def messages(statements: Iterable[Memory], links: Iterable[Link], turns: Mapping[str, Memory]) -> dict[str, str]:
    """Statement → the message with its session and turn. It may have been said again in other messages."""
    sources = _by_start(links, "extends")
    return {
        statement.id: turn
        for statement in statements
        for turn in sources.get(statement.id, ())
        if turn in turns and turns[turn].message == statement.message
    }


def replaced(
    ids: Iterable[str], links: Iterable[Link], held: Mapping[str, Memory], events: Mapping[str, str]
) -> dict[str, tuple[Replaced, ...]]:
    """Statement → all statements it replaced, directly or through others, newest first. `events`: statement → the event
    that replaced it."""
    older = _by_start(links, "supersedes")
    chains = {id: [held[old] for old in _chain(id, older) if old in held] for id in ids}
    return {
        id: tuple(_former(memory, events) for memory in sorted(chain, key=attrgetter("learned_at"), reverse=True))
        for id, chain in chains.items()
        if chain
    }


def opposites(ids: Iterable[str], pairs: Iterable[frozenset[str]]) -> dict[str, tuple[str, ...]]:
    """Each id that is in a pair → the others of its pairs."""
    kept = list(pairs)
    found = {id: tuple(sorted(other for pair in kept if id in pair for other in pair - {id})) for id in ids}
    return {id: others for id, others in found.items() if others}


def _chain(id: str, older: Mapping[str, list[str]]) -> Iterator[str]:
    seen, front = {id}, [id]
    while front:
        front = [old for new in front for old in older.get(new, ()) if old not in seen]
        seen.update(front)
        yield from dict.fromkeys(front)


def _former(memory: Memory, events: Mapping[str, str]) -> Replaced:
    return Replaced(
        id=memory.id,
        text=memory.text,
        told_at=memory.learned_at,
        valid_to=memory.valid_to,
        event=events.get(memory.id),
    )


def replacements(events: Iterable[Event], namespace: str) -> dict[str, str]:
    """Replaced statement → the event that replaced it. Only events that lie inside the namespace as a whole."""
    return {
        old: event.id
        for event in events
        if event.action == "supersede" and event.undone_by is None and is_within(event.namespace, namespace)
        for _, old, kind in event.detail.get("linked", ())
        if kind == "supersedes"
    }
