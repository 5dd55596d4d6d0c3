"""Brings memories back: forgotten ones with what was forgotten along with them, quarantined ones with their facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import InvalidInput
from ...namespaces import common
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Event, Memory
from ..build.put import fields_only
from ..build.statements import STATING, about_of
from ..screening.quarantine import held_back, released
from ..stamp import Stamp, as_before
from .joined import JoinedChanges
from .leave import noted
from .leaving import REPLACED, leaving, replaced_by_event
from .revise import one
from .surroundings import Surroundings

_REPLACING = ("supersede", "consolidate", "merge")
"""Events by which another memory replaces one."""


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
    """Writes what comes back. A statement that comes back may replace others, or be replaced by newer ones."""
    from ..updates import relate  # loads the rules

    near = Surroundings(store, stamp.within)
    back = _released(near, memory) if memory.status == "quarantined" else Return(near).of(memory)
    store.write(Batch(puts=[fields_only(after) for after in back]))
    alone = leaving(store, "forget", stamp.within).reconsider([m for m in back if was_replaced(store, m)]).back
    store.write(Batch(puts=[fields_only(after) for after in alone.values()]))
    held = [alone.get(after.id, after) for after in back]
    about = {m.id: key for m in held if m.granularity in STATING and (key := about_of(m)) is not None}
    relate(store, [m for m in held if m.status == "active"], about, stamp)


def _released(near: Surroundings, memory: Memory) -> list[Memory]:
    near.know([memory])
    facts = [fact for fact in near.stated_in([memory]) if fact.status == "quarantined" and near.may_change(fact)]
    return [released(each) for each in (memory, *facts)]


def was_replaced(store: Store, memory: Memory) -> bool:
    """Whether its status means that another memory replaced it. Somebody may have set it by hand."""
    event = replaced_by_event(store, memory) if memory.status in REPLACED else None
    return event is not None and event.action in _REPLACING


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
