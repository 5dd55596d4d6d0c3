"""Strength: reinforcement adds to it, decay lowers it over time (OpenMem)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from ..errors import Conflict, InvalidInput
from ..namespaces import common
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..store.values import Batch, Put
from ..types import Event, Filter, Memory
from ..write.changes.revise import one
from ..write.stamp import Stamp, difference

_SECONDS_PER_DAY = 86_400.0
_PAGE = 1_000
FAR_AHEAD = timedelta(days=366)
_EXACT_FROM = 20.0
"""A decay by exp(−20) or more is logged with the former strengths: they can't be computed from what is left."""


def check_clock(store: Store, at: datetime, now: datetime | None = None) -> None:
    """Refuses a moment that is probably a wrong date or a wrong clock: decay would lower every strength to nothing."""
    known = [(now or datetime.now(UTC), "this computer's clock")]
    known += [(event.at, "the last change of this store") for event in store.events(limit=1)]
    for moment, what in known:
        if at - moment > FAR_AHEAD:
            raise InvalidInput(
                f"{at:%Y-%m-%d} is more than a year after {what} ({moment:%Y-%m-%d}): every strength would decay; "
                "check the date and the clock, or use force (`--force`)"
            )


def reinforce(store: Store, memory_id: str, rules: WriteRules, stamp: Stamp) -> Memory:
    """strength + `rules.reinforcement`, at most 1."""
    with store.transaction():
        memory = one(store, memory_id)
        after = replace(memory, strength=min(1.0, memory.strength + rules.reinforcement))
        if after != memory:
            event = stamp.event("reinforce", memory.namespace, [difference(memory, after)])
            store.write(Batch(puts=[Put(memory=after)], events=[event]))
    return after


def decayed(memory: Memory, rules: WriteRules, stamp: Stamp) -> Memory:
    """strength · exp(−decay_per_day · days since it last decayed). Each memory has its own clock, so a second decay at
    the same moment changes nothing."""
    days = _days(memory, stamp.at)
    if days <= 0:
        return memory
    return replace(memory, strength=memory.strength * math.exp(-rules.decay_per_day * days), decayed_at=stamp.at)


def _days(memory: Memory, at: datetime) -> float:
    return (at - (memory.decayed_at or memory.created_at)).total_seconds() / _SECONDS_PER_DAY


def decay(store: Store, within: Filter, rules: WriteRules, stamp: Stamp, *, force: bool = False) -> int:
    """Decays all memories of a filter. Returns how many changed. Each page is an event that names the page before it.
    So `undo` of the last one takes back all."""
    if not force:
        check_clock(store, stamp.at)
    count, after, previous = 0, None, None
    while True:
        with store.transaction():
            page = store.scan(within, order="id", limit=_PAGE, after=after)
            if not page:
                return count
            changed = [(old, new) for old in page if (new := decayed(old, rules, stamp)) != old]
            if changed:
                detail = _formerly([old for old, _ in changed], rules, stamp.at, previous)
                event = stamp.event("decay", common(new.namespace for _, new in changed), detail=detail)
                store.write(Batch(puts=[Put(memory=new) for _, new in changed], events=[event]))
                previous = event.id
        count, after = count + len(changed), page[-1].id


# Undoing it ---------------------------------------------------------------------------------------


def _formerly(page: Sequence[Memory], rules: WriteRules, at: datetime, previous: str | None) -> dict[str, Any]:
    """What `undo` needs. Most memories of a page decayed last at the same moment, so only the others are listed: the
    log must not grow by every memory on every day."""
    usual, _ = Counter(memory.decayed_at for memory in page).most_common(1)[0]
    far = [m for m in page if rules.decay_per_day * _days(m, at) > _EXACT_FROM]
    return {
        "memories": len(page),
        "rate": rules.decay_per_day,
        "first": page[0].id,
        "last": page[-1].id,
        "since": _written(usual),
        "others": {m.id: _written(m.decayed_at) for m in page if m.decayed_at != usual},
        "strengths": {m.id: m.strength for m in far},
        "previous": previous,
    }


def undo_decay(store: Store, event: Event, stamp: Stamp) -> Event | None:
    """Gives the memories of an event, and of those before it in the same run, their former strength. The earliest page
    is first, so an interrupted `undo` of the last one continues. Returns None if another process has done it."""
    run = list(_run(store, event))
    for each in run:
        _undecayed_page(store, each)
    count = sum(each.detail["memories"] for each in run)
    undone = stamp.event("undo", event.namespace, detail={"undoes": event.id, "memories": count})
    events = [undone]
    for each in reversed(run):
        with store.transaction():
            if any(held.undone_by is None for held in store.events(id=each.id, changes=False)):
                puts = [Put(memory=memory) for memory in _undecayed_page(store, each)]
                store.write(Batch(puts=puts, events=events, undone={each.id: undone.id}))
                events = []
    return None if events else undone


def _undecayed_page(store: Store, event: Event) -> list[Memory]:
    held = _page_of(store, event)
    if any(m.decayed_at is not None and m.decayed_at > event.at for m in held):
        raise Conflict(f"event {event.id} can't be undone: its memories have decayed again since, undo that first")
    return [_undecayed(memory, event) for memory in held if memory.decayed_at == event.at]


def _run(store: Store, event: Event) -> Iterator[Event]:
    found = [event]
    while found:
        yield found[0]
        previous = found[0].detail["previous"]
        found = [each for each in store.events(id=previous) if not each.undone_by] if previous else []


def _page_of(store: Store, event: Event) -> list[Memory]:
    first, last = event.detail["first"], event.detail["last"]
    within = Filter(namespaces=(event.namespace,))
    held, after = list(store.get([first], within).values()), first
    while page := store.scan(within, order="id", limit=_PAGE, after=after):
        held += [memory for memory in page if memory.id <= last]
        after = page[-1].id
        if after >= last:
            break
    return held


def _undecayed(memory: Memory, event: Event) -> Memory:
    detail = event.detail
    before = replace(memory, decayed_at=_read(detail["others"].get(memory.id, detail["since"])))
    exact = detail["strengths"].get(memory.id)
    if exact is not None:
        return replace(before, strength=exact)
    return replace(before, strength=min(1.0, memory.strength * math.exp(detail["rate"] * _days(before, event.at))))


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _read(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)
