"""What does a memory state? Derives its gist, its `about` key and, after a change, the time that it names. Pure."""

from __future__ import annotations

from dataclasses import replace

from ...text.analyze import analyze, analyze_query
from ...types import NAMELESS, Granularity, Memory
from .dated import redated
from .draft import Draft
from .renamed import renamed

ENDING = "/is over"
"""The key of statements that something is over. A statement that arrives late may be over already."""
STATING: tuple[Granularity, ...] = ("memory", "fact")
"""The granularities that later statements can supersede. A turn or a chunk holds several statements."""


def statement_of(draft: Draft, memory: Memory) -> tuple[Memory, str | None]:
    """The screened memory with its gist, and its `about` key."""
    if draft.before is not None:
        return _restated(draft.before, renamed(draft.before, redated(draft.before, memory)))
    if not draft.states:
        return memory, draft.about
    about, gist = stating(memory.text)
    return _with_gist(memory, memory.gist or gist), draft.about or about


def _restated(before: Memory, memory: Memory) -> tuple[Memory, str | None]:
    """Derives the gist again when the text changed, unless somebody wrote the gist.

    A gist counts as derived if it is the one that the former text gives.
    """
    if memory.text == before.text or memory.granularity not in STATING:
        return memory, None
    about, gist = stating(memory.text)
    is_derived = memory.gist == before.gist == stating(before.text)[1]
    return _with_gist(memory, gist if is_derived else memory.gist), about


def _with_gist(memory: Memory, gist: str) -> Memory:
    return memory if memory.gist == gist else replace(memory, gist=gist)


def stating(text: str) -> tuple[str | None, str]:
    """Subject and attribute of the first single-valued statement, and a gist if the text uses other words. Without one:
    `ENDING` if the text says that something is over, else None."""
    from ...extractors.judgement import first_triple  # its patterns take time to compile; reading needs none of them

    found = first_triple(text)
    if found is None:
        return ending(text), ""
    return f"{found.subject}/{found.attribute}", other_words(text, found.attribute, found.value)


def ending(text: str) -> str | None:
    from ...extractors.judgement import ends_something

    return ENDING if ends_something(text) else None


def about_of(memory: Memory) -> str | None:
    """The `about` key of a stored memory or fact, by rules."""
    from ...extractors.judgement import first_triple

    speaker = None if memory.role in (None, *NAMELESS) else memory.role
    text = memory.text.removeprefix(f"{memory.role}: ")
    found = first_triple(text, speaker)
    return ending(text) if found is None else f"{found.subject}/{found.attribute}"


def other_words(text: str, attribute: str, value: str) -> str:
    """A gist in the attribute's words: with "live in Lyon", "I moved to Lyon" also answers "where do I live?".

    Empty if the text has these words already.
    """
    said = set(analyze(text))
    return "" if set(analyze_query(attribute).content) <= said else f"{attribute} {value}"
