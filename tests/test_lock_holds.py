"""Long writes hold the lock for a page, not for everything: twice as many memories make no transaction longer."""

import random

import pytest

from recollect import Recollect
from recollect.keep import importing, reembed
from recollect.tend import last_used, links, strength
from recollect.write.changes import pages, purge

PAGE = 40
FEW = 100
"""More than two pages."""
LONGER = 1.35
"""A page with older rows before it touches a few more. A verb that works in one piece has 2."""


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch):
    for module in (pages, purge, last_used, links, strength, reembed, importing):
        for name in ("PAGE", "_PAGE", "BATCH"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, PAGE)


def texts(count):
    chosen = random.Random(22)
    words = ["".join(chosen.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(3 * count)]
    return [{"text": " ".join(words[3 * n : 3 * n + 3]), "at": "2026-01-01"} for n in range(count)]


def fill(mind, count, folder):
    mind.remember_many(texts(count))


def moved(mind, count, folder):
    fill(mind, count, folder)
    mind.move("default", "other")


def forgotten(mind, count, folder):
    fill(mind, count, folder)
    mind.forget(namespace="default")


def decayed(mind, count, folder):
    fill(mind, count, folder)
    mind.tend(at="2026-03-01")


def without_vectors(mind, count, folder):
    fill(mind, count, folder)
    mind.store.drop_vectors()


def limited(mind, count, folder):
    fill(mind, count, folder)
    mind.set_retention("default", most_memories=10)


def exported(mind, count, folder):
    fill(mind, count, folder)
    mind.export(folder / "all.jsonl", overwrite=True)
    mind.purge(namespace="default")


def undo(mind, folder):
    """The last event, or the last page of it."""
    mind.undo(next(event.id for event in mind.store.events() if event.changes or "rate" in event.detail))


WORK = {
    "forget": (fill, lambda mind, folder: mind.forget(namespace="default")),
    "archive": (fill, lambda mind, folder: mind.archive(namespace="default")),
    "purge": (fill, lambda mind, folder: mind.purge(namespace="default")),
    "move": (fill, lambda mind, folder: mind.move("default", "other")),
    "move some": (fill, lambda mind, folder: mind.move("default", "other", granularity="memory")),
    "undo of a forget": (forgotten, undo),
    "undo of a move": (moved, undo),
    "undo of a decay": (decayed, undo),
    "tend": (fill, lambda mind, folder: mind.tend(at="2026-03-01")),
    "tend with a limit": (limited, lambda mind, folder: mind.tend(at="2026-03-01")),
    "reembed": (without_vectors, lambda mind, folder: mind.reembed("hashing")),
    "import": (exported, lambda mind, folder: mind.import_(folder / "all.jsonl")),
    "chain": (fill, lambda mind, folder: mind.chain(True)),
}


def longest(verb, count, folder):
    """The most rows that one transaction changed."""
    prepare, work = WORK[verb]
    folder.mkdir()
    with Recollect(folder / "agent.db", embedder="hashing") as mind:
        prepare(mind, count, folder)
        writer = mind.store._db._writer
        seen = [writer.total_changes()]
        writer.set_commit_hook(lambda: seen.append(writer.total_changes()) or False)
        work(mind, folder)
    return max(after - before for before, after in zip(seen, seen[1:], strict=False))


@pytest.mark.parametrize("verb", WORK)
def test_twice_as_many_memories_make_no_transaction_longer(verb, tmp_path):
    few, many = (longest(verb, count, tmp_path / str(count)) for count in (FEW, 2 * FEW))
    assert many <= LONGER * few, (few, many)
