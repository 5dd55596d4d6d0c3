"""In which messages was a statement said, and which of them say nothing else?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..store.protocol import Store
from ..types import Memory
from .links import words_of
from .nearby import repeats

MOST_OF_A_TURN = 0.7
"""The least share of a turn's text that a fact must have for the turn to be superseded with it."""


@dataclass(slots=True)
class Messages:
    """Finds the messages of statements."""

    store: Store
    turns: Sequence[Memory] = ()
    """Turns that are stored together with new facts, which are not linked to them yet."""
    changed: Mapping[str, Memory] = field(default_factory=dict)
    """Memories that were changed since they were read."""
    _new: dict[tuple[str, str | None, int | None], Memory] = field(init=False)

    def __post_init__(self) -> None:
        self._new = {_place(turn): turn for turn in self.turns}

    def saying(self, statement: Memory) -> list[Memory]:
        """The turns that a statement was extracted from, and the assistant's replies that only repeat them."""
        turns = self.said_in(statement)
        return turns + self.confirming([m for m in (statement, *turns) if m.granularity == "turn"])

    def said_in(self, fact: Memory) -> list[Memory]:
        """The turns that a fact was extracted from."""
        if fact.granularity != "fact":
            return []
        taken = [link.b for link in self.store.links([fact.id]) if link.kind == "extends" and link.a == fact.id]
        own = self._new.get(_place(fact))
        turns = [*self.store.get(taken).values(), *([own] if own else [])]
        found = {turn.id: self.changed.get(turn.id, turn) for turn in turns if turn.granularity == "turn"}
        return [turn for turn in found.values() if turn.status in ("active", "superseded")]

    def confirming(self, turns: Sequence[Memory]) -> list[Memory]:
        """The replies of an assistant that only repeat one of the turns."""
        pairs = [(turn, reply) for turn in turns for reply in self._next(turn)]
        return [reply for turn, reply in pairs if reply.role == "assistant" and repeats(reply.text, words_of(turn))]

    def _next(self, turn: Memory) -> list[Memory]:
        new = self._new.get((turn.namespace, turn.session_id, (turn.turn or 0) + 1))
        if new:
            return [new]
        after = [link.b for link in self.store.links([turn.id]) if (link.a, link.kind) == (turn.id, "temporal")]
        return list(self.store.get(after).values())


def says_only(memory: Memory, older: Memory) -> bool:
    """Whether the memory says nothing but what the older statement says. Otherwise it stays active, with a link. A
    reply stays too: it is the assistant's."""
    from ..extractors.judgement import states_more

    if memory.role != older.role or states_more(words_of(memory)):
        return False
    return memory.id == older.id or len(older.text) >= MOST_OF_A_TURN * len(memory.text)


def _place(memory: Memory) -> tuple[str, str | None, int | None]:
    return memory.namespace, memory.session_id, memory.turn
