"""Updates find what they replace. Runs inside the transaction that stored the new memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..store.protocol import Batch, Put, Store
from ..types import Change, Event, Link, Memory
from .link import Clash, clashes
from .revise import CONTRADICTS_WEIGHT, SUPERSEDES_WEIGHT
from .stamp import Stamp, difference


def relate(store: Store, new: Sequence[Memory], about: Mapping[str, str], stamp: Stamp) -> dict[str, Memory]:
    """Supersedes or contradicts by itself, each with its reason and undoable; returns what changed, by id."""
    changed: dict[str, Memory] = {}
    stating = [memory for memory in new if memory.id in about and memory.status == "active"]
    held = _held(store, stating, about)
    for memory in sorted(stating, key=lambda m: (m.happened_at, m.id)):
        others = [changed.get(m.id, m) for m in held.get((memory.namespace, about[memory.id]), ())]
        for clash in clashes(changed.get(memory.id, memory), [m for m in others if m.status == "active"]):
            if changed.get(memory.id, memory).status == "active":
                changed |= _settle(store, clash, stamp)
    return changed


def _held(store: Store, stating: Sequence[Memory], about: Mapping[str, str]) -> dict[tuple[str, str], list[Memory]]:
    found: dict[tuple[str, str], list[Memory]] = {}
    for namespace in {memory.namespace for memory in stating}:
        keys = {about[memory.id] for memory in stating if memory.namespace == namespace}
        for key, memories in store.find_about(namespace, keys).items():
            found[namespace, key] = memories
    return found


def _settle(store: Store, clash: Clash, stamp: Stamp) -> dict[str, Memory]:
    link = Link(
        a=clash.newer.id,
        b=clash.older.id,
        kind=clash.kind,
        weight=SUPERSEDES_WEIGHT if clash.kind == "supersedes" else CONTRADICTS_WEIGHT,
        created_at=stamp.at,
    )
    if clash.kind == "contradicts":
        changes = [Change(memory_id=m.id, before={}) for m in (clash.newer, clash.older)]
        store.write(Batch(links=[link], events=[_event(clash, changes, link, stamp)]))
        return {}
    after = replace(clash.older, status="superseded", valid_to=clash.newer.valid_from or clash.newer.happened_at)
    changes = [difference(clash.older, after), Change(memory_id=clash.newer.id, before={})]
    store.write(Batch(puts=[Put(memory=after)], links=[link], events=[_event(clash, changes, link, stamp)]))
    return {after.id: after}


def _event(clash: Clash, changes: Sequence[Change], link: Link, stamp: Stamp) -> Event:
    action = "supersede" if clash.kind == "supersedes" else "contradict"
    detail = {"linked": [[link.a, link.b, link.kind]], "why": clash.why, "automatic": True}
    return stamp.event(action, clash.newer.namespace, changes, detail)
