"""Which time does a changed text name? What was said in a conversation keeps the time that its words name. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time

from ...types import WHEN, Memory, When

_SAID = ("turn", "fact")
"""The granularities whose time is read from their text when they are stored."""


def redated(before: Memory, memory: Memory) -> Memory:
    """The memory with the time that its new text names.

    Only where the time of the former text was read from it: a time that somebody set, or that a model gave, stays.
    """
    told, held = before.valid_from, before.metadata.get(WHEN)
    if memory.text == before.text or memory.granularity not in _SAID or told is None:
        return memory
    former, new = _named(before.text, told), _named(memory.text, told)
    if held != _kept(former) or memory.metadata.get(WHEN) != held or former == new:
        return memory
    others = {name: value for name, value in memory.metadata.items() if name != WHEN}
    metadata = others if new is None else {**others, WHEN: _kept(new)}
    is_read = memory.occurred_at == before.occurred_at == _first_moment(former, told)
    return replace(memory, metadata=metadata, occurred_at=_first_moment(new, told) if is_read else memory.occurred_at)


def _named(text: str, told: datetime) -> When | None:
    from ...text.dates import find_when  # its patterns take time to compile

    return find_when(text, told)


def _kept(when: When | None) -> object:
    return None if when is None else when.to_dict()


def _first_moment(when: When | None, told: datetime) -> datetime:
    """The start of the first day, else when it was said."""
    if when is None or when.start is None or when.repeats:
        return told
    return datetime.combine(when.start, time(), UTC)
