"""Reads conversations: the list of them, and one as messages with the statements that were taken from each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import checks
from ..errors import NotFound
from ..store.protocol import Store
from ..text.analyze import analyze
from ..types import STATUSES, Filter, Link, Memory, Status
from ..write.build.statements import STATING

MOST_SEARCHED = 5_000
"""The most memories of one session that a search reads."""
_SHOWN: tuple[Status, ...] = tuple(status for status in STATUSES if status not in ("forgotten", "quarantined"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A statement beside its message."""

    memory: Memory
    replaced_by: tuple[Memory, ...] = ()
    said_before: bool = False
    """The statement was stored earlier; this message said it again."""

    def to_dict(self) -> dict[str, Any]:
        newer = [{"id": each.id, "text": each.text} for each in self.replaced_by]
        return {"memory": self.memory.to_dict(), "replaced_by": newer, "said_before": self.said_before}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    memory: Memory
    facts: tuple[Fact, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"memory": self.memory.to_dict(), "facts": [fact.to_dict() for fact in self.facts]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Some messages of one session, in order."""

    session_id: str
    namespace: str
    last: int
    """The number of the last message of the session."""
    turns: tuple[Turn, ...]

    def to_dict(self) -> dict[str, Any]:
        listed = [turn.to_dict() for turn in self.turns]
        return {"id": self.session_id, "namespace": self.namespace, "last": self.last, "turns": listed}


def sessions(store: Store, namespace: str, *, limit: int, after: str | None = None) -> list[Memory]:
    """The first message of each session, newest first. If it was forgotten, the first that is left stands for it."""
    within = Filter(namespaces=(namespace,), statuses=STATUSES)
    beyond = None if after is None else _first_of(store, after)
    found: list[Memory] = []
    while len(found) < limit:
        page = store.sessions(within, limit=limit, after=beyond)
        found += [turn for first in page for turn in _begins(store, first)]
        if len(page) < limit:
            break
        beyond = page[-1].id
    return found[:limit]


def _begins(store: Store, first: Memory) -> list[Memory]:
    """The first message of a session that is shown; none if all are hidden."""
    if first.status in _SHOWN:
        return [first]
    return store.scan(_turns_of(first, _SHOWN), order="oldest", limit=1)


def _first_of(store: Store, id: str) -> str:
    """The id of the first message of the same session, by which sessions are sorted."""
    turn = store.get([id]).get(id)
    if turn is None or not turn.turn:
        return id
    return next((each.id for each in store.scan(replace(_turns_of(turn, STATUSES), turns=(0,)), limit=1)), id)


def _turns_of(turn: Memory, statuses: tuple[Status, ...]) -> Filter:
    place = Filter(namespaces=(turn.namespace,), exact=True, statuses=statuses, granularities=("turn",))
    return replace(place, session_id=turn.session_id)


def conversation(
    store: Store, namespace: str, session_id: str, *, start: int, limit: int, text: str | None = None
) -> Conversation:
    """The messages from number `start` on, at most `limit` numbers; or those that contain the words of `text`."""
    session = checks.label("session_id", session_id)
    within = Filter(namespaces=(namespace,), statuses=_SHOWN, session_id=session)
    last = store.scan(replace(within, granularities=("turn",)), order="newest", limit=1)
    if not last:
        raise NotFound(f"nothing of a session {session!r} is stored in {namespace}: check both names")
    # A session of the same name in another namespace below this one is another session.
    within = replace(within, namespaces=(last[0].namespace,), exact=True)
    held = (
        store.scan(replace(within, turns=tuple(range(start, start + limit))))
        if text is None
        else _naming(store.scan(within, order="oldest", limit=MOST_SEARCHED), text)[:limit]
    )
    return Conversation(
        session_id=session,
        namespace=last[0].namespace,
        last=max(last[0].turn or 0, *(memory.turn or 0 for memory in held), 0),
        turns=_turns(store, held, within),
    )


def _naming(held: Iterable[Memory], text: str) -> list[Memory]:
    """The messages that contain all words of the text, or the text itself."""
    wanted, plain = set(analyze(text)), text.casefold()
    turns = [memory for memory in held if memory.granularity == "turn"]
    return [turn for turn in turns if plain in turn.text.casefold() or (wanted and wanted <= set(analyze(turn.text)))]


def _turns(store: Store, held: Sequence[Memory], within: Filter) -> tuple[Turn, ...]:
    turns = sorted((each for each in held if each.granularity == "turn"), key=lambda turn: (turn.turn or 0, turn.id))
    links = store.links([turn.id for turn in turns])
    stated = _stated(links, turns)
    cut = {each.id: each for each in held if each.granularity in STATING}
    anywhere = Filter(namespaces=within.namespaces, statuses=_SHOWN, granularities=STATING)
    known = cut | store.get({id for ids in stated.values() for id in ids} - cut.keys(), anywhere)
    newer = _newer(store, known, anywhere)
    return tuple(
        Turn(memory=turn, facts=tuple(_fact(known[id], turn, newer) for id in stated[turn.id] if id in known))
        for turn in turns
    )


def _stated(links: Iterable[Link], turns: Iterable[Memory]) -> dict[str, list[str]]:
    """Turn → the statements that were taken from it, or that it said again."""
    stated: dict[str, list[str]] = {turn.id: [] for turn in turns}
    for link in links:
        if link.kind == "extends" and link.b in stated:
            stated[link.b].append(link.a)
    return stated


def _newer(store: Store, known: Mapping[str, Memory], anywhere: Filter) -> dict[str, tuple[Memory, ...]]:
    """Superseded statement → what replaced it."""
    former = [id for id, memory in known.items() if memory.status == "superseded"]
    links = [link for link in store.links(former) if link.kind == "supersedes" and link.b in known]
    ends = store.get({link.a for link in links}, anywhere)
    found: dict[str, tuple[Memory, ...]] = {}
    for link in links:
        if link.a in ends:
            found[link.b] = (*found.get(link.b, ()), ends[link.a])
    return found


def _fact(memory: Memory, turn: Memory, newer: Mapping[str, tuple[Memory, ...]]) -> Fact:
    elsewhere = (memory.session_id, memory.turn) != (turn.session_id, turn.turn)
    return Fact(memory=memory, replaced_by=newer.get(memory.id, ()), said_before=elsewhere)
