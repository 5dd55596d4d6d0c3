"""Little stories about what is made from what: what is told, what is done, and what is there afterwards.

pytest does not collect this. A memory is named by its label, or by the beginning of it: `turn a/0` is the first turn of
session a, `fact a/0 I live` a fact of it, `memory Ada` something remembered on its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest
from tend.tended import OTHERS

from recollect.errors import NotFound
from recollect.types import STATUSES

GONE = "gone"


class World:
    """A memory in which everything has a label."""

    def __init__(self, mind):
        self.mind = mind
        self.known = {}
        """Label → memory, of everything there ever was."""

    def all(self):
        return {label(memory): memory for memory in self.mind.list(statuses=STATUSES, namespaces=["default", "ada"])}

    def do(self, steps):
        for step in steps:
            step(self)
            self.known = self.all() | self.known

    def id(self, beginning):
        """Also of a memory that has another text by now."""
        found = {memory.id for name, memory in self.known.items() if name.startswith(beginning)}
        return found.pop() if len(found) == 1 else self.known[only(self.known, beginning)].id

    def event(self, beginning, action):
        """The last event of a memory that has this action."""
        return [event for event in self.mind.history(self.id(beginning)) if event.action == action][-1]


def label(memory):
    place = "" if memory.granularity == "memory" else f"{memory.session_id}/{memory.turn} "
    outside = "" if memory.namespace == "default" else f"{memory.namespace}: "
    return f"{outside}{memory.granularity} {place}{memory.text}"


def only(labels, beginning):
    found = [name for name in labels if name.startswith(beginning)]
    exact = [name for name in found if name == beginning]
    assert len(exact or found) == 1, (beginning, sorted(labels))
    return (exact or found)[0]


Step = Callable[[World], object]


@dataclass(frozen=True)
class Story:
    name: str
    told: Sequence[Step]
    done: Sequence[Step]
    then: Mapping[str, str]
    """Label → status, or GONE. What is not named here must not be there."""


# Telling ------------------------------------------------------------------------------------------


def talk(session, *messages, at="2026-01-10", **more):
    said = [{"role": "user", "content": message} for message in messages]
    return lambda world: world.mind.ingest(said, session_id=session, at=at, **more)


def remember(text, at="2026-01-10", **more):
    return lambda world: world.mind.remember(text, at=at, **more)


def crowd(*texts, at="2026-01-10", **more):
    """More than twenty memories, so that consolidation has something to do, and these among them."""
    items = [{"text": text, "at": at, "dedup": False, **more} for text in (*OTHERS, *texts)]
    return lambda world: world.mind.remember_many(items)


def consolidate(world):
    assert len(world.mind.consolidate(at="2026-02-01")) == 1


def tend(at):
    return lambda world: world.mind.tend(at=at, force=True)


def keep_for(days):
    return lambda world: world.mind.set_retention(expires_after_days=days)


def as_agent(*steps):
    """The same steps, by somebody whose texts are screened."""

    def act(world):
        owner = world.mind
        world.mind = owner.acting(actor="agent", trust="agent")
        world.do(steps)
        world.mind = owner

    return act


# Doing --------------------------------------------------------------------------------------------


def purge(beginning=None, **filters):
    return lambda world: world.mind.purge(world.id(beginning) if beginning else None, **filters)


def forget(beginning=None, **filters):
    return lambda world: world.mind.forget(world.id(beginning) if beginning else None, **filters)


def restore(beginning):
    return lambda world: world.mind.restore(world.id(beginning))


def update(beginning, **fields):
    return lambda world: world.mind.update(world.id(beginning), **fields)


def supersede(old, new):
    return lambda world: world.mind.supersede(world.id(old), world.id(new))


def undo(beginning, action):
    return lambda world: world.mind.undo(world.event(beginning, action).id)


def move(new, beginning=None, **filters):
    return lambda world: world.mind.move("default", new, id=world.id(beginning) if beginning else None, **filters)


# Looking ------------------------------------------------------------------------------------------


def check(world, then, tmp_path):
    """Everything is as the story says: in lists, by id, in recalls, in the history and in an export."""
    there = {name: memory for name, memory in world.all().items() if memory.text not in OTHERS}
    named = {only(there, beginning): status for beginning, status in then.items() if status != GONE}
    assert {name: memory.status for name, memory in there.items()} == named
    for name, memory in there.items():
        assert world.mind.get(memory.id).status == named[name]
        assert (memory.id in _recalled(world, memory)) == (memory.status == "active"), name
    exported = _exported(world, tmp_path / "after.jsonl")
    assert all(memory.id in exported for memory in there.values())
    for beginning in (name for name, status in then.items() if status == GONE):
        _check_gone(world, beginning, exported, [memory.text for memory in there.values()])
    assert world.mind.check() == []


def _recalled(world, memory):
    asked = {"namespace": memory.namespace, "at": "2026-12-01", "include": ["active", "archived"]}
    found = world.mind.recall(memory.text, recipe="bm25", limit=50, track=False, **asked)
    return [hit.memory.id for hit in found.hits]


def _exported(world, path):
    world.mind.export(path)
    return path.read_text(encoding="utf-8")


def _check_gone(world, beginning, exported, kept):
    lost = world.id(beginning)
    with pytest.raises(NotFound):
        world.mind.get(lost)
    assert all(not change.before for event in world.mind.history(lost) for change in event.changes)
    for text in (memory.text for memory in world.known.values() if memory.id == lost):
        assert text not in exported or any(text in other for other in kept)
