"""LangChain's retriever and chat history over a recollect memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import Recollect
from ..chat import text_of
from ..types import Hit
from . import missing
from .conversation import Conversation, Message

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
    from langchain_core.retrievers import BaseRetriever
except ModuleNotFoundError as error:
    raise missing("langchain-core", "langchain") from error

ROLES = {"human": "user", "ai": "assistant"}


class RecollectRetriever(BaseRetriever):
    """What recall finds, as documents. A question that recall refuses finds none.

    `k` may also be given to `invoke`. `filters` are further arguments of `Recollect.recall`, such as `namespace`,
    `kinds`, `tags` or `where`.
    """

    mind: Recollect
    k: int = 5
    filters: Mapping[str, Any] = {}

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        limit = self.k if k is None else k
        return [_document(hit) for hit in self.mind.recall(query, limit=limit, **self.filters).hits]


class RecollectChatMessageHistory(BaseChatMessageHistory):
    """Keeps the messages of a session in a recollect memory. `recall` finds what was said in all sessions."""

    def __init__(self, mind: Recollect, session_id: str) -> None:
        self._conversation = Conversation(mind, session_id)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        found: list[BaseMessage] = messages_from_dict(self._conversation.forms())
        return found

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self._conversation.add([_message(message) for message in messages])

    def clear(self) -> None:
        self._conversation.clear()


def _document(hit: Hit) -> Document:
    memory = hit.memory
    about = {"score": hit.score, "namespace": memory.namespace, "kind": memory.kind, "tags": list(memory.tags)}
    times = {"created_at": memory.created_at.isoformat(), "happened_at": memory.happened_at.isoformat()}
    return Document(id=memory.id, page_content=memory.text, metadata={**memory.metadata, **about, **times})


def _message(message: BaseMessage) -> Message:
    said = text_of(message.content) if message.type != "tool" else ""
    text = said if said.strip() else " ".join(filter(None, [message.type, message.name]))
    return Message(ROLES.get(message.type, message.type), text, message_to_dict(message))
