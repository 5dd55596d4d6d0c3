"""Strength: reinforcement adds to it, decay lowers it over time (OpenMem)."""

from __future__ import annotations

import math
from dataclasses import replace

from ..namespaces import common
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..store.values import Batch, Put
from ..types import Filter, Memory
from ..write.stamp import Stamp, difference

_SECONDS_PER_DAY = 86_400.0
_PAGE = 1_000


def reinforce(store: Store, memory: Memory, rules: WriteRules, stamp: Stamp) -> Memory:
    """strength + `rules.reinforcement`, at most 1."""
    after = replace(memory, strength=min(1.0, memory.strength + rules.reinforcement))
    if after != memory:
        event = stamp.event("reinforce", memory.namespace, [difference(memory, after)])
        store.write(Batch(puts=[Put(memory=after)], events=[event]))
    return after


def decayed(memory: Memory, rules: WriteRules, stamp: Stamp) -> Memory:
    """strength · exp(−decay_per_day · days since it last decayed). Each memory has its own clock, so a second decay at
    the same moment changes nothing."""
    since = memory.decayed_at or memory.created_at
    days = (stamp.at - since).total_seconds() / _SECONDS_PER_DAY
    if days <= 0:
        return memory
    return replace(memory, strength=memory.strength * math.exp(-rules.decay_per_day * days), decayed_at=stamp.at)


def decay(store: Store, within: Filter, rules: WriteRules, stamp: Stamp) -> int:
    """Decays all memories of a filter. Returns how many changed."""
    count, after = 0, None
    while True:
        with store.transaction():
            page = store.scan(within, order="id", limit=_PAGE, after=after)
            if not page:
                return count
            changed = [new for old in page if (new := decayed(old, rules, stamp)) != old]
            if changed:
                event = stamp.event("decay", common(m.namespace for m in changed), detail={"memories": len(changed)})
                store.write(Batch(puts=[Put(memory=memory) for memory in changed], events=[event]))
        count, after = count + len(changed), page[-1].id
