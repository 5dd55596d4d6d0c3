"""Replaces the facts of a turn after it was extracted again. Facts it no longer states are forgotten (restorable)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ...embedders.optional import OptionalEmbedder
from ...extractors.dead_letters import DeadLetters
from ...extractors.protocol import Statement
from ...ids import digest
from ...recipes.recipe import WriteRules
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Memory
from ..build.put import fields_only
from ..build.views import refresh
from ..changes.revise import relinked
from ..links import linked, sources
from ..path import remember
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
) -> list[Memory]:
    """Replaces the facts of a stored turn. Returns the new facts as they are stored."""
    author = replace(stamp, origin=turn.origin, trust=turn.trust)  # facts have the turn's author, not the caller
    place = records.Place(namespace=turn.namespace, session_id=turn.session_id or "", stamp=author)
    drafts = records.fact_drafts(place, records.said_in(turn)[0], statements)
    with store.transaction():
        stored = remember(store, embedder, drafts, rules=rules, stamp=author)
        outcomes = [memory for batch in stored for memory in batch]
        pairs = list(zip([draft.memory for draft in drafts], outcomes, strict=True))
        if links := sources([turn], pairs):
            event = linked(links, "taken from that turn", "link", turn.namespace, stamp)
            store.write(Batch(links=links, events=[event]))
        unsaid = drop_unsaid(store, turn, {memory.id for memory in outcomes}, why, stamp)
        known = {memory.id for memory in outcomes if memory.merged_into == memory.id}
        refresh(store, embedder, {turn.id} | unsaid | known)
    return outcomes


def drop_unsaid(store: Store, turn: Memory, stated: Collection[str], why: str, stamp: Stamp) -> set[str]:
    """Forgets the facts of this turn that it no longer states. Returns their ids."""
    links = [link for link in store.links([turn.id]) if link.kind == "extends" and link.b == turn.id]
    unlinks = [(link.a, link.b, link.kind) for link in links if link.a not in stated]
    if not unlinks:
        return set()
    facts = store.get([fact for fact, _, _ in unlinks]).values()
    own = [fact for fact in facts if _is_own(fact, turn) and fact.status in ("active", "quarantined")]
    pairs = [(fact, replace(fact, status="forgotten")) for fact in own]
    detail = {"why": why, "automatic": True, **relinked(store, [], unlinks)}
    event = stamp.event("forget", turn.namespace, [difference(turn, turn), *(difference(*p) for p in pairs)], detail)
    store.write(Batch(puts=[fields_only(after) for _, after in pairs], unlinks=unlinks, events=[event]))
    return {fact.id for fact in facts}


def drop_letters(letters: DeadLetters, purged: Iterable[Memory]) -> None:
    """Removes the texts of purged memories from the dead letters."""
    spoken = [m for m in purged if m.granularity in ("turn", "round", "session")]
    if spoken and letters.all():
        for text in {turn.text for memory in spoken for turn in records.said_in(memory)}:
            letters.drop(digest(text))


def _is_own(fact: Memory, turn: Memory) -> bool:
    return (fact.namespace, fact.session_id, fact.turn) == (turn.namespace, turn.session_id, turn.turn)
