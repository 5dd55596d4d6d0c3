"""A conversation as memories: turns, facts, or whole rounds and sessions, each with its views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import TypeAlias

from ...extractors.protocol import FACETS, Extractor, Statement
from ...ids import new_id
from ...text.moments import parse_moment
from ...types import Granularity, Memory, plain
from ..build.draft import Draft
from ..build.statements import other_words
from ..stamp import Stamp
from .messages import ASSISTANT, USER, Turn

MOST_FACTS_PER_TURN = 20
WHOLE_TURN = 0.4
"""Share of a turn's length from which on a fact means what the turn means."""
PARTS = "parts"
"""Of a whole record: who said how many characters of it and when, so that it can be taken apart again."""
ROUND = "round"
"""Of every record of a conversation: the number of its round."""
_SIDES = {USER: "user", ASSISTANT: "assistant"}
_JOIN = "\n"
Said: TypeAlias = tuple[str, Sequence[str]]
"""A statement's text and its facets."""
Views: TypeAlias = dict[str, tuple[str, ...]]
"""View → the texts it is the mean of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where records go."""

    namespace: str
    session_id: str
    stamp: Stamp

    def turn(self, turn: Turn) -> Memory:
        return replace(
            self._memory(turn, "turn", turn.shown),
            role=turn.role,
            origin=self.stamp.origin or turn.role,
            metadata={ROUND: turn.round},
        )

    def fact(self, statement: Statement, turn: Turn) -> Memory:
        facets = {"facets": list(statement.facets)} if statement.facets else {}
        return replace(
            self._memory(turn, "fact", statement.text),
            kind=_kind(statement),
            entities=statement.entities,
            gist=_gist(statement),
            role=turn.role,
            origin=self.stamp.origin or turn.role,
            metadata={ROUND: turn.round, **facets},
            occurred_at=statement.occurred_at or turn.at,
        )

    def whole(self, turns: Sequence[Turn], granularity: Granularity) -> Memory:
        lines = [f"{turn.role}: {turn.text}" for turn in turns]
        parts = [_part(turn, len(line), turns[0].at) for turn, line in zip(turns, lines, strict=True)]
        return replace(
            self._memory(turns[0], granularity, _JOIN.join(lines)),
            metadata={ROUND: turns[0].round, PARTS: parts},
        )

    def _memory(self, turn: Turn, granularity: Granularity, text: str) -> Memory:
        return Memory(
            id=new_id(),
            text=text,
            kind=granularity,
            namespace=self.namespace,
            session_id=self.session_id,
            turn=turn.number,
            granularity=granularity,
            origin=self.stamp.origin or USER,
            trust=self.stamp.trust,
            created_at=self.stamp.at,
            occurred_at=turn.at,
            valid_from=turn.at,
        )


def _part(turn: Turn, length: int, start: datetime) -> list[object]:
    """The time is left out where it is that of the record."""
    return [turn.role, length] if turn.at == start else [turn.role, length, plain(turn.at)]


def is_record(memory: Memory) -> bool:
    """Whether it came with a conversation."""
    return memory.session_id is not None and isinstance(round_of(memory), int)


def round_of(memory: Memory) -> object:
    return memory.metadata.get(ROUND)


def is_whole(memory: Memory) -> bool:
    """Whether it can be taken apart; not when somebody has changed its text since."""
    lengths = [part[1] + len(_JOIN) for part in memory.metadata.get(PARTS, ())]
    return bool(sum(lengths) == len(memory.text) + len(_JOIN))


def said_in(memory: Memory) -> list[Turn]:
    """The turns that a record was made of."""
    first = Turn(
        role=memory.role or USER,
        text=memory.text.removeprefix(f"{memory.role}: "),
        at=memory.happened_at,
        number=memory.turn or 0,
        round=int(memory.metadata.get(ROUND, 0)),
    )
    if not is_whole(memory):
        return [first]
    found: list[Turn] = []
    start = 0
    for role, length, *times in memory.metadata[PARTS]:
        line = memory.text[start : start + length]
        at = parse_moment(times[0]) if times else first.at
        text = line.removeprefix(f"{role}: ")
        found.append(replace(first, role=role, text=text, at=at, number=first.number + len(found)))
        start += length + len(_JOIN)
    return found


