"""An id may be given by its beginning where that names one thing only."""

import pytest

from recollect import Recollect
from recollect.errors import InvalidInput, NotFound

pytest_plugins = ["server_fixtures"]


@pytest.fixture(params=["sqlite", "postgres"])
def mind(request, path):
    url = path if request.param == "sqlite" else request.getfixturevalue("database")
    with Recollect(url, embedder="hashing") as opened:
        yield opened


@pytest.fixture
def two(mind):
    """Two memories whose ids have the first characters in common, as ids of one moment do."""
    return mind.remember_many([{"text": "Ada prefers dark mode"}, {"text": "Bob drinks tea at four"}])


def beginning(id, others):
    """The shortest text that only this id begins with."""
    return next(id[:n] for n in range(8, 36) if not any(other.startswith(id[:n]) for other in others))


def test_a_beginning_stands_for_the_whole_id(mind, two):
    ada, bob = (beginning(one.id, [other.id]) for one, other in (two, two[::-1]))
    assert mind.get(ada).id == two[0].id
    assert mind.update(ada, importance=0.9).id == two[0].id
    assert mind.pin(ada).tier == "pinned" and mind.pin(ada, False).tier == "searchable"
    assert mind.link(ada, bob).b == two[1].id
    assert [other.id for _, other in mind.neighbours(ada)] == [two[1].id]
    assert [link.a for link in mind.unlink(ada, bob)] == [two[0].id]
    assert mind.supersede(ada, bob).id == two[0].id
    assert mind.reinforce(bob).id == two[1].id
    assert {event.action for event in mind.history(ada)} >= {"remember", "update", "supersede"}
    assert {memory.id for memory in mind.forget(bob)} == {one.id for one in two}  # what it replaced holds again
    assert mind.restore(bob).status == "active"
    assert [memory.id for memory in mind.archive(bob)] == [two[1].id]
    assert [memory.id for memory in mind.purge(bob)] == [two[1].id]


def test_events_recalls_and_hits_go_by_their_beginning_too(mind, two):
    events = [event.id for event in mind.history(mind.update(two[0].id, importance=0.9).id)]
    assert mind.undo(beginning(events[1], events[:1])).detail["undoes"] == events[1]
    found = mind.recall("Ada dark mode Bob tea", recipe="bm25")
    hits = [hit.memory.id for hit in found.hits]
    changed = mind.feedback(found.id[:35], [beginning(hits[0], hits[1:])], "helped")
    assert max(changed, key=lambda memory: memory.importance).id == hits[0]


def test_a_beginning_that_several_ids_have_is_refused_and_names_them(mind, two):
    shared = next(two[0].id[:n] for n in range(35, 7, -1) if two[1].id.startswith(two[0].id[:n]))
    with pytest.raises(InvalidInput, match=f"(?s){two[0].id}.*{two[1].id}.*more characters"):
        mind.get(shared)
    assert len(mind.list()) == 2


@pytest.mark.parametrize("given", ["01a1", "ffffffff", "no memory has this", "%%%%%%%%", "________", ""])
def test_what_begins_no_id_is_not_found(mind, two, given):
    with pytest.raises(NotFound, match="no memory has the id"):
        mind.get(given)
    with pytest.raises(NotFound):
        mind.undo(given)
    with pytest.raises(NotFound):
        mind.feedback(given)


def test_fewer_than_eight_characters_are_never_enough(mind):
    made = mind.remember("Ada prefers dark mode")
    with pytest.raises(NotFound):
        mind.get(made.id[:7])
    assert mind.get(made.id[:8]).id == made.id


def test_forgotten_memories_count_and_purged_ones_need_their_whole_id(mind, two):
    mind.forget(two[0].id)
    ada = beginning(two[0].id, [two[1].id])
    assert mind.get(ada).status == "forgotten"
    mind.purge(ada)
    assert [event.action for event in mind.history(two[0].id)] == ["remember", "forget"]
    with pytest.raises(NotFound):
        mind.history(ada)
