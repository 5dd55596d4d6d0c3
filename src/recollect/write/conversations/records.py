"""Converts a conversation to memories: turns, facts, or whole rounds and sessions, each with its views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from ...extractors.protocol import FACETS, Extractor, Statement
from ...ids import new_id
from ...text.moments import in_zone, parse_moment
from ...text.sentences import sentences
from ...types import CORRECTS, RETRACTS, WHEN, Granularity, Memory, When, plain
from ..build.draft import Draft
from ..build.statements import ending, other_words
from ..stamp import Stamp
from .messages import ASSISTANT, USER, Turn

if TYPE_CHECKING:
    from ...extractors.corrections import Completed

MOST_FACTS_PER_TURN = 20
MOST_TITLE_CHARS = 200
"""MemSense's limit for the summary of a record."""
WHOLE_TURN = 0.4
"""A fact with at least this share of its turn's length uses the turn's vector."""
PARTS = "parts"
"""Metadata key of a round or session: role, length and time of each turn, to split the text into turns again."""
ROUND = "round"
"""Metadata key of every record of a conversation: the number of its round."""
_SIDES = {USER: "user", ASSISTANT: "assistant"}
_JOIN = "\n"
Said: TypeAlias = tuple[str, Sequence[str]]
"""A statement's text and its facets."""
SaidBefore: TypeAlias = Callable[[Turn], Sequence[Turn]]
"""A turn → what was said before its conversation."""
Views: TypeAlias = dict[str, tuple[str, ...]]
"""View → the texts it is the mean of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The namespace and session of new records, and who writes them."""

    namespace: str
    session_id: str
    stamp: Stamp
    zone: tzinfo = UTC
    """Where words such as "yesterday" are meant."""

    def turn(self, turn: Turn) -> Memory:
        metadata = {ROUND: turn.round, **_named(self._when(turn))}
        return self._memory(turn, "turn", turn.shown, kind="turn", role=turn.role, metadata=metadata)

    def fact(self, statement: Statement, turn: Turn) -> Memory:
        facets = {"facets": list(statement.facets)} if statement.facets else {}
        return self._memory(
            turn,
            "fact",
            statement.text,
            kind=_kind(statement),
            entities=statement.entities,
            gist=_gist(statement),
            role=turn.role,
            metadata={ROUND: turn.round, **facets, **_named(statement.when), **_corrected(statement)},
            occurred_at=statement.occurred_at,
        )

    def whole(self, turns: Sequence[Turn], granularity: Granularity) -> Memory:
        lines = [f"{turn.role}: {turn.text}" for turn in turns]
        parts = [_part(turn, len(line), turns[0].at) for turn, line in zip(turns, lines, strict=True)]
        metadata: dict[str, object] = {ROUND: turns[0].round, PARTS: parts}
        return self._memory(turns[0], granularity, _JOIN.join(lines), kind=granularity, metadata=metadata)

    def _when(self, turn: Turn) -> When | None:
        """The first time that a speaker names. Long answers of assistants name many."""
        from ...text.dates import find_when  # its patterns take time to compile

        return None if turn.role == ASSISTANT else find_when(turn.text, in_zone(turn.at, self.zone))

    def _memory(
        self,
        turn: Turn,
        granularity: Granularity,
        text: str,
        *,
        kind: str,
        metadata: Mapping[str, object],
        role: str | None = None,
        occurred_at: datetime | None = None,
        entities: tuple[str, ...] = (),
        gist: str = "",
    ) -> Memory:
        return Memory(
            id=new_id(),
            text=text,
            kind=kind,
            entities=entities,
            gist=gist,
            namespace=self.namespace,
            session_id=self.session_id,
            turn=turn.number,
            role=role,
            granularity=granularity,
            origin=self.stamp.origin or role or USER,
            trust=self.stamp.trust,
            metadata=metadata,
            created_at=self.stamp.at,
            occurred_at=occurred_at or turn.at,
            valid_from=turn.at,
        )


def _named(when: When | None) -> dict[str, object]:
    return {} if when is None else {WHEN: when.to_dict()}


def _corrected(statement: Statement) -> dict[str, object]:
    if statement.corrects is None:
        return {}
    return {CORRECTS: statement.corrects} | ({RETRACTS: True} if statement.retracts else {})


def _part(turn: Turn, length: int, start: datetime) -> list[object]:
    """An entry of PARTS. The time is omitted if it equals that of the record."""
    return [turn.role, length] if turn.at == start else [turn.role, length, plain(turn.at)]


def is_record(memory: Memory) -> bool:
    """Whether the memory is a record of a conversation."""
    return memory.session_id is not None and isinstance(round_of(memory), int)


def round_of(memory: Memory) -> object:
    return memory.metadata.get(ROUND)


def is_whole(memory: Memory) -> bool:
    """Whether the text can be split into its turns. After an edit of the text it can't."""
    lengths = [part[1] + len(_JOIN) for part in memory.metadata.get(PARTS, ())]
    return bool(sum(lengths) == len(memory.text) + len(_JOIN))


def said_in(memory: Memory) -> list[Turn]:
    """The turns that a record was built from."""
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


