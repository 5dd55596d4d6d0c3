"""Ingests a conversation. Only its new part is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Any, Literal

from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput
from ...extractors.protocol import Extractor, Statement
from ...recipes.recipe import WriteRules
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Event, Filter, Granularity, Link, Memory
from ..build.draft import Draft
from ..build.put import build, statement_digest, write
from ..build.views import around, in_order, refresh
from ..links import linked, sources, temporal
from ..path import BATCH, remember
from ..screening.quarantine import newly_held_back
from ..stamp import Stamp, difference
from . import records
from .align import offset
from .messages import Turn, turns
from .restate import drop_unsaid, hidden_with

How = Literal["hybrid", "turn", "fact", "round", "session", "session+round"]
REFERS_BACK = timedelta(days=2)
"""A correction at the beginning of a conversation refers to what was said at most so long before."""
MOST_REFERRED = 24
HOWS: tuple[How, ...] = ("hybrid", "turn", "fact", "round", "session", "session+round")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The messages of a session, each with a role and content."""

    messages: Sequence[Mapping[str, Any]]
    session_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """The result of ingesting a conversation."""

    session_id: str
    added: tuple[Memory, ...] = ()
    merged: tuple[Memory, ...] = ()
    """The stored memories that duplicate facts were merged into."""
    changed: tuple[Memory, ...] = ()
    """Records whose text changed: a round that got its answer, or an edited message."""
    unchanged: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "added": [memory.to_dict() for memory in self.added],
            "merged": [memory.to_dict() for memory in self.merged],
            "changed": [memory.to_dict() for memory in self.changed],
            "unchanged": self.unchanged,
        }

    def with_more(self, more: Ingested) -> Ingested:
        return replace(
            self,
            added=self.added + more.added,
            merged=self.merged + more.merged,
            changed=self.changed + more.changed,
            unchanged=self.unchanged + more.unchanged,
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """The writes for a conversation, or for the first part of a long one."""

    conversation: Conversation
    held: Sequence[Memory]
    """The records of the conversation that are stored already."""
    drafts: Sequence[Draft]
    """The new records: each turn is followed by its facts."""
    rewrites: Sequence[tuple[Memory, Draft]] = ()
    unchanged: int = 0
    rest: Sequence[Draft] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.drafts) + len(self.rewrites)

    @property
    def turns(self) -> int:
        return sum(draft.memory.granularity == "turn" for draft in self.drafts)


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a plan."""

    plan: Plan
    changed: Sequence[Memory]
    pairs: Sequence[tuple[Memory, Memory]]
    """For each draft: its memory as stated, and the memory it is stored as."""

    @property
    def added(self) -> list[Memory]:
        return [kept for _, kept in self.pairs if kept.merged_into is None]

    @property
    def turns(self) -> list[Memory]:
        return [kept for _, kept in self.pairs if kept.granularity == "turn"]

    def turns_beside(self) -> list[Memory]:
        """The new turns with the stored turns directly before and after them."""
        around = {n for turn in self.turns for n in ((turn.turn or 0) - 1, (turn.turn or 0) + 1)}
        beside = [memory for memory in self.plan.held if memory.granularity == "turn" and memory.turn in around]
        return in_order([*beside, *self.turns])

    def stated_in(self, turn: Memory) -> set[str]:
        facts = ((stated, kept) for stated, kept in self.pairs if stated.granularity == "fact")
        return {kept.id for stated, kept in facts if stated.turn == turn.turn}

    def continued(self) -> list[Memory]:
        """The new turns that follow a stored turn. The view `next_user` of the stored turn changes."""
        new = {turn.id for turn in self.turns}
        spoken = in_order([*self.plan.held, *self.turns])
        return [turn for before, turn in pairwise(spoken) if turn.id in new and before.id not in new]

    def joined(self) -> set[str]:
        """The ids whose views must be built again: turns that state a known fact in other words, and known facts
        whose turn was stored only now."""
        known = [(stated, kept) for stated, kept in self.pairs if kept.merged_into == kept.id]
        own = {kept.id for stated, kept in known if _place(stated) == _place(kept)}
        numbers = {stated.turn for stated, kept in known if kept.id in own or _said(stated) != _said(kept)}
        return own | {turn.id for turn in (*self.changed, *self.turns) if turn.turn in numbers}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """Ingests conversations. Each is stored in one transaction. A very long one is stored in parts; if it is
    interrupted, a later run continues after the last stored part."""

    store: Store
    embedder: OptionalEmbedder
    extractor: Extractor
    rules: WriteRules
    namespace: str
    how: How
    stamp: Stamp
    zone: tzinfo = UTC
    """Where words such as "yesterday" are meant."""

    def run(self, conversations: Iterable[Conversation], advance: Callable[[int], None]) -> Iterator[Ingested]:
        """Ingests the conversations. Several short ones share a transaction and a call of the embedder."""
        waiting: list[Plan] = []
        for number, conversation in enumerate(conversations):
            known = {plan.conversation.session_id for plan in waiting}
            if conversation.session_id in known or sum(plan.size for plan in waiting) >= BATCH:
                yield from self._done(waiting, advance)
                waiting = []
            waiting.append(self._numbered(number, conversation))
        yield from self._done(waiting, advance)

    def _numbered(self, number: int, conversation: Conversation) -> Plan:
        """The plan of a conversation. From the second one on, errors begin with the conversation's number."""
        try:
            return self._plan(conversation)
        except InvalidInput as error:
            raise InvalidInput(f"conversation {number}: {error}" if number else str(error)) from None

    def _done(self, plans: Sequence[Plan], advance: Callable[[int], None]) -> Iterator[Ingested]:
        for plan, done in zip(plans, self._commit(plans), strict=True):
            left = len(plan.conversation.messages)
            while plan.rest:
                advance(plan.turns)
                left -= plan.turns
                plan = _first_part(_then(plan, done))
                (more,) = self._commit([plan])
                done = done.with_more(more)
            yield done
            advance(left)

    # Planning: reads only ---------------------------------------------------------------------------

    @property
    def _records(self) -> tuple[Granularity, ...]:
        """The granularities of the records that show which part of the conversation is stored already."""
        match self.how:
            case "hybrid":
                return ("turn",)
            case "session+round":
                return ("round", "session")
            case _:
                return (self.how,)

    def _held(self, session_id: str) -> list[Memory]:
        within = Filter(namespaces=(self.namespace,), exact=True, session_id=session_id, granularities=self._records)
        return in_order(self.store.scan(within, order="id"))

    def _said_before(self, turn: Turn) -> list[Turn]:
        """What was last said in other conversations of the namespace, up to two days before, oldest first."""
        within = Filter(
            namespaces=(self.namespace,),
            exact=True,
            statuses=("active",),
            granularities=("turn",),
            since=turn.at - REFERS_BACK,
            until=turn.at,
        )
        last = sorted(self.store.scan(within, limit=MOST_REFERRED), key=lambda memory: (memory.happened_at, memory.id))
        return [said for memory in last for said in records.said_in(memory)]

    def _plan(self, conversation: Conversation) -> Plan:
        held = self._held(conversation.session_id)
        place = records.Place(
            namespace=self.namespace, session_id=conversation.session_id, stamp=self.stamp, zone=self.zone
        )
        if self.how == "fact":
            return Plan(conversation, held, self._unknown_facts(conversation, held, place))
        told = [memory for memory in held if memory.granularity == self._records[0]]
        before = {turn.number: turn for memory in told for turn in records.said_in(memory)}
        said = _continued(conversation, before, self.stamp.redacts)
        if self.how in ("round", "session", "session+round"):
            whole = [turn for _, turn in sorted((before | said).items())]
            return self._plan_wholes(conversation, held, whole, place)
        return _first_part(self._plan_turns(conversation, held, before, said, place))

    def _unknown_facts(self, conversation: Conversation, held: Sequence[Memory], place: records.Place) -> list[Draft]:
        said = turns(conversation.messages, at=conversation.at, redacts=self.stamp.redacts)
        stated = records.facts(said, self.extractor, [turn.number for turn in said], self._said_before)
        drafts = [d for turn in said for d in records.fact_drafts(place, turn, stated.get(turn.number, ()))]
        known = {statement_digest(memory) for memory in held}
        # facts are not merged across sessions: only a session's own facts show which part of it is stored;
        # no turn is stored, so a fact uses the vector of its own text
        fresh = {statement_digest(draft.memory): replace(draft, merge=False, views={}) for draft in drafts}
        return [draft for text, draft in fresh.items() if text not in known]

    def _plan_wholes(
        self, conversation: Conversation, held: Sequence[Memory], said: Sequence[Turn], place: records.Place
    ) -> Plan:
        stated = records.facts(said, self.extractor, [turn.number for turn in said])
        plan = Plan(conversation, held, ())
        for granularity in self._records if said else ():
            drafts = records.wholes(said, granularity, place, stated, titled=self.how == "session+round")
            plan = _with_wholes(plan, granularity, drafts)
        return plan

    def _plan_turns(
        self,
        conversation: Conversation,
        held: Sequence[Memory],
        before: dict[int, Turn],
        said: dict[int, Turn],
        place: records.Place,
    ) -> Plan:
        by_turn = {memory.turn: memory for memory in held}
        edited = {n for n, turn in said.items() if n in by_turn and by_turn[n].text != turn.shown}
        fresh = [turn for n, turn in said.items() if n not in by_turn]
        stated: dict[int, list[Statement]] = {}
        if self.how == "hybrid":
            wanted = [*edited, *(turn.number for turn in fresh)]
            spoken = [turn for _, turn in sorted((before | said).items())]
            stated = records.facts(spoken, self.extractor, wanted, self._said_before)
        made = {turn.number: place.turn(turn) for turn in fresh}
        following = in_order([*held, *made.values()])
        views = records.turn_views(following, {m.id: records.said(stated.get(n, ()), m.text) for n, m in made.items()})
        drafts = []
        for number, turn in sorted(said.items()):
            if number in made:
                drafts.append(Draft(memory=made[number], merge=False, views=views[made[number].id]))
            facts = records.fact_drafts(place, turn, stated.get(number, ()))
            drafts += hidden_with(by_turn[number], facts) if number in by_turn else facts
        rewrites = [(by_turn[n], Draft(memory=place.turn(said[n]), merge=False)) for n in sorted(edited)]
        return Plan(conversation, held, drafts, rewrites, len(said) - len(fresh) - len(edited))

    # Storing: in one transaction --------------------------------------------------------------------

    def _commit(self, plans: Sequence[Plan]) -> list[Ingested]:
        if not any(plan.size for plan in plans):  # without changes, the write lock is not needed
            return [_ingested(Done(plan, (), ())) for plan in plans]
        built = build(self.store, self.embedder, [d for plan in plans for d in plan.drafts], self.stamp)
        with self.store.transaction():
            now = [self._as_planned(plan) for plan in plans]
            drafts = [draft for plan in now for draft in plan.drafts]
            stored = remember(
                self.store,
                self.embedder,
                drafts,
                rules=self.rules,
                stamp=self.stamp,
                built=built if list(map(id, now)) == list(map(id, plans)) else None,
            )
            outcomes = iter([memory for batch in stored for memory in batch])
            done = [self._changed(plan, [next(outcomes) for _ in plan.drafts]) for plan in now]
            self._link(done)
            return [self._finish(each) for each in done]

    def _as_planned(self, plan: Plan) -> Plan:
        """The plan, or a new one if another process stored a part of the conversation meanwhile."""
        held = self._held(plan.conversation.session_id)
        same = [(m.id, m.text) for m in held] == [(m.id, m.text) for m in plan.held]
        return plan if same else self._plan(plan.conversation)

    def _changed(self, plan: Plan, outcomes: Sequence[Memory]) -> Done:
        pairs = list(zip([draft.memory for draft in plan.drafts], outcomes, strict=True))
        return Done(plan, self._rewrite(plan.rewrites), pairs)

    def _finish(self, done: Done) -> Ingested:
        if self._records == ("turn",):
            stale = done.joined()
            for turn in done.changed:
                stale |= drop_unsaid(self.store, turn, done.stated_in(turn), "the message was edited", self.stamp)
            if moved := [*done.changed, *done.continued()]:
                stale.update(around(self.store, moved))
            refresh(self.store, self.embedder, stale)
        elif done.plan.held and (moved := [*done.changed, *done.added]):
            # a round inserted between two others changes the view `next_user` of the round before it
            refresh(self.store, self.embedder, around(self.store, moved))
        return _ingested(done)

    def _rewrite(self, rewrites: Sequence[tuple[Memory, Draft]]) -> list[Memory]:
        """Replaces the text of changed records. Their history keeps the former text."""
        if not rewrites:
            return []
        puts = build(self.store, self.embedder, [_rewritten(*pair) for pair in rewrites], self.stamp)
        pairs = [(old, put.memory) for (old, _), put in zip(rewrites, puts, strict=True) if old != put.memory]
        changes = [difference(*pair) for pair in pairs]
        events = [self.stamp.event("update", self.namespace, changes, newly_held_back(pairs))] if pairs else []
        write(self.store, self.embedder, Batch(puts=puts, events=events))
        return [new for old, new in pairs if old.text != new.text]

    def _link(self, done: Sequence[Done]) -> None:
        """Links each turn to the next one, and each fact to its turn."""
        links: list[Link] = []
        events: list[Event] = []
        for each in done:
            for why, some in (
                ("one turn after another", temporal(each.turns_beside())),
                ("taken from that turn", sources([*each.changed, *each.turns], each.pairs)),
            ):
                links += some
                events += [linked(some, why, "link", self.namespace, self.stamp)] if some else []
        if links:
            self.store.write(Batch(links=links, events=events))


