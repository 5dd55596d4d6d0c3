"""Finds the memories that a new one supersedes or contradicts, inside the transaction that stored the new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..store.protocol import Store
from ..store.values import Batch
from ..types import Change, Event, Filter, Link, Memory
from .build.put import fields_only
from .changes.revise import CONTRADICTS_WEIGHT, SUPERSEDES_WEIGHT
from .links import Clash, clashes, said_at
from .stamp import Stamp, difference

MOST_OF_A_TURN = 0.7
"""The least share of a turn's text that a fact must have for the turn to be superseded with it."""


def relate(store: Store, new: Sequence[Memory], about: Mapping[str, str], stamp: Stamp) -> dict[str, Memory]:
    """Supersedes or contradicts older statements automatically. Each change is logged with its reason and can be
    undone. Returns the changed memories by id."""
    changed: dict[str, Memory] = {}
    settled: set[frozenset[str]] = set()
    stating = [memory for memory in new if memory.id in about and memory.status == "active"]
    held = _held(store, stating, about)
    for memory in sorted(stating, key=lambda m: (said_at(m), m.id)):
        others = [changed.get(m.id, m) for m in held.get((memory.namespace, about[memory.id]), ())]
        for clash in clashes(memory, [m for m in others if m.status == "active"]):
            pair = frozenset((clash.newer.id, clash.older.id))
            if pair not in settled and memory.id not in changed:
                settled.add(pair)
                changed |= _settle(store, clash, stamp)
    return changed


def _held(store: Store, stating: Sequence[Memory], about: Mapping[str, str]) -> dict[tuple[str, str], list[Memory]]:
    found: dict[tuple[str, str], list[Memory]] = {}
    for namespace in {memory.namespace for memory in stating}:
        keys = {about[memory.id] for memory in stating if memory.namespace == namespace}
        here = Filter(namespaces=(namespace,), exact=True, statuses=("active",))
        for key, memories in store.find_about(keys, here).items():
            found[namespace, key] = memories
    return found


def _settle(store: Store, clash: Clash, stamp: Stamp) -> dict[str, Memory]:
    if clash.kind == "contradicts":
        links = [_link(clash, clash.older, CONTRADICTS_WEIGHT, stamp)]
        changes = [Change(memory_id=m.id, before={}) for m in (clash.newer, clash.older)]
        store.write(Batch(links=links, events=[_event(clash, changes, links, stamp)]))
        return {}
    turns = _said_in(store, clash.older)
    over = [clash.older, *(turn for turn in turns if _is_most_of(clash.older, turn))]
    until = said_at(clash.newer)
    after = [replace(memory, status="superseded", valid_to=until) for memory in over]
    # a turn that says more stays active; its link shows that part of it is superseded
    links = [_link(clash, old, SUPERSEDES_WEIGHT, stamp) for old in (clash.older, *turns)]
    changes = [difference(*pair) for pair in zip(over, after, strict=True)]
    changes += [Change(memory_id=m.id, before={}) for m in (clash.newer, *turns) if m not in over]
    puts = [fields_only(memory) for memory in after]
    store.write(Batch(puts=puts, links=links, events=[_event(clash, changes, links, stamp)]))
    return {memory.id: memory for memory in after}


def _link(clash: Clash, old: Memory, weight: float, stamp: Stamp) -> Link:
    return Link(a=clash.newer.id, b=old.id, kind=clash.kind, weight=weight, created_at=stamp.at)


def _said_in(store: Store, fact: Memory) -> list[Memory]:
    """The turns that a fact was extracted from."""
    if fact.granularity != "fact":
        return []
    taken = [link.b for link in store.links([fact.id]) if link.kind == "extends" and link.a == fact.id]
    turns = [*store.get(taken).values(), *_own_turn(store, fact)]
    return list({turn.id: turn for turn in turns if turn.granularity == "turn" and turn.status == "active"}.values())


def _is_most_of(fact: Memory, turn: Memory) -> bool:
    """Whether the turn says little more than the fact, so that recall would find it in place of the fact."""
    return len(fact.text) >= MOST_OF_A_TURN * len(turn.text)


def _own_turn(store: Store, fact: Memory) -> list[Memory]:
    """The turn of the fact by its number: when both were stored just now, they are not linked yet."""
    within = Filter(namespaces=(fact.namespace,), exact=True, session_id=fact.session_id, granularities=("turn",))
    inside = store.scan(within) if fact.session_id is not None else []
    return [turn for turn in inside if turn.turn == fact.turn]


def _event(clash: Clash, changes: Sequence[Change], links: Sequence[Link], stamp: Stamp) -> Event:
    action = "supersede" if clash.kind == "supersedes" else "contradict"
    detail = {"linked": [[link.a, link.b, link.kind] for link in links], "why": clash.why, "automatic": True}
    return stamp.event(action, clash.newer.namespace, changes, detail)
