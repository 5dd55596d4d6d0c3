"""Tools and instructions for Pydantic AI: `Agent(…, toolsets=[memory_tools(mind)], instructions=recalled(mind))`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from .. import Memory, Recollect
from ..errors import InvalidInput, NotFound
from ..read.question import MOST_QUERY_CHARS
from . import missing

try:
    from pydantic_ai import FunctionToolset, ModelRetry, RunContext
except ModuleNotFoundError as error:
    raise missing("pydantic-ai-slim", "pydantic_ai") from error

from ..serve.mcp.answers import fenced_recall  # noqa: E402 - needs pydantic, which comes with the package

NOTHING = "Nothing about this is in memory. Say so instead of guessing."


def memory_tools(mind: Recollect, *, limit: int = 5) -> FunctionToolset[Any]:
    """The tools `recall`, `remember`, `supersede` and `forget`. A call that is refused asks the model to try again."""

    def recall(query: str) -> str:
        """Search long-term memory for what earlier conversations said. Ask one full question at a time.

        Args:
            query: A full question, or words that the answer would contain.
        """
        found = _asked(lambda: mind.recall(query, limit=limit))
        return (fenced_recall(found) if found.hits else None) or NOTHING

    def remember(text: str, kind: str = "fact") -> str:
        """Store one thing that is worth knowing in later conversations.

        Args:
            text: One thing, as a sentence that is clear on its own, with names.
            kind: fact, preference, decision, procedure, event, goal or another word.
        """
        return _stored(_asked(lambda: mind.remember(text, kind=kind)))

    def supersede(old: str, text: str) -> str:
        """Replace a memory that is no longer true. Both are kept, and recall prefers the new one.

        Args:
            old: The id of the memory that is no longer true.
            text: What is true now.
        """
        new = _asked(lambda: _superseded(mind, old, text))
        return f"stored {new.id}, which replaces {old}"

    def forget(id: str) -> str:
        """Hide a memory that was never true, or that the user wants to be forgotten.

        Args:
            id: The id of the memory.
        """
        _asked(lambda: mind.forget(id))
        return f"forgot {id}"

    return FunctionToolset([recall, remember, supersede, forget], id="recollect")


def recalled(mind: Recollect, *, limit: int = 5) -> Callable[[RunContext[Any]], Awaitable[str]]:
    """Instructions with what recall finds for the prompt of a run, fenced as data. Empty if nothing answers it."""

    async def instructions(run: RunContext[Any]) -> str:
        question = _question(run.prompt)
        if not question:
            return ""
        found = await asyncio.to_thread(mind.recall, question, limit=limit)
        return found.context() if found.hits else ""

    return instructions


def _asked(call: Callable[[], Any]) -> Any:  # noqa: ANN401 - what the call returns
    try:
        return call()
    except (InvalidInput, NotFound) as error:
        raise ModelRetry(str(error)) from None


def _superseded(mind: Recollect, old: str, text: str) -> Memory:
    with mind.store.transaction():
        held = mind.get(old)
        new = mind.remember(text, kind=held.kind, tags=held.tags, namespace=held.namespace, dedup=False)
        mind.supersede(old, new.id)
    return new


def _stored(memory: Memory) -> str:
    if memory.merged_into:
        return f"known already as {memory.merged_into}"
    replaced = f", which replaces {', '.join(memory.superseded)}" if memory.superseded else ""
    return f"stored {memory.id}{replaced}"


def _question(prompt: str | Sequence[Any] | None) -> str:
    """The text of a prompt, which can have pictures and other parts too."""
    parts = [prompt] if isinstance(prompt, str) else prompt or ()
    return "\n".join(part for part in parts if isinstance(part, str)).strip()[:MOST_QUERY_CHARS]