def _place(fact: Memory) -> tuple[str, str | None, int | None]:
    return fact.namespace, fact.session_id, fact.turn


def _said(fact: Memory) -> tuple[str, str, object]:
    return fact.granularity, fact.text, fact.metadata.get("facets")


def _ingested(done: Done) -> Ingested:
    return Ingested(
        session_id=done.plan.conversation.session_id,
        added=tuple(done.added),
        merged=tuple(outcome for _, outcome in done.pairs if outcome.merged_into is not None),
        changed=tuple(done.changed),
        unchanged=done.plan.unchanged,
    )


def _continued(conversation: Conversation, before: Mapping[int, Turn], redacts: bool) -> dict[int, Turn]:
    """Turn number → turn. If the messages continue the stored conversation, its numbering is continued."""
    said = turns(conversation.messages, at=conversation.at, redacts=redacts)
    if before and said:
        held = {number: (turn.role, turn.text) for number, turn in before.items()}
        start = offset(held, [(turn.role, turn.text) for turn in said])
        if start:
            earlier = [turn for number, turn in sorted(before.items()) if number < start]
            said = turns(conversation.messages, at=conversation.at, before=earlier, redacts=redacts)
    return {turn.number: turn for turn in said}


def _rewritten(old: Memory, new: Draft) -> Draft:
    return replace(new, memory=replace(old, text=new.memory.text, metadata=new.memory.metadata), before=old)


