"""Brings memories back: forgotten ones with what was forgotten along with them, quarantined ones with their facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import InvalidInput
from ...namespaces import common
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Event, Filter, Memory
from ..build.put import fields_only
from ..build.statements import STATING, about_of
from ..screening.quarantine import held_back, released
from ..stamp import Stamp, as_before
from .joined import JoinedChanges
from .leave import noted
from .leaving import REPLACED, is_set_by_hand, leaving
from .revise import one
from .surroundings import Surroundings


def restore(store: Store, memory_id: str, stamp: Stamp) -> Memory:
    """Restores a forgotten memory to its former status, or releases a quarantined one, with what belongs to it."""
    with store.transaction():
        memory = one(store, memory_id)
        if memory.status not in ("forgotten", "quarantined"):
            raise InvalidInput(
                f"{memory_id} is {memory.status}, neither forgotten nor quarantined: there is nothing to restore"
            )
        joined = JoinedChanges(store)
        bring_back(joined.store, memory, stamp)
        before = [held for held, _ in joined.pairs() if held is not None]
        followed = [held.id for held in before if held.id != memory_id]
        detail = {**held_back(before), **joined.relinked(), **noted(followed)}
        event = stamp.event("restore", common(held.namespace for held in before), joined.changes(), detail)
        store.write(Batch(events=[event]))
        return replace(one(store, memory_id), also_changed=tuple(followed))


def bring_back(store: Store, memory: Memory, stamp: Stamp) -> None:
    near = Surroundings(store, stamp.within)
    if memory.status == "quarantined":
        back, since = _released(near, memory), ""
    else:
        event = last_change(store, memory.id, "status")
        back, since = Return(near).of(memory), event.id if event else ""
    store.write(Batch(puts=[fields_only(after) for after in back]))
    judge(store, back, since, stamp)


def judge(store: Store, back: Sequence[Memory], since: str, stamp: Stamp) -> None:
    """Memories that came back hold again, if what replaced them is gone. They replace others, or are replaced by newer
    ones, if anything about the same was stored after the event `since`. Earlier decisions are not made again."""
    from ..updates import relate  # loads the rules

    plan = leaving(store, "forget", stamp.within).reconsider([m for m in back if was_replaced(store, m)])
    alone = {id: after for id, after in plan.back.items() if after.status not in REPLACED}
    store.write(Batch(puts=[fields_only(after) for after in alone.values()]))
    held = [alone.get(after.id, after) for after in back]
    stating = [memory for memory in held if memory.status == "active" and memory.granularity in STATING]
    keys = [(memory, about_of(memory)) for memory in stating]
    about = {memory.id: key for memory, key in keys if key is not None and _is_news(store, memory, key, since)}
    relate(store, [memory for memory in stating if memory.id in about], about, stamp)


def _is_news(store: Store, memory: Memory, key: str, since: str) -> bool:
    """Ids sort by the moment of storing."""
    here = Filter(namespaces=(memory.namespace,), exact=True, statuses=("active",))
    return any(other.id > since for other in store.find_about([key], here).get(key, ()) if other.id != memory.id)


def _released(near: Surroundings, memory: Memory) -> list[Memory]:
    near.know([memory])
    facts = [fact for fact in near.stated_in([memory]) if fact.status == "quarantined" and near.may_change(fact)]
    return [released(each) for each in (memory, *facts)]


def was_replaced(store: Store, memory: Memory) -> bool:
    """Whether its status means that another memory replaced it."""
    return memory.status in REPLACED and not is_set_by_hand(store, memory)


@dataclass(slots=True)
class Return:
    """What comes back with a forgotten memory: what was forgotten in the same event, or because of another one."""

    near: Surroundings
    back: dict[str, Memory] = field(default_factory=dict)
    """The memories as they will be."""
    _events: set[str] = field(default_factory=set)
    """The events that are taken back for these memories."""

    def of(self, memory: Memory) -> list[Memory]:
        event = last_change(self.near.store, memory.id, "status")
        self.near.know([memory])
        self.back[memory.id] = _former(memory, event, "status") if event else replace(memory, status="active")
        self._events.update([event.id] if event else [])
        self._spread([memory])
        self._replace_again()
        return list(self.back.values())

    def _spread(self, fresh: Sequence[Memory]) -> None:
        while fresh:
            ids = [memory.id for memory in fresh]
            kin = [*self.near.stated_in(fresh), *self.near.copies_of(ids), *self.near.summaries_of(ids)]
            fresh = [m for m in kin if m.id not in self.back and m.status == "forgotten" and self._returns(m)]

    def _returns(self, memory: Memory) -> bool:
        event = last_change(self.near.store, memory.id, "status")
        if not self.near.may_change(memory):
            return False
        if event is None:  # it was stored while its turn was forgotten
            self.back[memory.id] = replace(memory, status="active")
            return True
        if event.id not in self._events and memory.id not in event.detail.get("followed", ()):
            return False  # somebody forgot it for its own sake
        self.back[memory.id] = _former(memory, event, "status")
        self._events.add(event.id)
        return True

    def _replace_again(self) -> None:
        """What held again since then is replaced again, unless it was changed meanwhile."""
        for memory in self.near.replaces(list(self.back)):
            event = last_change(self.near.store, memory.id, "status", "valid_to")
            known = memory.id in self.back or memory.status == "forgotten"
            if event is not None and event.id in self._events and not known and self.near.may_change(memory):
                self.back[memory.id] = _former(memory, event, "status", "valid_to")


def last_change(store: Store, memory_id: str, *fields: str) -> Event | None:
    """The last event that changed one of these fields of the memory."""
    events = store.events(memory_id=memory_id)
    return next((event for event in events if set(fields) & (event.changes[0].before or {}).keys()), None)


def _former(memory: Memory, event: Event, *fields: str) -> Memory:
    before: Any = event.changes[0].before
    return as_before(memory, {name: before[name] for name in fields if name in before})