def facts(turns: Sequence[Turn], extractor: Extractor, wanted: Iterable[int]) -> dict[int, list[Statement]]:
    """Number of each wanted turn → what it states; an assistant's turns state nothing about the user."""
    chosen = set(wanted)
    found: dict[int, list[Statement]] = {}
    for before, turn in zip([None, *turns], turns, strict=False):
        if turn.number in chosen and turn.role != ASSISTANT:
            asked = before.text if before is not None and before.text.rstrip().endswith(("?", "？")) else None
            speaker = None if turn.role == USER else turn.role
            stated = extractor.extract(turn.text, speaker=speaker, at=turn.at, asked=asked)
            found[turn.number] = stated[:MOST_FACTS_PER_TURN]
    return found


def fact_drafts(place: Place, turn: Turn, stated: Iterable[Statement]) -> list[Draft]:
    """A fact of a suspicious turn is as suspicious: who reads it out can be told what to say."""
    return [
        Draft(
            memory=place.fact(fact, turn),
            about=about(fact),
            views={"full": (meant(fact.text, turn.shown),)},
            taken_from=(turn.shown,),
        )
        for fact in stated
    ]


def meant(fact: str, turn: str) -> str:
    """The text whose vector a fact has: its own, or the turn's when it is most of what the turn says, so that
    short turns are not embedded twice."""
    return turn if len(fact) >= WHOLE_TURN * len(turn) else fact


def about(statement: Statement) -> str | None:
    known = statement.subject and statement.attribute
    return f"{statement.subject}/{statement.attribute}" if known else None


def _gist(statement: Statement) -> str:
    if statement.attribute is None or statement.value is None:
        return ""
    return other_words(statement.text, statement.attribute, statement.value)


def _kind(statement: Statement) -> str:
    if "preferences" in statement.facets:
        return "preference"
    return "event" if "events" in statement.facets else "fact"


def turn_views(turns: Sequence[Memory], stated: Mapping[str, Iterable[Said]]) -> dict[str, Views]:
    """Memory id → its further views: its side, its facets, and what the user said next."""
    following = _next_user(turns)
    found: dict[str, Views] = {}
    for turn in turns:
        views = facet_views(stated.get(turn.id, ()))
        if turn.role in _SIDES:
            views[_SIDES[turn.role]] = (turn.text,)
        if turn.id in following:
            views["next_user"] = (following[turn.id],)
        found[turn.id] = views
    return found


def _next_user(turns: Sequence[Memory]) -> dict[str, str]:
    """Each turn of a round is followed by what the user said next."""
    found: dict[str, str] = {}
    rounds = [list(members) for _, members in groupby(filter(is_record, turns), key=round_of)]
    for members, after in zip(rounds, rounds[1:], strict=False):
        if after[0].role != ASSISTANT:
            found |= {turn.id: after[0].text for turn in members}
    return found


def facet_views(stated: Iterable[Said]) -> Views:
    """Facet → the statements that belong to it, in an order that does not depend on which were known before."""
    listed = sorted(stated, key=lambda each: each[0])
    views = {facet: tuple(text for text, facets in listed if facet in facets) for facet in FACETS}
    return {facet: texts for facet, texts in views.items() if texts}


def said(statements: Iterable[Statement], turn: str = "") -> list[Said]:
    """Statements with their facets; those of one turn by the text whose vector they have."""
    return [(meant(s.text, turn) if turn else s.text, s.facets) for s in statements]


def wholes(
    turns: Sequence[Turn], granularity: Granularity, place: Place, stated: Mapping[int, Sequence[Statement]]
) -> list[Draft]:
    """Rounds or the session as single records; their vectors are means of their turns'."""
    groups = [list(turns)] if granularity == "session" else _rounds(turns)
    drafts = []
    for members, after in zip(groups, [*groups[1:], None], strict=True):
        views = whole_views(members, said(s for turn in members for s in stated.get(turn.number, ())), after)
        drafts.append(Draft(memory=place.whole(members, granularity), merge=False, views=views))
    return drafts


def _rounds(turns: Sequence[Turn]) -> list[list[Turn]]:
    return [list(members) for _, members in groupby(turns, key=lambda turn: turn.round)]


def whole_views(members: Sequence[Turn], stated: Iterable[Said], after: Sequence[Turn] | None) -> Views:
    views = {"full": tuple(turn.shown for turn in members)} | facet_views(stated)
    for role, view in _SIDES.items():
        if side := tuple(turn.text for turn in members if turn.role == role):
            views[view] = side
    if after and after[0].role != ASSISTANT:
        views["next_user"] = (after[0].shown,)
    return views
