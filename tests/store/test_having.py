"""A search for all of some words finds every memory that has them, however few of the lists were read."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from recollect.store import open_store
from recollect.store.sqlite import postings
from recollect.store.values import Batch, Put
from recollect.testing import model
from recollect.testing.samples import event, memory, put
from recollect.types import Filter
from recollect.write.build.words import document

WORDS = [f"w{n}x" for n in range(40)]


def made(chosen, n):
    words = [WORDS[min(int(chosen.paretovariate(0.5)) - 1, len(WORDS) - 1)] for _ in range(chosen.randrange(1, 12))]
    return memory(
        n,
        " ".join(words * (200 if chosen.random() < 0.03 else 1)),  # a count that no code holds
        gist=chosen.choice(["", *WORDS[:4]]),
        namespace=chosen.choice(["acme", "acme/a", "other"]),
        granularity=chosen.choice(["memory", "fact", "turn"]),
        status=chosen.choice(["active", "active", "superseded"]),
    )


def change(chosen, store, held):
    start = 1 + max((int(id[-12:]) for id in held), default=0)
    puts = [put(made(chosen, n)) for n in range(start, start + chosen.randrange(1, 60))]
    known = chosen.sample(sorted(held), min(len(held), 9))
    puts += [put(made(chosen, int(id[-12:]))) for id in known[::2]]
    puts += [Put(memory=replace(held[id], namespace=chosen.choice(["acme", "other"]))) for id in known[1::2]]
    store.write(Batch(puts=puts))
    held.update({given.memory.id: given.memory for given in puts})
    gone = chosen.sample(sorted(held), 3)
    store.purge(gone, event("purge"))
    for id in gone:
        del held[id]


def asked(chosen):
    words = chosen.sample(WORDS[:25], 5)
    return {
        "content": tuple(words[: chosen.randrange(1, 4)]),
        "stop": tuple(words[4:]),
        "filter": Filter(
            namespaces=chosen.choice([("acme",), ("acme/a",), ("acme", "other")]),
            statuses=chosen.choice([(), ("active",)]),
            granularities=chosen.choice([(), ("memory", "fact")]),
        ),
    }


def expected(held, content, stop, filter):
    found = {}
    for id, one in held.items():
        counts = Counter(document(one).text)
        if counts.keys() >= set(content) and model.admits(filter, one):
            found[id] = {term: counts[term] for term in (*content, *stop) if counts[term]}
    return found


@pytest.mark.parametrize("seed", range(4))
def test_every_memory_with_all_of_the_words_is_found(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(postings, "SEGMENT_COST", 900)
    chosen, held = random.Random(seed), {}
    path = str(tmp_path / "agent.db")
    stores = writer, _ = open_store(path), open_store(path)  # as two processes have it
    for _ in range(12):
        change(chosen, writer, held)
        for store in stores:
            question = asked(chosen)
            found, corpora = store.search_text(**question, match="all", fields={"text": 1.0}, limit=len(held) + 1)
            assert {p.memory_id: p.frequencies["text"] for p in found} == expected(held, **question)
            assert {(p.tenant, p.granularity) for p in found} <= corpora.keys()
            assert all(p.tenant == held[p.memory_id].tenant for p in found)
    assert len(writer._db._writer.execute("SELECT number FROM segment").fetchall()) > 3
    for store in stores:
        store.close()
