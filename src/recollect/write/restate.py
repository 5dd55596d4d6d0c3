"""When a turn is read again: what it no longer states goes, and can come back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..store.protocol import Batch, Put, Store
from ..types import Memory
from .revise import relinked
from .stamp import Stamp, difference


def drop_unsaid(store: Store, turn: Memory, stated: Collection[str], why: str, stamp: Stamp) -> None:
    """Forgets the facts that were taken from this turn and are not among those it states now."""
    links = [link for link in store.links([turn.id]) if link.kind == "extends" and link.b == turn.id]
    unlinks = [(link.a, link.b, link.kind) for link in links if link.a not in stated]
    if not unlinks:
        return
    facts = store.get([fact for fact, _, _ in unlinks]).values()
    pairs = [(m, replace(m, status="forgotten")) for m in facts if _is_own(m, turn) and m.status == "active"]
    detail = {"why": why, "automatic": True, **relinked(store, [], unlinks)}
    event = stamp.event("forget", turn.namespace, [difference(turn, turn), *(difference(*p) for p in pairs)], detail)
    store.write(Batch(puts=[Put(memory=after) for _, after in pairs], unlinks=unlinks, events=[event]))


def _is_own(fact: Memory, turn: Memory) -> bool:
    return (fact.namespace, fact.session_id, fact.turn) == (turn.namespace, turn.session_id, turn.turn)