def facts(
    turns: Sequence[Turn], extractor: Extractor, wanted: Iterable[int], before: SaidBefore | None = None
) -> dict[int, list[Statement]]:
    """Number of each wanted turn → its statements. The assistant's turns are skipped.

    With `before`, a correction such as "make that 3pm" is completed with what the speaker said before it. `before`
    gives turns of earlier conversations; it is only called for a correction at the beginning of this one.
    """
    chosen = set(wanted)
    found: dict[int, list[Statement]] = {}
    for n, turn in enumerate(turns):
        if turn.number in chosen and turn.role != ASSISTANT:
            said = turns[n - 1].text if n else ""
            asked = said if said.rstrip().endswith(("?", "？")) else None
            speaker = None if turn.role == USER else turn.role
            done = _completed(turn, turns[:n], before, asked) if before else None
            text = done.text if done else turn.text
            stated = extractor.extract(text, speaker=speaker, at=turn.at, asked=asked)[:MOST_FACTS_PER_TURN]
            found[turn.number] = [_correcting(one, done, speaker) for one in stated] if done else stated
    return found


def _completed(turn: Turn, earlier: Sequence[Turn], before: SaidBefore, asked: str | None) -> Completed | None:
    from ...extractors.corrections import NAMES_BACK, chained, completed, may_correct

    if not may_correct(turn.text):
        return None
    own = [said.text for said in earlier if said.role == turn.role]
    missing = NAMES_BACK - len(own)
    known = [said.text for said in before(turn) if said.role == turn.role] if missing > 0 else []
    return completed(turn.text, chained([*known, *own]), asked=asked is not None)


def _correcting(statement: Statement, done: Completed, speaker: str | None) -> Statement:
    """The statement, with what it corrects."""
    from ...extractors.corrections import sentence_digest

    own = sentence_digest(statement.text.removeprefix(f"{speaker}: "))
    if own not in done.replaced:
        return statement
    return replace(statement, corrects=done.replaced[own], retracts=own in done.retracting)


def fact_drafts(place: Place, turn: Turn, stated: Iterable[Statement]) -> list[Draft]:
    """Drafts of the facts of a turn. Facts of a suspicious turn are suspicious too: an injected instruction may have
    decided what the extractor returned."""
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
    """The text whose vector a fact uses: its own, or the turn's if the fact is a large part of the turn. So short
    turns are not embedded twice."""
    return turn if len(fact) >= WHOLE_TURN * len(turn) else fact


def about(statement: Statement) -> str | None:
    """The statement's key, by which later statements find it."""
    known = statement.subject and statement.attribute
    return f"{statement.subject}/{statement.attribute}" if known else ending(statement.text)


def _gist(statement: Statement) -> str:
    if statement.attribute is None or statement.value is None:
        return ""
    return other_words(statement.text, statement.attribute, statement.value)


def _kind(statement: Statement) -> str:
    if "preferences" in statement.facets:
        return "preference"
    return "event" if "events" in statement.facets else "fact"


def turn_views(turns: Sequence[Memory], stated: Mapping[str, Iterable[Said]]) -> dict[str, Views]:
    """Memory id → its further views: its role, its facets, and the user's next message."""
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
    """Turn id → the user's message that follows its round."""
    found: dict[str, str] = {}
    rounds = [list(members) for _, members in groupby(filter(is_record, turns), key=round_of)]
    for members, after in zip(rounds, rounds[1:], strict=False):
        if after[0].role != ASSISTANT:
            found |= {turn.id: after[0].text for turn in members}
    return found


def facet_views(stated: Iterable[Said]) -> Views:
    """Facet → its statements, sorted by text, so that the order of storing does not matter."""
    listed = sorted(stated, key=lambda each: each[0])
    views = {facet: tuple(text for text, facets in listed if facet in facets) for facet in FACETS}
    return {facet: texts for facet, texts in views.items() if texts}


def said(statements: Iterable[Statement], turn: str = "") -> list[Said]:
    """Statements with their facets. If the turn is given, each statement has the text whose vector it uses."""
    return [(meant(s.text, turn) if turn else s.text, s.facets) for s in statements]


def wholes(
    turns: Sequence[Turn],
    granularity: Granularity,
    place: Place,
    stated: Mapping[int, Sequence[Statement]],
    *,
    titled: bool = False,
) -> list[Draft]:
    """Each round, or the session, as one record. Its vector is the mean of its turns' vectors. With `titled`, each has
    a gist."""
    groups = [list(turns)] if granularity == "session" else _rounds(turns)
    drafts = []
    for members, after in zip(groups, [*groups[1:], None], strict=True):
        views = whole_views(members, said(s for turn in members for s in stated.get(turn.number, ())), after)
        memory = replace(place.whole(members, granularity), gist=_title(members) if titled else "")
        drafts.append(Draft(memory=memory, merge=False, views=views))
    return drafts


def _title(turns: Sequence[Turn]) -> str:
    """What the first speaker begins with, in place of MemSense's summary of at most 200 characters."""
    asked = next((turn.text for turn in turns if turn.role != ASSISTANT), turns[0].text)
    first = next((text.strip() for _, text in sentences(asked) if text.strip()), asked)
    return first if len(first) <= MOST_TITLE_CHARS else first[: MOST_TITLE_CHARS - 1].rsplit(" ", 1)[0] + "…"


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
