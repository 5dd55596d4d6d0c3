"""A session of the OpenAI Agents SDK: `Runner.run(agent, "…", session=RecollectSession(mind, "ada-1"))`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

from .. import Recollect
from ..chat import text_of
from . import missing
from .conversation import Conversation, Message

try:
    from agents import SessionSettings, TResponseInputItem
except ModuleNotFoundError as error:
    raise missing("openai-agents", "openai_agents") from error


class RecollectSession:
    """Keeps the items of a session in a recollect memory. `recall` finds what was said in all sessions."""

    def __init__(
        self, mind: Recollect, session_id: str, *, session_settings: SessionSettings | Mapping[str, Any] | None = None
    ) -> None:
        given = session_settings or {}
        self.session_id = session_id
        self.session_settings = SessionSettings(**given) if isinstance(given, Mapping) else given
        self._conversation = Conversation(mind, session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        most = self.session_settings.limit if limit is None else limit
        return cast(list[TResponseInputItem], await asyncio.to_thread(self._conversation.forms, most))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        messages = [_message(cast(dict[str, Any], item)) for item in items]
        await asyncio.to_thread(self._conversation.add, messages)

    async def pop_item(self) -> TResponseInputItem | None:
        return cast(TResponseInputItem | None, await asyncio.to_thread(self._conversation.pop))

    async def clear_session(self) -> None:
        await asyncio.to_thread(self._conversation.clear)


def _message(item: dict[str, Any]) -> Message:
    """A call of a tool is found by its name only: what tools return is not something that somebody said."""
    kind = str(item.get("type") or "message")
    role = str(item.get("role") or "tool")
    said = text_of(item.get("content")) if "role" in item else ""
    return Message(role, said if said.strip() else " ".join(filter(None, [kind, item.get("name")])), dict(item))
