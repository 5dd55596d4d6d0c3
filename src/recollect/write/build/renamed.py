"""Whom and what does a changed text name? Pure."""

from __future__ import annotations

from dataclasses import replace

from ...types import Memory


def renamed(before: Memory, memory: Memory) -> Memory:
    """The memory with the names of its new text instead of those of the former one. A name that is in neither was given
    by somebody, and stays. Without names there were none to take anew."""
    if memory.text == before.text or not before.entities or memory.entities != before.entities:
        return memory
    from ...text.entities import entities  # its patterns take time to compile

    kept = [name for name in before.entities if _has(memory.text, name) or not _has(before.text, name)]
    known = {name.casefold() for name in kept}
    fresh = [name for name in entities(memory.text) if name.casefold() not in known and not _has(before.text, name)]
    return replace(memory, entities=(*kept, *fresh))


def _has(text: str, name: str) -> bool:
    return name.casefold() in text.casefold()
