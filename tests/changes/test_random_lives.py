"""Whatever is told, changed, forgotten, restored and purged, in whatever order: no fact without a turn in sight, and
nothing replaced by what is gone."""

import random

import pytest

from recollect import Recollect
from recollect.types import STATUSES

SENTENCES = [
    *(f"I {verb} {town}." for verb in ("live in", "moved to") for town in ("Porto", "Lyon", "Oslo", "Nantes")),
    *(f"I work as a {job}." for job in ("nurse", "pilot", "baker")),
    "I drank tea with my brother.",
    "The weather was nice.",
]
GONE = ("forgotten", "quarantined")


class Life:
    def __init__(self, seed):
        self.chosen = random.Random(seed)
        self.mind = Recollect(":memory:", embedder="hashing")
        self.day = 0

    def held(self):
        return {memory.id: memory for memory in self.mind.list(statuses=STATUSES)}

    def text(self):
        return " ".join(self.chosen.sample(SENTENCES, self.chosen.randint(1, 3)))

    def step(self):
        self.day += 1
        held = sorted(self.held().values(), key=lambda memory: memory.id)
        turns = [memory for memory in held if memory.granularity == "turn"]
        steps = [self.talk, self.talk, self.remember] if not turns else [getattr(self, name) for name in STEPS]
        self.chosen.choice(steps)(self.chosen.choice(turns) if turns else None)

    def at(self):
        return f"2026-{1 + self.day // 28:02d}-{1 + self.day % 28:02d}"

    def talk(self, turn):
        said = [{"role": "user", "content": self.text()}]
        self.mind.ingest(said, session_id=f"s{self.day}", at=self.at())

    def remember(self, turn):
        self.mind.remember(self.chosen.choice(SENTENCES), at=self.at())

    def forget(self, turn):
        self.mind.forget(turn.id)

    def forget_session(self, turn):
        self.mind.forget(session_id=turn.session_id)

    def restore(self, turn):
        if turn.status == "forgotten":
            self.mind.restore(turn.id)

    def purge(self, turn):
        self.mind.purge(turn.id)

    def purge_session(self, turn):
        self.mind.purge(session_id=turn.session_id)

    def update(self, turn):
        self.mind.update(turn.id, text=self.text())

    def undo(self, turn):
        """Forgets and takes it back at once: nothing changes."""
        before = self.held()
        if self.mind.forget(turn.id):
            self.mind.undo(self.mind.history(turn.id)[-1].id)
            assert self.held() == before

    # What always holds ----------------------------------------------------------------------------

    def check(self):
        held = self.held()
        for memory in held.values():
            if memory.granularity == "fact" and memory.status not in GONE and not memory.metadata.get("remembered"):
                turns = [held[link.b] for link in self.links(memory.id, "extends", a=memory.id)]
                assert any(turn.status not in GONE for turn in turns), memory.text
                assert memory.message in {turn.message for turn in turns}
            if memory.status == "superseded":
                assert any(held[id].status not in GONE for id in self.above(memory.id)), memory.text
        assert self.mind.check() == []

    def links(self, id, kind, **ends):
        found = [link for link in self.mind.store.links([id]) if link.kind == kind]
        return [link for link in found if all(getattr(link, name) == end for name, end in ends.items())]

    def above(self, id):
        found, waiting = set(), {id}
        while waiting:
            waiting = {link.a for each in waiting for link in self.links(each, "supersedes", b=each)} - found
            found |= waiting
        return found


STEPS = ["talk"] * 4 + ["remember", "forget", "forget_session", "restore", "restore", "purge", "purge_session"]
STEPS += ["update", "update", "undo"]


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_left_over(seed):
    life = Life(seed)
    for _ in range(20):
        life.step()
        life.check()
