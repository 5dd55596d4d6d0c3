"""What happened in a namespace: all of it, or the changes that somebody may want to look at and undo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..store.protocol import Store
from ..store.values import RecallRecord
from ..types import Event, Memory

SHOWN = 10
"""An event lists so many of its changes; an import has thousands."""
MOST_CHARS = 200
"""The first memory of an event is shown with so many characters."""
_PAGE = 200
_OTHERS = ("feedback", "undo")
"""Actions that change no memory, or undo something."""


def entries(store: Store, namespace: str, limit: int, before: str | None) -> list[Event]:
    """Events and recalls in one list, newest first. The ids of both sort by time."""
    events = store.events(namespaces=(namespace,), limit=limit, before=before)
    recalls = map(_recall_event, store.recalls(namespaces=(namespace,), limit=limit, before=before))
    return sorted((*events, *recalls), key=lambda entry: entry.id, reverse=True)[:limit]


def changes(store: Store, namespace: str, before: str | None) -> Iterator[Event]:
    """Newest first, from the event before this id on. Each has its first changes, and in its detail the number of
    memories that it changed and whether all of them were deleted for good, so that it can't be undone."""
    while True:
        page = store.events(namespaces=(namespace,), limit=_PAGE, before=before, changes=False)
        for event in filter(_is_change, page):
            yield from (_short(store, each) for each in store.events(id=event.id))
        if len(page) < _PAGE:
            return
        before = page[-1].id


def with_words(store: Store, events: Iterable[Event]) -> list[Event]:
    """With the text and the source of the first memory of each event, as it is now. What the caller may not see has to
    be gone."""
    listed = list(events)
    held = store.get({event.changes[0].memory_id for event in listed if event.changes})
    first = {event.id: held.get(event.changes[0].memory_id) for event in listed if event.changes}
    return [replace(event, detail={**event.detail, **_words(first.get(event.id))}) for event in listed]


def _words(memory: Memory | None) -> dict[str, str | None]:
    if memory is None:
        return {"first": None, "source": None}
    return {"first": memory.text[:MOST_CHARS], "source": memory.source}


def _is_change(event: Event) -> bool:
    """Links that are made when something is stored go with what was stored."""
    made_along = event.action == "link" and bool(event.detail.get("automatic"))
    return event.action not in _OTHERS and not made_along


def _short(store: Store, event: Event) -> Event:
    """What changed comes before what was only linked with it, and is counted without it.

    All memories of an event are in its namespace or below it, so their number tells nothing about others.
    """
    changes = sorted(event.changes, key=lambda change: not change.before)
    altered = [change for change in changes if change.before] or changes
    ids = list(event.detail.get("purged", ())) or list({change.memory_id: None for change in altered})
    return replace(
        event, changes=tuple(changes[:SHOWN]), detail={"memories": len(ids), "deleted": _deleted(store, ids)}
    )


def _deleted(store: Store, ids: Sequence[str]) -> bool:
    """Whether none of them is stored any more. Most events are known by their first."""
    return bool(ids) and not (store.get(ids[:SHOWN]) or store.get(ids[SHOWN:]))


def _recall_event(record: RecallRecord) -> Event:
    """A recall as an event."""
    logged = record.entry
    return Event(
        id=logged.id,
        at=logged.at,
        actor=logged.actor,
        action="recall",
        namespace=logged.namespace,
        detail={
            "query": logged.query,
            "recipe": logged.recipe,
            "rejected": logged.rejected,
            "hits": [memory_id for memory_id, _ in logged.hits],
            "used": [feedback.memory_id for feedback in record.feedback if feedback.used],
        },
    )
