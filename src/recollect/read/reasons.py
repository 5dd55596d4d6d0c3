"""Adds to an automatic change the values that it is about: "live in: Nantes → Lyon".

The log holds no text, so that a purge leaves none. The values come from the memories as they are now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..store.protocol import Store
from ..types import Event, Memory
from ..write.links import words_of

_ACTIONS = {"supersede": "supersedes", "contradict": "contradicts"}
_LONGEST = 80


def with_values(store: Store, events: Sequence[Event]) -> list[Event]:
    """The events; each automatic supersession and contradiction says which values it is about."""
    pairs = {event.id: pair for event in events if (pair := _pair(event))}
    held = store.get({id for pair in pairs.values() for id in pair}) if pairs else {}
    return [_explained(event, pairs[event.id], held) if event.id in pairs else event for event in events]


def _pair(event: Event) -> tuple[str, str] | None:
    """The newer and the older statement."""
    kind = _ACTIONS.get(event.action)
    if kind is None or not event.detail.get("automatic"):
        return None
    return next(((a, b) for a, b, linked in event.detail.get("linked", ()) if linked == kind), None)


def _explained(event: Event, pair: tuple[str, str], held: Mapping[str, Memory]) -> Event:
    found = [held[id] for id in pair if id in held and held[id].namespace == event.namespace]
    if len(found) < len(pair):  # purged, or moved to where this caller may not look
        return event
    new, old = (words_of(memory) for memory in found)
    return replace(event, detail={**event.detail, "why": _why(event.action, old, new)})


def _why(action: str, old: str, new: str) -> str:
    from ..extractors.judgement import change  # its patterns take time to compile

    attribute, was, now = change(old, new) or ("", _short(old), _short(new))
    said = f"{was} → {now}" if action == "supersede" else f"{was} and {now} can't both hold"
    return f"{attribute}: {said}" if attribute else said


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
