"""What others write is looked at before it is stored. Pure: decides on memories.

Nothing is dropped: what is suspicious is kept with the status `quarantined` and the reasons in its metadata, where
`list` shows it, no recall finds it, and `restore` lets it go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...types import Memory
from ..stamp import Stamp

OWNER = "user"
"""The trust class whose writing is taken as it is."""
REASONS = "quarantine"
"""The key of a memory's metadata that holds them, and of an event's detail."""
_HELD_BACK = ("quarantined", "forgotten")
"""What is forgotten comes back to what it was before."""
_SAID = ("text", "kind", "gist", "source", "session_id", "role", "tags", "entities", "metadata")
"""Every field that can bring words of the writer's before a model."""


def looked_at(memory: Memory, stamp: Stamp, inherited: Sequence[str] = ()) -> Memory:
    """The memory as it may be stored; what it was taken from may have been suspicious already."""
    if stamp.redacts:
        memory = replace(memory, **without_secrets({name: getattr(memory, name) for name in _REDACTED}))
    return quarantined(memory, [*inherited, *reasons(memory.trust, {name: getattr(memory, name) for name in _SAID})])


_REDACTED = ("text", "gist", "source", "tags", "entities", "metadata")


def without_secrets(fields: Mapping[str, Any]) -> dict[str, Any]:
    from .secrets import redacted_in  # its patterns take time to compile, and few need them

    return {name: redacted_in(value) if name in _REDACTED else value for name, value in fields.items()}


def reasons(trust: str, fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Why these fields of a memory should not be seen, when somebody of this trust class wrote them."""
    if trust == OWNER:
        return ()
    from .injections import suspicions_in

    return suspicions_in([value for name, value in fields.items() if name in _SAID])


def quarantined(memory: Memory, why: Iterable[str]) -> Memory:
    """The memory held back for these reasons and those it was held back for before, if there are any."""
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


def still_marked(before: Memory, after: Memory) -> Memory:
    """Whoever changes the metadata of a memory that is held back can't wipe out why it is; letting it go does."""
    held = reasons_of(before)
    if not held:
        return after
    if after.status not in _HELD_BACK:
        return replace(released(after), status=after.status)
    return replace(after, metadata={**after.metadata, REASONS: held})


def held_back(memories: Iterable[Memory]) -> dict[str, Any]:
    """An event's detail: which of these memories are held back, and why."""
    why = {memory.id: reasons_of(memory) for memory in memories if memory.status == "quarantined"}
    return {REASONS: why} if why else {}
