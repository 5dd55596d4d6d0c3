"""Links that come about by themselves, while nobody waits."""

import pytest
from looking import everything
from tend.garden import NAMESPACE, NOW, mind, plant

RIVER = (
    "The old boat house stands on the river near the mill",
    "The old boat house stands by the river near our mill today",
    "The old boat shed was by the river near the new mill today",
)


@pytest.fixture
def garden():
    with mind() as opened:
        yield opened


def links(garden, kind):
    found = {link for memory in garden.list() for link, _ in garden.neighbours(memory.id) if link.kind == kind}
    return {frozenset((garden.get(link.a).text, garden.get(link.b).text)) for link in found}


def test_what_says_something_alike_is_linked_with_its_cosine(garden):
    plant(garden, [*RIVER, "Completely unrelated words about astronomy"])
    garden.tend(at=NOW)
    assert links(garden, "similar") and all("river" in text for pair in links(garden, "similar") for text in pair)
    memory = next(m for m in garden.list() if m.text == RIVER[0])
    (weight,) = {link.weight for link, other in garden.neighbours(memory.id) if other.text == RIVER[1]}
    one, other = (garden._store.vectors([m.id], "full")[m.id] for m in garden.list() if m.text in RIVER[:2])
    assert weight == pytest.approx(float(one @ other), abs=1e-3)


def test_a_memory_is_linked_to_at_most_three_that_are_like_it(garden):
    plant(garden, [f"The old boat house stands on the river near the mill number {n} today" for n in range(8)])
    garden.tend(at=NOW)
    made = [link for m in garden.list() for link, _ in garden.neighbours(m.id) if link.kind == "similar"]
    assert max([link.a for link in set(made)].count(m.id) for m in garden.list()) <= 3


def test_a_rare_name_links_what_mentions_it_and_a_common_one_does_not(garden):
    plant(garden, ["Zephyrine sings on Sundays", "Dinner at eight was with a friend"], entities=["Zephyrine"])
    plant(garden, [f"{word} {word * 2}" for word in "pond lake creek marsh fjord inlet".split()], entities=["Berlin"])
    plant(garden, ["Twelve eggs", "A dozen roses"], entities=["12", "ab"])
    garden.tend(at=NOW)
    assert links(garden, "mentions") == {frozenset(["Zephyrine sings on Sundays", "Dinner at eight was with a friend"])}


def test_links_never_leave_the_namespace(garden):
    plant(garden, RIVER[:1], entities=["Zephyrine"])
    plant(garden, RIVER[1:2], entities=["Zephyrine"], namespace=f"{NAMESPACE}/below")
    plant(garden, RIVER[2:], entities=["Zephyrine"], namespace="acme/agents")
    garden.tend(namespace="acme", at=NOW)
    assert garden.stats().links == 0


def test_a_run_is_one_event_with_its_reason_and_undo_takes_it_back(garden):
    plant(garden, RIVER, entities=["Zephyrine"])
    done = garden.tend(at=NOW)
    events = {e.id: e for m in garden.list() for e in garden.history(m.id) if e.action == "relate"}
    (event,) = events.values()
    assert event.detail["automatic"] and "alike" in event.detail["why"]
    assert done.linked == len(event.detail["linked"]) == garden.stats().links > 3
    garden.undo(event.id)
    assert garden.stats().links == 0
    assert garden.tend(at=NOW).linked == 0


def test_a_preview_counts_and_changes_nothing(tmp_path):
    with mind(tmp_path / "a.db") as garden:
        plant(garden, RIVER)
        before = everything(tmp_path / "a.db")
        assert garden.tend(at=NOW, preview=True).linked > 0
        assert everything(tmp_path / "a.db") == before


def test_only_what_is_new_is_looked_at_and_a_second_run_changes_nothing(tmp_path):
    with mind(tmp_path / "a.db") as garden:
        plant(garden, RIVER[:2])
        garden.tend(at=NOW)
        first = garden.stats().links
        (pair,) = {(link.a, link.b) for m in garden.list() for link, _ in garden.neighbours(m.id)}
        garden.unlink(*pair)
        before = everything(tmp_path / "a.db")
        assert garden.tend(at=NOW).linked == 0
        assert everything(tmp_path / "a.db") == before and first == 1
        plant(garden, RIVER[2:])
        assert garden.tend(at=NOW).linked > 0
        assert pair[1] not in {other.id for _, other in garden.neighbours(pair[0])}


def test_a_run_has_a_bound_and_the_next_goes_on(garden, monkeypatch):
    monkeypatch.setattr("recollect.tend.links.MOST_AT_ONCE", 2)
    plant(garden, [f"{word} {word * 2}" for word in "pond lake creek marsh".split()], entities=["Zephyrine"])
    counts = [garden.tend(at=NOW).linked for _ in range(4)]
    assert sum(counts) == 6 and counts[0] and counts[1] and counts[2:] == [0, 0]


def test_links_by_tending_do_not_keep_a_memory_from_being_archived(garden):
    plant(garden, RIVER, at="2026-01-01")
    garden.tend(at="2026-01-20")
    assert garden.stats().links
    assert len(garden.tend(at="2026-03-01").archived) == 3
