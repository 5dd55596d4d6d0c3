"""Links that come about by themselves, while nobody waits."""

from datetime import UTC, datetime

import pytest
from inspect_store import everything
from tend.tended import NAMESPACE, NOW, mind, plant

from recollect.tend.last_used import idle

RIVER = (
    "The old boat house stands on the river near the mill",
    "The old boat house stands by the river near our mill today",
    "The old boat shed was by the river near the new mill today",
)


@pytest.fixture
def filled():
    with mind() as opened:
        yield opened


def links(filled, kind):
    found = {link for memory in filled.list() for link, _ in filled.neighbours(memory.id) if link.kind == kind}
    return {frozenset((filled.get(link.a).text, filled.get(link.b).text)) for link in found}


def test_what_says_something_alike_is_linked_with_its_cosine(filled):
    plant(filled, [*RIVER, "Completely unrelated words about astronomy"])
    filled.tend(at=NOW)
    assert links(filled, "similar") and all("river" in text for pair in links(filled, "similar") for text in pair)
    memory = next(m for m in filled.list() if m.text == RIVER[0])
    (weight,) = {link.weight for link, other in filled.neighbours(memory.id) if other.text == RIVER[1]}
    one, other = (filled._store.fetch([m.id], view="full").vectors[m.id] for m in filled.list() if m.text in RIVER[:2])
    assert weight == pytest.approx(float(one @ other), abs=1e-3)


def test_a_memory_is_linked_to_at_most_three_that_are_like_it(filled):
    plant(filled, [f"The old boat house stands on the river near the mill number {n} today" for n in range(8)])
    filled.tend(at=NOW)
    made = [link for m in filled.list() for link, _ in filled.neighbours(m.id) if link.kind == "similar"]
    assert max([link.a for link in set(made)].count(m.id) for m in filled.list()) <= 3


def test_a_rare_name_links_what_mentions_it_and_a_common_one_does_not(filled):
    plant(filled, ["Zephyrine sings on Sundays", "Dinner at eight was with a friend"], entities=["Zephyrine"])
    plant(filled, [f"{word} {word * 2}" for word in "pond lake creek marsh fjord inlet".split()], entities=["Berlin"])
    plant(filled, ["Twelve eggs", "A dozen roses"], entities=["12", "ab"])
    filled.tend(at=NOW)
    assert links(filled, "mentions") == {frozenset(["Zephyrine sings on Sundays", "Dinner at eight was with a friend"])}


def test_links_never_leave_the_namespace(filled):
    plant(filled, RIVER[:1], entities=["Zephyrine"])
    plant(filled, RIVER[1:2], entities=["Zephyrine"], namespace=f"{NAMESPACE}/below")
    plant(filled, RIVER[2:], entities=["Zephyrine"], namespace="acme/agents")
    filled.tend(namespace="acme", at=NOW)
    assert filled.stats().links == 0


def test_a_run_is_one_event_with_its_reason_and_undo_takes_it_back(filled):
    plant(filled, RIVER, entities=["Zephyrine"])
    done = filled.tend(at=NOW)
    events = {e.id: e for m in filled.list() for e in filled.history(m.id) if e.action == "relate"}
    (event,) = events.values()
    assert event.detail["automatic"] and "similar" in event.detail["why"]
    assert done.linked == len(event.detail["linked"]) == filled.stats().links > 3
    filled.undo(event.id)
    assert filled.stats().links == 0
    assert filled.tend(at=NOW).linked == 0


def test_a_preview_counts_and_changes_nothing(tmp_path):
    with mind(tmp_path / "a.db") as filled:
        plant(filled, RIVER)
        before = everything(tmp_path / "a.db")
        assert filled.tend(at=NOW, preview=True).linked > 0
        assert everything(tmp_path / "a.db") == before


def test_only_what_is_new_is_looked_at_and_a_second_run_changes_nothing(tmp_path):
    with mind(tmp_path / "a.db") as filled:
        plant(filled, RIVER[:2])
        filled.tend(at=NOW)
        first = filled.stats().links
        (pair,) = {(link.a, link.b) for m in filled.list() for link, _ in filled.neighbours(m.id)}
        filled.unlink(*pair)
        before = everything(tmp_path / "a.db")
        assert filled.tend(at=NOW).linked == 0
        assert everything(tmp_path / "a.db") == before and first == 1
        plant(filled, RIVER[2:])
        assert filled.tend(at=NOW).linked > 0
        assert pair[1] not in {other.id for _, other in filled.neighbours(pair[0])}


def test_a_run_has_a_bound_and_the_next_goes_on(filled, monkeypatch):
    monkeypatch.setattr("recollect.tend.links.MOST_AT_ONCE", 2)
    plant(filled, [f"{word} {word * 2}" for word in "pond lake creek marsh".split()], entities=["Zephyrine"])
    counts = [filled.tend(at=NOW).linked for _ in range(4)]
    assert sum(counts) == 6 and counts[0] and counts[1] and counts[2:] == [0, 0]


def test_links_by_tending_are_no_use_of_a_memory(filled):
    made = plant(filled, RIVER, at="2026-01-01")
    filled.tend(at="2026-01-20")
    assert filled.stats().links
    assert idle(filled.store, made, datetime(2026, 3, 1, tzinfo=UTC), 30) == made
