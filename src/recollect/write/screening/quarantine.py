"""Text from untrusted writers is screened before it is stored. Pure: decides on memories.

No text is dropped. A suspicious memory is stored with the status `quarantined` and the reasons in its metadata. `list`
shows it, recall does not find it, and `restore` releases it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...types import Memory
from ..build.draft import Draft
from ..stamp import Stamp

OWNER = "user"
"""The trust class whose text is not screened."""
REASONS = "quarantine"
"""The key of the quarantine reasons in a memory's metadata and in an event's detail."""
_HELD_BACK = ("quarantined", "forgotten")
"""Statuses that keep the reasons. A forgotten memory keeps them because `restore` brings it back."""
SAID = ("text", "kind", "gist", "source", "session_id", "role", "tags", "entities", "metadata")
"""The fields with text of the writer that a model can see."""
_REDACTED = ("text", "gist", "source", "tags", "entities", "metadata")


def screened(draft: Draft, stamp: Stamp) -> Memory:
    """The memory to store: without secrets if the settings ask for that, quarantined if it is suspicious.

    For a memory that is stored already, only the changed fields are screened.
    """
    memory = _redacted(draft) if stamp.redacts else draft.memory
    why = _reasons(draft, memory, stamp)
    if draft.before is not None and not draft.takes_back:
        memory = _still_marked(draft.before, memory)
    return memory if set(why) <= set(reasons_of(memory)) else quarantined(memory, why)


def _redacted(draft: Draft) -> Memory:
    fields = {name: getattr(draft.memory, name) for name in _REDACTED if _is_new(draft, name)}
    return replace(draft.memory, **without_secrets(fields))


def _reasons(draft: Draft, memory: Memory, stamp: Stamp) -> tuple[str, ...]:
    if draft.released or _author(draft, stamp) == OWNER:
        return ()
    from .injections import suspicions_in

    return suspicions_in(draft.taken_from, [getattr(memory, name) for name in SAID if _is_new(draft, name)])


def _is_new(draft: Draft, field: str) -> bool:
    return draft.before is None or getattr(draft.memory, field) != getattr(draft.before, field)


def _author(draft: Draft, stamp: Stamp) -> str:
    """The trust class that decides: the writer's for a change; for a new memory, its own if that is lower."""
    if draft.before is not None or draft.memory.trust == OWNER:
        return stamp.trust
    return draft.memory.trust


def without_secrets(fields: Mapping[str, Any]) -> dict[str, Any]:
    from .secrets import redacted_in  # its patterns compile slowly and are rarely needed

    return {name: redacted_in(value) if name in _REDACTED else value for name, value in fields.items()}


def screened_texts(views: Mapping[str, tuple[str, ...]], stamp: Stamp) -> Mapping[str, tuple[str, ...]]:
    """The texts of views, without secrets if the settings ask for that. The embedder may be a remote service."""
    if not (stamp.redacts and views):
        return views
    from .secrets import redacted

    return {name: tuple(redacted(text) for text in texts) for name, texts in views.items()}


def quarantined(memory: Memory, why: Iterable[str]) -> Memory:
    """The memory in quarantine, for these reasons in addition to its former ones. Unchanged without reasons."""
    known = dict.fromkeys(why)
    if not known:
        return memory
    both = list(dict.fromkeys([*reasons_of(memory), *known]))
    return replace(memory, status="quarantined", metadata={**memory.metadata, REASONS: both})


def released(memory: Memory) -> Memory:
    metadata = {name: value for name, value in memory.metadata.items() if name != REASONS}
    return replace(memory, status="active", metadata=metadata)


def reasons_of(memory: Memory) -> list[str]:
    held = memory.metadata.get(REASONS) if memory.status in _HELD_BACK else None
    return list(held) if isinstance(held, list) else []


def _still_marked(before: Memory, after: Memory) -> Memory:
    """Editing keeps the quarantine reasons; releasing removes them."""
    held = reasons_of(before)
    if not held:
        return after
    if after.status not in _HELD_BACK:
        return replace(released(after), status=after.status)
    return replace(after, metadata={**after.metadata, REASONS: held})


def held_back(memories: Iterable[Memory]) -> dict[str, Any]:
    """An event's detail with the quarantined ones of these memories and their reasons."""
    why = {memory.id: reasons_of(memory) for memory in memories if memory.status == "quarantined"}
    return {REASONS: why} if why else {}


def newly_held_back(pairs: Iterable[tuple[Memory, Memory]]) -> dict[str, Any]:
    """An event's detail for changes, given as (before, after): only memories whose quarantine reasons changed."""
    return held_back(after for before, after in pairs if reasons_of(after) != reasons_of(before))