def _changed(rewrites: Sequence[tuple[Memory, Draft]]) -> int:
    return sum(old.text != draft.memory.text for old, draft in rewrites)


def _with_wholes(plan: Plan, granularity: Granularity, drafts: Sequence[Draft]) -> Plan:
    """The plan with the records of one granularity: those that are new, and those whose text or views changed."""
    held = [memory for memory in plan.held if memory.granularity == granularity]
    by_turn = {memory.turn: memory for memory in held}
    kept = [(by_turn[d.memory.turn], d) for d in drafts if d.memory.turn in by_turn]
    # a new round changes the view `next_user` of the last stored one
    rewrites = [(old, draft) for old, draft in kept if old.text != draft.memory.text or old is held[-1]]
    fresh = [draft for draft in drafts if draft.memory.turn not in by_turn]
    if not fresh:
        rewrites = [(old, draft) for old, draft in rewrites if old.text != draft.memory.text]
    return replace(
        plan,
        drafts=[*plan.drafts, *fresh],
        rewrites=[*plan.rewrites, *rewrites],
        unchanged=plan.unchanged + len(kept) - _changed(rewrites),
    )


def _first_part(plan: Plan) -> Plan:
    """Limits the plan to about one batch, so that the lock is not held for long. A turn stays with its facts."""
    drafts = [*plan.drafts, *plan.rest]
    end = min(BATCH, len(drafts))
    while end < len(drafts) and drafts[end].memory.turn == drafts[end - 1].memory.turn:
        end += 1
    return replace(plan, drafts=drafts[:end], rest=drafts[end:])


def _then(plan: Plan, done: Ingested) -> Plan:
    """The plan for the part that follows."""
    held = {memory.id: memory for memory in (*plan.held, *done.changed, *done.added) if memory.granularity == "turn"}
    return Plan(plan.conversation, in_order(held.values()), (), rest=plan.rest)
