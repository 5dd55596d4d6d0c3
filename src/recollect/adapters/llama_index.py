"""LlamaIndex's memory: `await agent.run("…", memory=RecollectMemory(mind=mind, session_id="ada-1"))`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from .. import Recollect
from ..text.tokens import estimate_tokens
from . import missing
from .conversation import Conversation, Message

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.bridge.pydantic import ConfigDict, PrivateAttr, field_serializer, field_validator
    from llama_index.core.memory import BaseMemory
except ModuleNotFoundError as error:
    raise missing("llama-index-core", "llama_index") from error

HISTORY_TOKENS = 30_000
IN_RAM = ":memory:"


class RecollectMemory(BaseMemory):
    """The messages of a session, and what recall finds in other sessions and memories.

    A saved context of a workflow has the place of the memory, which is opened again when the context is restored. A
    password of a database is not saved.

    `get` begins with a system message that holds the recalled memories, fenced as data, if the question is answered by
    some. Then come the latest messages that fit in `token_limit`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    mind: Recollect
    session_id: str
    recall_limit: int = 5
    token_limit: int = HISTORY_TOKENS
    _conversation: Conversation = PrivateAttr()

    def model_post_init(self, _: Any, /) -> None:  # noqa: ANN401 - pydantic's
        self._conversation = Conversation(self.mind, self.session_id)

    @field_serializer("mind")
    def _saved(self, mind: Recollect) -> dict[str, str]:
        return {"path": _place(mind.url), "namespace": mind.namespace}

    @field_validator("mind", mode="before")
    @classmethod
    def _opened(cls, given: Recollect | Mapping[str, str]) -> Recollect:
        if isinstance(given, Recollect):
            return given
        if given["path"] == IN_RAM:
            raise ValueError("a memory that is only in RAM can't be opened again: keep it in a file")
        return Recollect(given["path"], namespace=given["namespace"])

    @classmethod
    def class_name(cls) -> str:
        return "RecollectMemory"

    @classmethod
    def from_defaults(  # type: ignore[override]
        cls, mind: Recollect, session_id: str, recall_limit: int = 5, token_limit: int = HISTORY_TOKENS
    ) -> RecollectMemory:
        return cls(mind=mind, session_id=session_id, recall_limit=recall_limit, token_limit=token_limit)

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: ANN401 - LlamaIndex's
        history = self.get_all()
        question = input or _last_question(history)
        context = self._recalled(question) if question else ""
        system = [ChatMessage(context, role=MessageRole.SYSTEM)] if context else []
        return [*system, *_latest(history, self.token_limit)]

    def get_all(self) -> list[ChatMessage]:
        return [ChatMessage.model_validate(form) for form in self._conversation.forms()]

    def put(self, message: ChatMessage) -> None:
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        self._conversation.add([_message(message) for message in messages])

    def set(self, messages: list[ChatMessage]) -> None:
        with self.mind.store.transaction():
            self._conversation.clear()
            self.put_messages(messages)

    def reset(self) -> None:
        self._conversation.clear()

    def _recalled(self, question: str) -> str:
        """The context for a question, without the messages of this session, which the model gets anyway."""
        found = self.mind.recall(question, limit=self.recall_limit)
        others = tuple(hit for hit in found.hits if hit.memory.session_id != self.session_id)
        return replace(found, hits=others, nearest=()).context() if others else ""


def _place(url: str) -> str:
    """Where the memory is, without the password of a database."""
    if "://" not in url:
        return url if url == IN_RAM else str(Path(url).absolute())
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    query = urlencode([pair for pair in parse_qsl(parts.query) if pair[0] != "password"])
    return f"{parts.scheme}://{user.partition(':')[0]}{at}{host}{parts.path}" + (f"?{query}" if query else "")


def _last_question(history: Sequence[ChatMessage]) -> str:
    asked = (message.content for message in reversed(history) if message.role == MessageRole.USER)
    return next(asked, None) or ""


def _latest(history: Sequence[ChatMessage], token_limit: int) -> list[ChatMessage]:
    """The latest messages within the limit, from a user's message on: models refuse an answer without its question."""
    left, first = token_limit, len(history)
    for position in range(len(history) - 1, -1, -1):
        left -= estimate_tokens(str(history[position]))
        if left < 0:
            break
        if history[position].role in (MessageRole.USER, MessageRole.SYSTEM):
            first = position
    return list(history[first:] or history[-1:])


def _message(message: ChatMessage) -> Message:
    said = message.content if message.role != MessageRole.TOOL else None
    text = said if said and said.strip() else str(message.role.value)
    return Message(message.role.value, text, message.model_dump(mode="json"))
