"""A move in pages ends as a move in one piece does, and one undo takes all of it back."""

import random
import shutil
from contextlib import contextmanager
from uuid import uuid4

import pytest

from recollect import Recollect
from recollect.types import STATUSES
from recollect.write.changes import pages

SENTENCES = [
    *(f"I {verb} {town}." for verb in ("live in", "moved to") for town in ("Porto", "Lyon", "Oslo", "Nantes")),
    *(f"I work as a {job}." for job in ("nurse", "pilot", "baker")),
    "I drank tea with my brother.",
]
KINDS = ("extends", "same_as", "supersedes", "temporal")


@pytest.fixture(scope="module")
def lives(tmp_path_factory):
    return [told(seed, tmp_path_factory.mktemp("lives") / f"{seed}.db") for seed in range(3)]


def told(seed, path):
    """Conversations and memories with facts that several turns state, and values that replace each other."""
    chosen = random.Random(seed)
    with Recollect(path, embedder="hashing") as mind:
        for day in range(1, 9):
            at = f"2026-01-{day:02}"
            if chosen.random() < 0.3:
                mind.remember(chosen.choice(SENTENCES), at=at)
            else:
                said = [{"role": "user", "content": " ".join(chosen.sample(SENTENCES, 2))} for _ in range(2)]
                mind.ingest(said, session_id="ab"[day % 2], at=at)
    return path


@contextmanager
def copied(path, tmp_path):
    with Recollect(shutil.copy(path, tmp_path / f"{uuid4()}.db"), embedder="hashing") as mind:
        yield mind


def content(mind):
    """Every memory, and the links between them. What was made by the move has other ids in each store."""
    held = {memory.id: memory for memory in mind.list(statuses=STATUSES, namespaces=["default", "other"])}
    names = {id: _named(memory) for id, memory in held.items()}
    links = {(names[link.a], names[link.b], link.kind) for link in mind.store.links(held) if link.kind in KINDS}
    return sorted(names.values()), sorted(links)


def _named(memory):
    place = (memory.namespace, memory.granularity, memory.session_id or "", memory.turn or 0)
    return (*place, memory.text, memory.status, str(memory.valid_from), str(memory.valid_to), str(memory.created_at))


@pytest.mark.parametrize("filters", [{}, {"session_id": "a"}, {"granularity": "turn"}, {"until": "2026-01-05"}])
@pytest.mark.parametrize("seed", range(3))
def test_a_move_in_pages_ends_as_a_move_in_one_piece(seed, filters, lives, tmp_path, monkeypatch):
    with copied(lives[seed], tmp_path) as mind:
        count = mind.move("default", "other", **filters)
        expected = content(mind)
    monkeypatch.setattr(pages, "PAGE", 4)
    with copied(lives[seed], tmp_path) as mind:
        assert mind.move("default", "other", **filters) == count > 2
        assert content(mind) == expected
        assert mind.check() == []


@pytest.mark.parametrize("filters", [{}, {"session_id": "a"}])
def test_one_undo_takes_back_all_pages_of_a_move_and_one_more_moves_them_again(lives, filters, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PAGE", 2)
    with copied(lives[0], tmp_path) as mind:
        before = content(mind)
        mind.move("default", "other", **filters)
        assert sum(event.action == "move" for event in mind.store.events()) > 1
        after = content(mind)
        back = mind.undo(mind.store.events(limit=1)[0].id)
        assert there(content(mind)) == there(before)
        mind.undo(back.id)
        assert there(content(mind)) == there(after)


def there(content):
    """Without what is forgotten: a fact that the move copied, and that the undo took back, stays as such."""
    return [memory for memory in content[0] if memory[5] != "forgotten"]


def test_a_move_that_was_interrupted_continues(lives, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PAGE", 2)
    with copied(lives[0], tmp_path) as mind:
        held = mind.list(statuses=STATUSES)
        mind.move("default", "other", id=held[0].id)  # as an interrupted move leaves it
        mind.move("default", "other")
        assert len(mind.list(statuses=STATUSES, namespace="other")) == len(held)
        assert mind.namespaces().keys() == {"other"}
