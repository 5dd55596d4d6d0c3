"""A conversation as memories: turns, facts, or whole rounds and sessions, each with its views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import TypeAlias

from ..extractors.protocol import FACETS, Extractor, Statement
from ..identity import new_id
from ..types import Granularity, Memory
from .conversation import ASSISTANT, USER, Turn
from .path import Draft

MOST_FACTS_PER_TURN = 20
_SIDES = {USER: "user", ASSISTANT: "assistant"}
Said: TypeAlias = tuple[str, Sequence[str]]
"""A statement's text and its facets."""


def turn_memory(turn: Turn, namespace: str, session_id: str, now: datetime) -> Memory:
    return Memory(
        id=new_id(),
        text=turn.shown,
        kind="turn",
        namespace=namespace,
        session_id=session_id,
        turn=turn.number,
        role=turn.role,
        granularity="turn",
        origin=turn.role,
        metadata={"round": turn.round},
        created_at=now,
        occurred_at=turn.at,
        valid_from=turn.at,
    )


def facts(turns: Sequence[Turn], extractor: Extractor) -> dict[int, list[Statement]]:
    """Turn number → what it states; an assistant's turns state nothing about the user."""
    found: dict[int, list[Statement]] = {}
    for before, turn in zip([None, *turns], turns, strict=False):
        if turn.role != ASSISTANT:
            asked = before.text if before is not None and before.text.rstrip().endswith(("?", "？")) else None
            speaker = None if turn.role == USER else turn.role
            stated = extractor.extract(turn.text, speaker=speaker, at=turn.at, asked=asked)
            found[turn.number] = stated[:MOST_FACTS_PER_TURN]
    return found


def fact_memory(statement: Statement, turn: Turn, namespace: str, session_id: str, now: datetime) -> Memory:
    happened = statement.occurred_at or turn.at
    return Memory(
        id=new_id(),
        text=statement.text,
        kind=_kind(statement),
        entities=statement.entities,
        namespace=namespace,
        session_id=session_id,
        turn=turn.number,
        role=turn.role,
        granularity="fact",
        origin=turn.role,
        metadata={
            "round": turn.round,
            **({"facets": list(statement.facets)} if statement.facets else {}),
        },
        created_at=now,
        occurred_at=happened,
        valid_from=turn.at,
    )


def about(statement: Statement) -> str | None:
    known = statement.subject and statement.attribute
    return f"{statement.subject}/{statement.attribute}" if known else None


def _kind(statement: Statement) -> str:
    if "preferences" in statement.facets:
        return "preference"
    return "event" if "events" in statement.facets else "fact"


def turn_views(turns: Sequence[Memory], stated: Mapping[int, Iterable[Said]]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Memory id → view → the texts it is the mean of: its side, its facets, and what the user said next."""
    following = _next_user(turns)
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for turn in turns:
        views = facet_views(stated.get(turn.turn or 0, ()))
        if turn.role in _SIDES:
            views[_SIDES[turn.role]] = (turn.text,)
        if turn.id in following:
            views["next_user"] = (following[turn.id],)
        found[turn.id] = views
    return found


def _next_user(turns: Sequence[Memory]) -> dict[str, str]:
    """Each turn of a round is followed by what the user said next."""
    found: dict[str, str] = {}
    rounds = [list(members) for _, members in groupby(turns, key=lambda turn: turn.metadata.get("round"))]
    for members, after in zip(rounds, rounds[1:], strict=False):
        if after[0].role != ASSISTANT:
            found |= {turn.id: after[0].text for turn in members}
    return found


def facet_views(stated: Iterable[Said]) -> dict[str, tuple[str, ...]]:
    """Facet → the statements that belong to it."""
    listed = list(stated)
    views = {facet: tuple(text for text, facets in listed if facet in facets) for facet in FACETS}
    return {facet: texts for facet, texts in views.items() if texts}


def said(statements: Iterable[Statement]) -> list[Said]:
    return [(statement.text, statement.facets) for statement in statements]


def whole(
    turns: Sequence[Turn],
    granularity: Granularity,
    namespace: str,
    session_id: str,
    now: datetime,
    stated: Mapping[int, Sequence[Statement]],
) -> list[Draft]:
    """Rounds or the session as single records; their vectors are means of their turns'."""
    groups = [list(turns)] if granularity == "session" else _rounds(turns)
    drafts = []
    for members, after in zip(groups, [*groups[1:], None], strict=True):
        views = _whole_views(members, said(s for turn in members for s in stated.get(turn.number, ())))
        if after is not None and after[0].role != ASSISTANT:
            views["next_user"] = (after[0].shown,)
        memory = _whole_memory(members, granularity, namespace, session_id, now)
        drafts.append(Draft(memory=memory, merge=False, views=views))
    return drafts


def _rounds(turns: Sequence[Turn]) -> list[list[Turn]]:
    return [list(members) for _, members in groupby(turns, key=lambda turn: turn.round)]


def _whole_memory(
    members: Sequence[Turn], granularity: Granularity, namespace: str, session_id: str, now: datetime
) -> Memory:
    first = members[0]
    return Memory(
        id=new_id(),
        text="\n".join(f"{turn.role}: {turn.text}" for turn in members),
        kind=granularity,
        namespace=namespace,
        session_id=session_id,
        turn=first.number,
        granularity=granularity,
        metadata={"round": first.round},
        created_at=now,
        occurred_at=first.at,
        valid_from=first.at,
    )


def _whole_views(members: Sequence[Turn], stated: Iterable[Said]) -> dict[str, tuple[str, ...]]:
    views = {"full": tuple(turn.shown for turn in members)} | facet_views(stated)
    for role, view in _SIDES.items():
        if side := tuple(turn.text for turn in members if turn.role == role):
            views[view] = side
    return views
