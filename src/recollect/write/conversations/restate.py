"""Replaces the facts of a turn after it was extracted again. Facts it no longer states are forgotten (restorable)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ...embedders.optional import OptionalEmbedder
from ...extractors.dead_letters import DeadLetters
from ...extractors.protocol import Statement
from ...ids import digest
from ...recipes.recipe import WriteRules
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Filter, Memory
from ..build.draft import Draft
from ..build.put import fields_only
from ..build.views import in_order, refresh
from ..changes.leave import hidden
from ..changes.leaving import leaving
from ..changes.owners import is_protected
from ..changes.revise import relinked
from ..changes.surroundings import ABSENT, Surroundings
from ..links import linked, sources
from ..path import remember
from ..screening.quarantine import REASONS, reasons_of
from ..stamp import Stamp, difference
from . import records


def restate(
    store: Store,
    embedder: OptionalEmbedder,
    turn: Memory,
    statements: Iterable[Statement],
    *,
    why: str,
    rules: WriteRules,
    stamp: Stamp,
    screened_as: str | None = None,
) -> list[Memory]:
    """Replaces the facts of a stored turn. Returns the new facts as they are stored.

    `screened_as` is the trust class of the writer, if that is not the author of the turn.
    """
    author = replace(stamp, origin=turn.origin, trust=turn.trust)  # facts have the turn's author, not the caller
    place = records.Place(namespace=turn.namespace, session_id=turn.session_id or "", stamp=author)
    with store.transaction():
        known = {fact.text: fact.id for fact in Surroundings(store).stated_in([turn])}
        said = list(statements)
        stated = {known[each.text] for each in said if each.text in known}
        unsaid = drop_unsaid(store, turn, stated, why, stamp)  # first: new facts do not replace those of the old text
        fresh = [statement for statement in said if statement.text not in known]
        drafts = hidden_with(turn, records.fact_drafts(place, records.said_in(turn)[0], fresh))
        writer = replace(author, trust=screened_as or turn.trust)
        stored = remember(store, embedder, drafts, rules=rules, stamp=writer)
        outcomes = [memory for batch in stored for memory in batch]
        pairs = list(zip([draft.memory for draft in drafts], outcomes, strict=True))
        if links := sources([turn], pairs):
            event = linked(links, "taken from that turn", "link", turn.namespace, stamp)
            store.write(Batch(links=links, events=[event]))
        merged = {memory.id for memory in outcomes if memory.merged_into == memory.id}
        refresh(store, embedder, {turn.id} | unsaid | merged)
    return outcomes


def hidden_with(turn: Memory, drafts: Sequence[Draft]) -> list[Draft]:
    """Facts of a turn that nobody can recall can't be recalled either."""
    if turn.status not in ABSENT:
        return list(drafts)
    why = {REASONS: reasons} if (reasons := reasons_of(turn)) else {}
    facts = [replace(d.memory, status=turn.status, metadata={**d.memory.metadata, **why}) for d in drafts]
    return [replace(draft, memory=fact) for draft, fact in zip(drafts, facts, strict=True)]


def statements_of(store: Store, turn: Memory) -> Sequence[Statement]:
    """What a turn states, by rules. It may answer the turn before it."""
    from ...extractors.rules import Rules

    near = store.turns_near([turn.id], 1, Filter()).get(turn.id, [])
    said = [records.said_in(memory)[0] for memory in in_order([*near, turn]) if (memory.turn or 0) <= (turn.turn or 0)]
    return records.facts(said, Rules(), [turn.turn or 0]).get(turn.turn or 0, ())


def drop_unsaid(store: Store, turn: Memory, stated: Collection[str], why: str, stamp: Stamp) -> set[str]:
    """Forgets the facts of this turn that it no longer states, unless another turn states them. Returns the ids of all
    facts whose views change."""
    links = [link for link in store.links([turn.id]) if link.kind == "extends" and link.b == turn.id]
    held = store.get(link.a for link in links if link.a not in stated)
    unsaid = [fact for fact in held.values() if not is_protected(fact, stamp)]
    unlinks = [(link.a, link.b, link.kind) for link in links if link.a in {fact.id for fact in unsaid}]
    if not unlinks:
        return set()
    plan = leaving(store, "forget", stamp.within).drop([m for m in unsaid if m.granularity == "fact"], turn).settle()
    pairs = [*hidden(plan), *plan.changed]
    detail = {"why": why, "automatic": True, **relinked(store, [], unlinks)}
    event = stamp.event("forget", turn.namespace, [difference(turn, turn), *(difference(*p) for p in pairs)], detail)
    store.write(Batch(puts=[fields_only(after) for _, after in pairs], unlinks=unlinks, events=[event]))
    return {fact.id for fact in unsaid}


def drop_letters(letters: DeadLetters, purged: Iterable[Memory]) -> None:
    """Removes the texts of purged memories from the dead letters."""
    spoken = [m for m in purged if m.granularity in ("turn", "round", "session")]
    if spoken and letters.all():
        for text in {turn.text for memory in spoken for turn in records.said_in(memory)}:
            letters.drop(digest(text))
