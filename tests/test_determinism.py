"""The same store, question and moment give the same answer, whoever asks."""

import json
import random

import pytest
from inspect_store import python

from recollect import Recollect, recipes

AT = "2030-01-01T00:00:00Z"
QUERIES = ["dark mode for Ada", "what runs on Tuesdays?", "item 7 of the list", "the"]
ASK = """
import json, sys
from recollect import Recollect
path, at, *queries = sys.argv[1:]
with Recollect(path) as mind:
    from recollect import recipes
    for name in recipes.names():
        for query in queries:
            found = mind.recall(query, recipe=name, at=at, limit=20, track=False).to_dict()
            del found["id"]
            for step in found["trace"]:
                del step["ms"]
            print(json.dumps(found))
"""


def answers(mind):
    lines = []
    for name in recipes.names():
        for query in QUERIES:
            found = mind.recall(query, recipe=name, at=AT, limit=20, track=False).to_dict()
            del found["id"]
            for step in found["trace"]:
                del step["ms"]
            lines.append(json.dumps(found))
    return lines


@pytest.fixture
def grown(mind):
    """A store that grew in many small steps while it was being searched, as in a long-lived process."""
    chosen = random.Random(1)
    vocabulary = ["Ada", "Bob", "dark", "light", "mode", "Tuesdays", "list", "item", "pool", "tea", "deploy", "editor"]
    kept = []
    for n in range(60):
        text = " ".join(chosen.choices(vocabulary, k=chosen.randint(2, 9))) + f" {n % 9}"
        kept += mind.remember_many([{"text": text, "importance": chosen.random(), "dedup": n % 5 > 0}] * 2)
        mind.recall(chosen.choice(QUERIES), recipe=chosen.choice(["default", "vector"]))
        if n % 10 == 9:
            mind.link(kept[0].id, kept[-1].id, "related", 0.5) if kept[0].id != kept[-1].id else None
            mind.update(kept[n].id, text=f"changed to item {n}")
            mind.purge(kept[n - 3].id) if kept[n - 3].id not in (kept[0].id, kept[n].id) else None
            kept = [memory for memory in kept if mind._store.get([memory.id])]
    return mind


def test_another_process_with_another_hash_seed_gives_the_same_bytes(grown, path):
    mine = answers(grown)
    for seed in ("1", "4242"):
        assert python(ASK, path, AT, *QUERIES, PYTHONHASHSEED=seed).splitlines() == mine


def test_a_fresh_look_gives_the_same_bytes_as_a_long_lived_process(grown, path):
    mine = answers(grown)
    with Recollect(path) as fresh:
        assert answers(fresh) == mine
    assert answers(grown) == mine


def test_a_backup_gives_the_same_bytes(grown, tmp_path):
    with Recollect(grown.backup(tmp_path / "copy.db")) as copy:
        assert answers(copy) == answers(grown)


def test_the_same_words_in_the_same_memory_always_score_the_same(mind):
    mind.remember_many([{"text": "the very same text", "dedup": False} for _ in range(40)])
    for recipe in ("bm25", "vector"):
        found = mind.recall("same text", recipe=recipe, limit=5).hits
        assert len({hit.score for hit in found}) == 1
        assert [hit.memory.id for hit in found] == sorted(memory.id for memory in mind.list())[:5]
