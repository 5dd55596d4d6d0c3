"""A chat that recalls before each message and remembers after it: `with mind.conversation(user="ada") as chat:`.

A failure of the memory never stops the chat. It is logged, and what could not be stored is stored with the next message
or at the end; only the end raises the error. A message that can never be stored, such as one with binary data, is left
out with a warning.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .checks import optional
from .errors import RecollectError
from .ids import new_id
from .namespaces import encoded
from .write.conversations.messages import readable

if TYPE_CHECKING:
    from .recollect import Recollect

MOST_QUERY_CHARS = 20_000
HISTORY = 40
"""How many of the latest messages a model gets."""
logger = logging.getLogger(__name__)

SPEAKERS = ("user", "assistant")

Message = Any
"""A message with a role and a content, as OpenAI's chat protocol has it: a dict, or an object of a client."""


class Chat:
    """One conversation. `messages` and `answered` are for any model; `ask` is for clients of OpenAI's protocol."""

    def __init__(self, mind: Recollect, *, user: str | None, session_id: str | None, limit: int) -> None:
        self.session_id = optional("session_id", session_id) or new_id()
        self.namespace = mind.namespace if user is None else f"{mind.namespace}/users/{encoded(user)}"
        self._mind, self._limit = mind, limit
        self._said = [] if session_id is None else self._earlier()
        self._kept: list[Mapping[str, Any]] = list(self._said)
        """What was said, without messages that can't be stored."""
        self._stored = len(self._kept)

    # The five-line loop ---------------------------------------------------------------------------

    def ask(self, client: Any, text: str, **options: Any) -> str:  # noqa: ANN401 - any client, its own options
        """The model's answer to a message, by `client.chat.completions.create(**options)`."""
        reply = client.chat.completions.create(messages=self.messages(text), **options)
        answer = reply.choices[0].message.content or ""
        self.answered(text, answer)
        return str(answer)

    def messages(self, text: str) -> list[dict[str, Any]]:
        """What to send to a model: the recalled memories, the conversation so far, and the message."""
        so_far = [{"role": each["role"], "content": each["content"]} for each in self._said[-HISTORY:]]
        return self.with_context([*so_far, {"role": "user", "content": text}])

    def answered(self, text: str, answer: str) -> None:
        """Remembers a message and its answer."""
        self.remember([{"role": "user", "content": text}, {"role": "assistant", "content": answer}])

    # For programs that keep the messages themselves -----------------------------------------------

    def context(self, text: str) -> str:
        """What recall finds for a message, fenced as data; empty if nothing answers it."""
        try:
            found = self._mind.recall(text[:MOST_QUERY_CHARS], limit=self._limit, namespace=self.namespace)
        except RecollectError as error:
            logger.warning("nothing was recalled: %s", error)
            return ""
        new = any(hit.memory.session_id != self.session_id for hit in found.hits)
        return found.context() if new else ""

    def with_context(self, messages: Sequence[Message]) -> list[Any]:
        """These messages, the last one with what recall finds for it. Only a message of the user is looked up, so a
        tool's result is sent as it is. Memories are data, so they are not in a system message, which models obey."""
        last = messages[-1] if messages else {}
        asked = text_of(last.get("content")) if isinstance(last, Mapping) and last.get("role") == "user" else ""
        context = self.context(asked) if asked.strip() else ""
        return [*messages[:-1], {**last, "content": _joined(context, last["content"])}] if context else list(messages)

    def remember(self, messages: Sequence[Message]) -> None:
        """Stores messages of the user and of the assistant. Those of other roles are left out."""
        now, told = datetime.now(UTC), [(role_of(each), _content(each)) for each in messages]
        spoken = [(role, text) for role, text in told if role in SPEAKERS and text.strip()]
        said = [{"role": role, "content": text, "at": now} for role, text in spoken]
        kept, refused = readable(said)
        for reason in refused.values():
            logger.warning("a message can't be remembered: %s", reason)
        self._said += said
        self._kept += kept
        try:
            self._store()
        except RecollectError as error:
            logger.warning("not remembered yet: %s", error)

    @property
    def has_begun(self) -> bool:
        return bool(self._said)

    def close(self) -> None:
        """Stores what could not be stored before. Raises the error if it still can't."""
        self._store()

    def __enter__(self) -> Chat:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _earlier(self) -> list[dict[str, Any]]:
        """What was said in this session before."""
        found = self._mind.list(namespace=self.namespace, session_id=self.session_id, granularity="turn")
        turns = sorted(found, key=lambda memory: memory.turn or 0)
        return [{"role": turn.role, "content": turn.text, "at": turn.told_at} for turn in turns]

    def _store(self) -> None:
        """The whole conversation again: only what is new is added to a session."""
        if len(self._kept) > self._stored:
            self._mind.ingest(self._kept, session_id=self.session_id, namespace=self.namespace)
            self._stored = len(self._kept)


def role_of(message: Message) -> object:
    return message.get("role") if isinstance(message, Mapping) else getattr(message, "role", None)


def _content(message: Message) -> str:
    return text_of(message.get("content") if isinstance(message, Mapping) else getattr(message, "content", None))


def _joined(context: str, content: object) -> object:
    """A context before a message, which is a text or a list of parts."""
    return [{"type": "text", "text": context}, *content] if isinstance(content, list) else f"{context}\n\n{content}"


def text_of(content: object) -> str:
    """The text of a message's content: a text, or a list of parts of which some have a text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    found = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in found if isinstance(text, str))
