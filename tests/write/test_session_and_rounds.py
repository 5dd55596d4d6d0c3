"""MemSense's hybrid mode: a conversation as one record, and each round as another."""

import pytest

from recollect import Recollect

CHAT = [
    {"role": "user", "content": "I moved to Porto. My flat is small."},
    {"role": "assistant", "content": "How do you like it?"},
    {"role": "user", "content": "I love the river, and I prefer tea to coffee now."},
    {"role": "assistant", "content": "Noted."},
]
MORE = [{"role": "user", "content": "Next week I visit the kettle museum."}, {"role": "assistant", "content": "Enjoy!"}]


@pytest.fixture
def mind():
    with Recollect(":memory:", embedder="hashing") as made:
        yield made


def held(mind):
    kept = sorted(mind.list(), key=lambda m: (m.granularity, m.turn))
    return [(m.granularity, m.turn, m.gist) for m in kept]


def test_a_session_and_its_rounds_are_stored_with_gist_and_facets(mind):
    found = mind.ingest(CHAT, session_id="s", granularity="session+round")
    assert len(found.added) == 3
    assert held(mind) == [
        ("round", 0, "I moved to Porto."),
        ("round", 2, "I love the river, and I prefer tea to coffee now."),
        ("session", 0, "I moved to Porto."),
    ]
    ids = [memory.id for memory in found.added]
    for view in ("full", "user", "assistant", "preferences"):
        assert mind._store.fetch(ids, view=view).vectors


def test_a_longer_version_adds_a_round_and_changes_the_session(mind):
    mind.ingest(CHAT, session_id="s", granularity="session+round")
    again = mind.ingest(CHAT, session_id="s", granularity="session+round")
    assert (again.added, again.changed, again.unchanged) == ((), (), 3)
    longer = mind.ingest([*CHAT, *MORE], session_id="s", granularity="session+round")
    assert [(m.granularity, m.turn) for m in longer.added] == [("round", 4)]
    assert [m.granularity for m in longer.changed] == ["session"]
    assert len(mind.list()) == 4


def test_rounds_support_their_session_in_memsense(mind):
    mind.ingest(CHAT, session_id="one", granularity="session+round")
    mind.ingest(MORE, session_id="other", granularity="session+round")
    found = mind.recall("tea or coffee", recipe="memsense", track=False)
    assert {hit.memory.granularity for hit in found.hits} == {"session"}
    assert found.hits[0].memory.session_id == "one"
    assert found.hits[0].explanation.find("turn_support").value > 0


def test_a_long_first_sentence_is_cut_to_200_characters(mind):
    mind.ingest([{"role": "user", "content": "word " * 100}], session_id="s", granularity="session+round")
    assert all(len(gist) <= 200 for _, _, gist in held(mind))
