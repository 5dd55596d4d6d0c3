"""What a caller may see of an event. Pure functions on ids and namespaces."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from ..types import Change, Event
from .scope import Scope

_LINKS = ("linked", "unlinked")
"""Details of an event that hold links: a, b, kind and sometimes the weight."""
_LISTS = ("purged", "followed", "hits")
"""Details of an event that hold a list of memory ids."""
_NAMESPACES = ("from", "to")
"""Details of an event that hold a namespace."""


def mentioned(event: Event) -> set[str]:
    """The ids of all memories that the event refers to."""
    ends = {end for name in _LINKS for a, b, *_ in event.detail.get(name, ()) for end in (a, b)}
    listed = {id for name in (*_LISTS, "quarantine") for id in event.detail.get(name, ())}
    return {change.memory_id for change in event.changes} | ends | listed


def trimmed(event: Event, owned: Collection[str], scope: Scope) -> Event | None:
    """The event without references to memories and namespaces outside; None if nothing else is left."""
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
    """The visible part of a detail; an empty list if nothing of it is visible."""
    if name in _LINKS:
        return [link for link in held if link[0] in owned and link[1] in owned] or []
    if name in _NAMESPACES:
        return held if scope.admits(held) else []
    if name in _LISTS:
        return [id for id in held if id in owned]
    if name == "quarantine" and isinstance(held, Mapping):
        return {id: reasons for id, reasons in held.items() if id in owned} or []
    return held


def stays_within(event: Event, owned: Collection[str], scope: Scope) -> bool:
    """Whether everything the event changed is inside, so that undoing it changes nothing outside."""
    places = [event.namespace, *(event.detail[name] for name in _NAMESPACES if name in event.detail)]
    befores = [change.before for change in event.changes if change.before is not None]
    places += [before["namespace"] for before in befores if "namespace" in before]
    return all(map(scope.admits, places)) and mentioned(event) <= set(owned)
