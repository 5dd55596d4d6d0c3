"""Checks messages and converts them to turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from ... import checks
from ...errors import InvalidInput
from .strip import strip

USER, ASSISTANT = "user", "assistant"
_SAME_AS = {"human": USER, "ai": ASSISTANT, "model": ASSISTANT, "bot": ASSISTANT, "chatbot": ASSISTANT}
_NOISE = ("system", "developer", "tool", "function")
"""Roles whose messages are not stored: they hold instructions and tool output."""
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands for the time of a message that is only checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation."""

    role: str
    """user, assistant, or the name of a speaker."""
    text: str
    at: datetime
    number: int
    round: int
    """A question and its answers share a round."""

    @property
    def shown(self) -> str:
        """The text as it is stored. A named speaker (neither user nor assistant) is put before it."""
        return self.text if self.role in (USER, ASSISTANT) else f"{self.role}: {self.text}"


def check(messages: object) -> Sequence[Mapping[str, Any]]:
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise InvalidInput('messages must be a list such as [{"role": "user", "content": "…"}]')
    if not messages:
        raise InvalidInput("the conversation is empty: there is nothing to ingest")
    return messages


def readable(messages: Iterable[object]) -> tuple[list[Mapping[str, Any]], dict[int, str]]:
    """The messages that become turns, and why others can't: number of the message → reason. Noise is in neither."""
    kept: list[Mapping[str, Any]] = []
    refused: dict[int, str] = {}
    for number, message in enumerate(messages):
        try:
            if _turn(message, (), _ANY_TIME, False) is not None:
                kept.append(cast(Mapping[str, Any], message))
        except InvalidInput as error:
            refused[number] = str(error)
    return kept, refused


def turns(
    messages: Sequence[Mapping[str, Any]], *, at: datetime, before: Sequence[Turn] = (), redacts: bool = False
) -> list[Turn]:
    """The conversation's turns in the given order, numbered after those in `before`. A message without a time gets
    that of the message before it."""
    found = list(before)
    for number, message in enumerate(messages):
        try:
            turn = _turn(message, found, at, redacts)
        except InvalidInput as error:
            raise InvalidInput(f"message {number}: {error}") from None
        if turn is not None:
            found.append(turn)
    return found[len(before) :]


def _turn(message: object, before: Sequence[Turn], at: datetime, redacts: bool) -> Turn | None:
    if not isinstance(message, Mapping):
        raise InvalidInput(f"must be a dict with role and content, not {type(message).__name__}")
    role = _role(message)
    text = strip(_content(message.get("content", message.get("text"))))
    if role in _NOISE or not text:
        return None
    if redacts:
        from ..screening.secrets import redacted  # its patterns compile slowly and are rarely needed

        text = redacted(text)
    given = checks.moment("at", message.get("at") or message.get("timestamp"))
    return Turn(
        role=role,
        text=checks.text(text, "content"),
        at=given or (before[-1].at if before else at),
        number=before[-1].number + 1 if before else 0,
        round=_round(role, before),
    )


def _role(message: Mapping[str, Any]) -> str:
    role = message.get("role") or message.get("speaker")
    if role is None:
        raise InvalidInput("has no role: give user, assistant, or the speaker's name")
    named = checks.label("role", role)
    known = _SAME_AS.get(named.lower(), named.lower())
    if known in (USER, ASSISTANT, *_NOISE):
        return checks.label("name", message["name"]) if known == USER and message.get("name") else known
    return named


def _content(content: object) -> str:
    """The text, or the joined text parts of a list of parts."""
    if content is None:
        return ""
    if isinstance(content, list):
        parts = [part.get("text", "") if isinstance(part, Mapping) else part for part in content]
        return "\n".join(part for part in parts if part and isinstance(part, str))
    if not isinstance(content, str):
        raise InvalidInput(f"content must be text, not {type(content).__name__}")
    return checks.clean("content", content)


def _round(role: str, before: Sequence[Turn]) -> int:
    """A new round starts when the user speaks after an answer, or a speaker after two turns of a dialogue."""
    if not before:
        return 0
    last = before[-1]
    if role in (USER, ASSISTANT):
        starts = role == USER and last.role != USER
    else:
        starts = sum(turn.round == last.round for turn in before[-2:]) == 2
    return last.round + starts
