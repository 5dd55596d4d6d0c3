"""The dates of a memory as people and models see them beside its text."""

from __future__ import annotations

from .memory import Memory


def day_shown(memory: Memory) -> str:
    """The day of a turn or fact is the one on which it was said, of any other memory the one on which it happened."""
    moment = memory.happened_at if memory.turn is None else memory.learned_at
    return f"{moment:%Y-%m-%d}"


def when_shown(memory: Memory) -> str:
    """The time that the text names, such as "in 2026-10"; empty if there is none, or if it is the day shown."""
    when = memory.when
    if when is not None:
        named = str(when)
    elif memory.turn is not None:
        named = f"on {memory.happened_at:%Y-%m-%d}"
    else:
        named = ""
    return "" if named == f"on {day_shown(memory)}" else named
