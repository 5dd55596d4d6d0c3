"""Changes fields of a memory, and everything that depends on them, as one event."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput, UnknownName
from ...namespaces import common
from ...recipes.recipe import WriteRules
from ...store.protocol import Store
from ...store.values import Batch, Put
from ...text.same_statement import contains
from ...types import LinkKind, Memory
from ..build.draft import Draft
from ..build.put import build, fields_only, write
from ..build.statements import STATING
from ..said_in import Messages, says_only
from ..screening.quarantine import newly_held_back, released
from ..stamp import Stamp
from .follow import OF_VIEWS, follow, refresh
from .joined import Ends, JoinedChanges
from .leave import hidden, noted
from .leaving import Leaving, Verb, leaving
from .owners import check_leaving, check_pinned, restamped
from .restore import Return, was_replaced
from .revise import PARSERS, ended_by, one, outdated, start, supersedes
from .surroundings import Surroundings

_BY_TEXT: tuple[LinkKind, ...] = ("similar", "supersedes", "contradicts")
"""The kinds of links that are set because of what a text says."""
_OF_A_TURN = ("occurred_at", "valid_from", "valid_to", "expires_at")
"""The times that facts have from their turn."""


def update(
    store: Store,
    embedder: OptionalEmbedder,
    memory_id: str,
    fields: Mapping[str, Any],
    *,
    rules: WriteRules,
    stamp: Stamp,
) -> Memory:
    values = _parsed(fields)
    seen = one(store, memory_id)
    put = _updated(store, embedder, seen, values, stamp)  # a new text is embedded before the lock is taken
    with store.transaction():
        before = one(store, memory_id)
        if before != seen:
            put = _updated(store, embedder, before, values, stamp)
        if put.memory == before:
            return before
        joined = JoinedChanges(store)
        write(joined.store, embedder, Batch(puts=[put]))
        Rewording(joined.store, embedder, rules, stamp, before, put).follow(values.keys())
        return _logged(store, joined, memory_id, stamp)


def _parsed(fields: Mapping[str, Any]) -> dict[str, Any]:
    for name in fields:
        if name not in PARSERS:
            raise UnknownName("field", name, PARSERS)
    return {name: PARSERS[name](value) for name, value in fields.items()}


def _updated(store: Store, embedder: OptionalEmbedder, before: Memory, values: Mapping[str, Any], stamp: Stamp) -> Put:
    check_pinned([before], stamp)
    after = restamped(before, replace(before, **values), stamp)
    if values.keys() & {"valid_from", "valid_to"} and after.valid_to is not None and start(after) > after.valid_to:
        raise InvalidInput(f"valid_to ({after.valid_to}) is before valid_from ({start(after)}): it would never hold")
    return build(store, embedder, [Draft(memory=after, before=before)], stamp)[0]


def _logged(store: Store, joined: JoinedChanges, memory_id: str, stamp: Stamp) -> Memory:
    pairs = joined.pairs()
    followed = [now.id for _, now in pairs if now.id != memory_id]
    changed = [(before, now) for before, now in pairs if before is not None]
    place = common((before or now).namespace for before, now in pairs)
    detail = {**newly_held_back(changed), **joined.relinked(), **noted(followed)}
    store.write(Batch(events=[stamp.event("update", place, joined.changes(), detail)]))
    return replace(one(store, memory_id), also_changed=tuple(followed))


@dataclass(frozen=True, slots=True)
class Rewording:
    """What follows from a change of one memory, which is written already."""

    store: Store
    embedder: OptionalEmbedder
    rules: WriteRules
    stamp: Stamp
    before: Memory
    put: Put

    def follow(self, changed: Iterable[str]) -> None:
        if self.before.status != self.put.memory.status:
            self._follow_status()
        if self.before.granularity == "turn":
            self._follow_times()
        if self.before.text != self.put.memory.text:
            self._follow_text()
        if OF_VIEWS & set(changed):
            follow(self.store, self.embedder, [self.put.memory])

    # Status and times -------------------------------------------------------------------------------

    def _follow_status(self) -> None:
        """What belongs to the memory goes and comes back with it, as with `forget` and `restore`."""
        after = self.put.memory.status
        near = Surroundings(self.store, self.stamp.within)
        if after in ("forgotten", "expired"):
            verb: Verb = "forget" if after == "forgotten" else "expire"
            plan = Leaving(near, verb).name([self.before]).settle()
            check_leaving(plan, self.stamp)
            self._put_others([after for _, after in (*hidden(plan), *plan.changed)])
            refresh(self.store, self.embedder, plan.kept)
        elif self.before.status == "forgotten":
            self._put_others(Return(near).of(self.before))
        elif self.before.status == "quarantined":
            self._put_others([released(m) for m in near.stated_in([self.before]) if m.status == "quarantined"])

    def _put_others(self, memories: Sequence[Memory]) -> None:
        self._put([memory for memory in memories if memory.id != self.before.id])

    def _follow_times(self) -> None:
        """Facts that only this turn states have its times, where they had them before."""
        new = {name: getattr(self.put.memory, name) for name in _OF_A_TURN}
        old = {name: getattr(self.before, name) for name in _OF_A_TURN}
        if new == old:
            return
        near = Surroundings(self.store, self.stamp.within)
        for fact in near.stated_in([self.before]):
            same = {name: new[name] for name in _OF_A_TURN if getattr(fact, name) == old[name]}
            if [turn.id for turn in near.turns_of(fact)] == [self.before.id]:
                self._put([replace(fact, **same)])

    # Text -------------------------------------------------------------------------------------------

    def _follow_text(self) -> None:
        if self.before.granularity == "turn":
            self._restate()
        replaced = leaving(self.store, "forget", self.stamp.within).stood_for([self.before])
        self.store.write(Batch(unlinks=self._stale()))
        plan = leaving(self.store, "forget", self.stamp.within).dissolve([self.before.id]).settle()
        now = one(self.store, self.before.id)
        self._write(plan.reconsider([*replaced, *([now] if was_replaced(self.store, now) else [])]))
        self._outdate({memory.id for memory in replaced if memory.status == "superseded"})
        self._relate(one(self.store, self.before.id))

    def _restate(self) -> None:
        """Extracts the facts of the turn by rules, unless the conversation was stored without facts."""
        from ..conversations.restate import restate, statements_of

        near = Surroundings(self.store)
        check_pinned(near.stated_in([self.before]), self.stamp)
        known = near.taken_from([self.before])
        if not known and statements_of(self.store, self.before):
            return
        restate(
            self.store,
            self.embedder,
            self.put.memory,
            statements_of(self.store, self.put.memory),
            why="the turn was changed",
            rules=self.rules,
            stamp=self.stamp,
            screened_as=self.stamp.trust,
        )

    def _outdate(self, ended: Collection[str]) -> None:
        """A corrected fact replaces the part of its messages that it was cut from: these are what was said, and stay.
        `ended`: the messages that the former text had replaced as a whole."""
        before, now = self.before, one(self.store, self.before.id)
        if now.granularity != "fact" or now.status != "active":
            return
        said = [message for message in outdated(self.store, before, self.stamp) if not contains(message.text, now.text)]
        whole = [m for m in said if m.id in ended or (contains(m.text, before.text) and says_only(m, before))]
        self._put([ended_by(now, message) for message in whole])
        self.store.write(Batch(links=[supersedes(now, message, self.stamp) for message in said]))

    def _stale(self) -> list[Ends]:
        """The links that were set because of the former text."""
        return sorted({*self._automatic_ones(), *self._no_longer_the_same(), *self._to_own_messages()})

    def _to_own_messages(self) -> list[Ends]:
        """The links by which a corrected fact replaces a part of its messages."""
        own = self.store.links([self.before.id]) if self.before.granularity == "fact" else ()
        replaced = {link.b for link in own if link.kind == "supersedes" and link.a == self.before.id}
        messages = Messages(self.store).saying(self.before) if replaced else ()
        return [(self.before.id, message.id, "supersedes") for message in messages if message.id in replaced]

    def _automatic_ones(self) -> set[Ends]:
        links = self.store.links([self.before.id])
        stale = {(link.a, link.b, link.kind) for link in links if link.kind in _BY_TEXT} & self._automatic()
        if self.before.granularity == "turn":  # a turn is superseded together with a fact that it still states
            near = Surroundings(self.store)
            above = {memory.id for fact in near.stated_in([self.before]) for memory in near.replaced_by(fact)}
            stale = {ends for ends in stale if ends[0] not in above}
        return stale

    def _automatic(self) -> set[Ends]:
        found: dict[Ends, bool] = {}
        for event in reversed(self.store.events(memory_id=self.before.id)):
            for a, b, kind, *_ in event.detail.get("linked", ()):
                found[a, b, kind] = bool(event.detail.get("automatic"))
        return {ends for ends, automatic in found.items() if automatic}

    def _no_longer_the_same(self) -> set[Ends]:
        """The links of a near-duplicate whose new text states something else."""
        from ...extractors.judgement import says_the_same

        own = [link for link in self.store.links([self.before.id]) if link.kind == "same_as"]
        others = self.store.get(link.b for link in own if link.a == self.before.id)
        gone = {id for id, other in others.items() if not says_the_same(other.text, self.put.memory.text)}
        return {(link.a, link.b, link.kind) for link in own if link.b in gone}

    def _relate(self, now: Memory) -> None:
        from ..updates import relate  # loads the rules

        if now.granularity in STATING:
            relate(self.store, [now], {} if self.put.about is None else {now.id: self.put.about}, self.stamp)

    # ------------------------------------------------------------------------------------------------

    def _write(self, plan: Leaving) -> None:
        check_leaving(plan, self.stamp)
        self._put([after for _, after in (*hidden(plan), *plan.changed)])
        refresh(self.store, self.embedder, plan.kept)

    def _put(self, memories: Sequence[Memory]) -> None:
        self.store.write(Batch(puts=[fields_only(memory) for memory in memories]))
