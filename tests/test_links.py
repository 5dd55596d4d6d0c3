"""Links between memories, and what superseding and contradicting do."""

import pytest

from recollect.errors import NotFound
from recollect.types import LINK_KINDS


@pytest.fixture
def trio(mind):
    return mind.remember_many(
        [{"text": text} for text in ("Ada leads the team", "Bob writes the docs", "Tea is green")]
    )


@pytest.mark.parametrize("kind", LINK_KINDS)
def test_every_kind_of_link_can_be_made_and_removed(mind, trio, kind):
    a, b, _ = (memory.id for memory in trio)
    made = mind.link(a, b, kind, 0.75)
    assert (made.a, made.b, made.kind, made.weight) == (a, b, kind, 0.75)
    assert [(link, memory.id) for link, memory in mind.neighbours(b)] == [(made, a)]
    assert mind.unlink(a, b, kind) == [made]
    assert mind.neighbours(a) == []


def test_neighbours_come_heaviest_first_from_both_directions(mind, trio):
    a, b, c = (memory.id for memory in trio)
    mind.link(a, b, "related", 0.2)
    mind.link(c, a, "supports", 0.9)
    assert [memory.id for _, memory in mind.neighbours(a)] == [c, b]


def test_forgotten_neighbours_are_left_out_and_come_back_when_restored(mind, trio):
    a, b, _ = (memory.id for memory in trio)
    mind.link(a, b)
    mind.forget(b)
    assert mind.neighbours(a) == []
    mind.restore(b)
    assert len(mind.neighbours(a)) == 1


def test_unlinking_without_a_kind_removes_all_in_that_direction(mind, trio):
    a, b, _ = (memory.id for memory in trio)
    mind.link(a, b, "related")
    mind.link(a, b, "supports")
    mind.link(b, a, "extends")
    assert len(mind.unlink(a, b)) == 2
    assert [link.kind for link, _ in mind.neighbours(a)] == ["extends"]
    with pytest.raises(NotFound, match="no link from"):
        mind.unlink(a, b)


def test_superseding_ends_the_old_ones_validity_where_the_new_ones_begins(mind):
    old = mind.remember("The office is in Berlin", at="2023-01-01")
    new = mind.remember("The office moved to Hamburg", at="2024-05-06")
    after = mind.supersede(old.id, new.id)
    assert (after.status, after.valid_to) == ("superseded", new.valid_from)
    assert [(link.a, link.b, link.kind) for link, _ in mind.neighbours(old.id)] == [(new.id, old.id, "supersedes")]


def test_contradicting_links_both_and_changes_neither(mind, trio):
    a, b, _ = (memory.id for memory in trio)
    mind.contradict(a, b)
    assert [link.kind for link, _ in mind.neighbours(b)] == ["contradicts"]
    assert {memory.status for memory in mind.list()} == {"active"}


def test_purging_one_end_takes_its_links_along(mind, trio):
    a, b, c = (memory.id for memory in trio)
    mind.link(a, b)
    mind.link(b, c)
    mind.purge(b)
    assert mind.neighbours(a) == mind.neighbours(c) == []
    assert mind.check() == []


def test_links_are_found_by_the_graph_route_but_never_across_a_namespace(mind):
    a = mind.remember("Ada leads the team", namespace="acme")
    b = mind.remember("zebra crossing", namespace="acme2")
    mind.link(a.id, b.id, "related", 1.0)
    found = mind.recall("Ada leads", namespace="acme", limit=50)
    assert {hit.memory.id for hit in found.hits} == {a.id}


def test_reinforcing_and_pinning(mind, trio):
    mind.update(trio[0].id, strength=0.95)
    assert mind.reinforce(trio[0].id).strength == 1.0
    assert mind.pin(trio[0].id).tier == "pinned"
    assert mind.pin(trio[0].id, pinned=False).tier == "searchable"
