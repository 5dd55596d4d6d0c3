"""The bodies of answers about conversations, for the OpenAPI document."""

from __future__ import annotations

from pydantic import Field

from .answers import Answer, Memory


class SessionBegun(Answer):
    id: str
    namespace: str
    first: Memory


class Sessions(Answer):
    sessions: list[SessionBegun]
    next: str | None


class Named(Answer):
    id: str
    text: str


class TurnFact(Answer):
    memory: Memory
    replaced_by: list[Named]
    said_before: bool = Field(description="It was stored earlier; this message said it again.")


class Turn(Answer):
    memory: Memory
    facts: list[TurnFact]


class Conversation(Answer):
    id: str
    namespace: str
    last: int = Field(description="The number of the last message.")
    turns: list[Turn]
