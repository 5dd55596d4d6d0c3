"""What a caller may see of an entry of the log. Pure: decides on ids and names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from ..store.values import RecallRecord
from ..types import Change, Event
from .scope import Scope

_LINKS = ("linked", "unlinked")
"""Details that hold links: a, b, kind and perhaps the weight."""
_PLACES = ("from", "to")


def mentioned(event: Event) -> set[str]:
    """The ids of all memories it speaks of."""
    ends = {end for name in _LINKS for a, b, *_ in event.detail.get(name, ()) for end in (a, b)}
    listed = {*event.detail.get("purged", ()), *event.detail.get("quarantine", ()), *event.detail.get("hits", ())}
    return {change.memory_id for change in event.changes} | ends | listed


def trimmed(event: Event, owned: Collection[str], scope: Scope) -> Event | None:
    """The event without what leads outside; None where nothing else is left of it."""
    changes = tuple(_change(change, scope) for change in event.changes if change.memory_id in owned)
    if not scope.admits(event.namespace) or (event.changes and not changes):
        return None
    parts = {name: _part(name, held, owned, scope) for name, held in event.detail.items()}
    detail = {name: part for name, part in parts.items() if part != [] or event.detail[name] == []}
    return replace(event, changes=changes, detail=detail)


def _change(change: Change, scope: Scope) -> Change:
    before = change.before or {}
    if scope.admits(before.get("namespace", scope.namespace)):
        return change
    return replace(change, before={name: value for name, value in before.items() if name != "namespace"})


def _part(name: str, held: Any, owned: Collection[str], scope: Scope) -> Any:  # noqa: ANN401 - JSON
    """A detail's visible part; an empty list where nothing of it may be seen."""
    if name in _LINKS:
        return [link for link in held if link[0] in owned and link[1] in owned] or []
    if name in _PLACES:
        return held if scope.admits(held) else []
    if name in ("purged", "hits"):
        return [id for id in held if id in owned]
    if name == "quarantine" and isinstance(held, Mapping):
        return {id: reasons for id, reasons in held.items() if id in owned} or []
    return held


def stays_within(event: Event, owned: Collection[str], scope: Scope) -> bool:
    """Whether all that it touched lies inside, so that taking it back changes nothing elsewhere."""
    places = [event.namespace, *(event.detail[name] for name in _PLACES if name in event.detail)]
    befores = [change.before for change in event.changes if change.before is not None]
    places += [before["namespace"] for before in befores if "namespace" in before]
    return all(map(scope.admits, places)) and mentioned(event) <= set(owned)


def asked(remark: RecallRecord) -> Event:
    """A recall as an entry of the log."""
    logged = remark.entry
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
            "used": [given.memory_id for given in remark.feedback if given.used],
        },
    )
