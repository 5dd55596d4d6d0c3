"""A store on database servers, which somebody operates: the state of the servers, and what to do about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

ServerState = Literal["ok", "behind", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server of a store, and the connections of this process to it."""

    name: str
    """`primary`, or `replica 1` and so on, in the order of the setting; then the servers that hold partitions, by
    their names."""
    url: str
    """Empty for a server that holds partitions, if this process has not read from it."""
    state: ServerState
    """`behind`: it lacks something that this process has written, so it is not read now."""
    detail: str = ""
    lag_bytes: int | None = None
    """How much of the primary's log it has not replayed. None if that is not known."""
    lag_seconds: float | None = None
    in_use: int = 0
    idle: int = 0
    reads: int = 0
    """How many reads of this process it has answered."""
    statements: int = 0
    slow_statements: int = 0
    statement_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """Something about the servers that a person should know."""

    state: Literal["ok", "warn", "fail"]
    what: str
    do: str = ""


@runtime_checkable
class Operated(Protocol):
    """What a store on servers offers besides `Store`."""

    def servers(self) -> Sequence[Server]:
        """The servers, each asked now; the primary first."""

    def upkeep(self) -> Sequence[Upkeep]:
        """Advice about the servers and tables."""

    def set_row_security(self, on: bool) -> None:
        """Makes the database limit calls of a key to its namespace, or ends that."""

    @property
    def has_row_security(self) -> bool: ...
