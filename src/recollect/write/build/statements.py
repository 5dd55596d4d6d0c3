"""What does a memory state? Its gist and its `about` key. Pure."""

from __future__ import annotations

from dataclasses import replace

from ...text.analyze import analyze, analyze_query
from ...types import Granularity, Memory
from .draft import Draft

STATING: tuple[Granularity, ...] = ("memory", "fact")
"""The granularities that later statements can supersede. A turn or a chunk says many things at once."""


def statement_of(draft: Draft, memory: Memory) -> tuple[Memory, str | None]:
    """The screened memory with its gist, and its `about` key."""
    if draft.before is not None:
        return _restated(draft.before, memory)
    if not draft.states:
        return memory, draft.about
    about, gist = stating(memory.text)
    return _with_gist(memory, memory.gist or gist), draft.about or about


def _restated(before: Memory, memory: Memory) -> tuple[Memory, str | None]:
    """A derived gist follows the text; a gist that somebody gave stays. Derived is what we would derive again."""
    if memory.text == before.text or memory.granularity not in STATING:
        return memory, None
    about, gist = stating(memory.text)
    is_derived = memory.gist == before.gist == stating(before.text)[1]
    return _with_gist(memory, gist if is_derived else memory.gist), about


def _with_gist(memory: Memory, gist: str) -> Memory:
    return memory if memory.gist == gist else replace(memory, gist=gist)


def stating(text: str) -> tuple[str | None, str]:
    """The subject and attribute of a single-valued statement, or None; and a gist if it says so in other words."""
    from ...extractors.rules import triple  # its patterns take time to compile, and reading needs none of them

    found = triple(text)
    if found is None:
        return None, ""
    return f"{found.subject}/{found.attribute}", other_words(text, found.attribute, found.value)


def other_words(text: str, attribute: str, value: str) -> str:
    """The gist "live in Lyon" lets "I moved to Lyon" answer "where do I live?"; empty where the text says so itself."""
    said = set(analyze(text))
    return "" if set(analyze_query(attribute).content) <= said else f"{attribute} {value}"
