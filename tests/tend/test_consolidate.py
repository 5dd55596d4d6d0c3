"""Many that say the same become one, and nothing is lost by it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import memory
from tend.garden import BIKE, NOW, OTHERS, TEA, by_text, event_of, everything, full, mind, plant

from recollect.errors import EmbedderUnavailable
from recollect.tend.cluster import Said, clash
from recollect.tend.summary import MOST_CHARS, by_rules


def test_a_cluster_becomes_one_memory_and_its_originals_stay_reachable():
    garden = full(clusters=[TEA])
    plant(garden, ["spare"], kind="task")
    (summary,) = garden.consolidate(at=NOW)
    originals = [by_text(garden, text) for text in TEA]
    assert [m.status for m in originals] == ["consolidated"] * 3
    assert summary.origin == "tend"
    assert summary.metadata == {"consolidates": sorted(m.id for m in originals)}
    joined = garden.neighbours(summary.id)
    assert {(link.kind, m.id) for link, m in joined} == {("extends", m.id) for m in originals}
    assert all(0.8 <= link.weight <= 1 for link, _ in joined)
    assert garden.recall("where does the user's green tea come from?", at=NOW).hits[0].memory.id == summary.id
    assert garden.check() == []


def test_a_summary_has_the_majoritys_kind_all_tags_and_a_little_more_importance():
    garden = full(clusters=[])
    for text, kind, tag, importance in zip(TEA, ("habit", "fact", "habit"), "xyx", (0.3, 0.6, 0.5), strict=True):
        plant(garden, [text], kind=kind, tags=[tag], importance=importance, confidence=importance)
    (summary,) = garden.consolidate(at=NOW)
    assert (summary.kind, set(summary.tags), summary.confidence) == ("habit", {"x", "y"}, 0.3)
    assert summary.importance == pytest.approx(0.7)


def test_undo_restores_all_of_it_and_tending_does_not_do_it_again():
    garden = full(clusters=[TEA])
    before, links = everything(garden)
    (summary,) = garden.consolidate(at=NOW)
    garden.undo(event_of(garden, summary.id, "consolidate").id)
    after, links_after = everything(garden)
    assert after.pop(summary.id)[1] == "forgotten"
    assert (after, links_after) == (before, links)
    assert garden.consolidate(at=NOW) == []


def test_consolidating_twice_is_consolidating_once():
    garden = full()
    assert len(garden.consolidate(at=NOW)) == 2
    once = everything(garden)
    assert garden.consolidate(at=NOW) == []
    assert everything(garden) == once


def test_the_same_memories_always_give_the_same_summaries():
    assert {m.text for m in full().consolidate(at=NOW)} == {m.text for m in full().consolidate(at=NOW)}


def test_a_preview_changes_nothing():
    garden = full()
    before = everything(garden)
    assert len(garden.consolidate(at=NOW, preview=True)) == 2
    assert everything(garden) == before


def test_twenty_memories_are_left_alone():
    garden = mind()
    plant(garden, [*OTHERS[:17], *TEA])
    assert garden.consolidate(at=NOW) == []
    plant(garden, OTHERS[17:18])
    assert len(garden.consolidate(at=NOW)) == 1


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=3, max_size=6, unique=True))
def test_statements_that_differ_only_in_a_number_are_never_merged(numbers):
    garden = mind()
    plant(garden, [*OTHERS, *(f"The limit of the export service is {number} requests per key" for number in numbers)])
    assert garden.consolidate(at=NOW) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The limit is 100", "The limit is 200"),
        ("Ada manages Bob", "Bob manages Ada"),
        ("Ada lives in Lyon", "Ada lives in Oslo"),
        ("The user likes tea", "The user does not like tea"),
        ("The user likes tea", "The user hates tea"),
        ("The meeting is on Monday", "The meeting is on Tuesday"),
        ("错误码是 100", "错误码是 200"),
    ],
)
def test_what_differs_in_a_number_a_name_a_day_or_a_no_clashes(one, other):
    assert clash(Said(one), Said(other))
    assert clash(Said(other), Said(one))


def test_pinned_temporary_and_spoken_memories_are_never_consolidated():
    garden = full(clusters=[])
    for fields in ({"granularity": "turn"}, {"granularity": "chunk"}, {"expires_at": "2027-01-01"}):
        plant(garden, TEA, **fields)
    for kept in plant(garden, BIKE):
        garden.pin(kept.id)
    assert garden.consolidate(at=NOW) == []


def test_memories_that_contradict_each_other_or_are_trusted_differently_stay_apart():
    garden = full(clusters=[TEA])
    a, b, _ = (by_text(garden, text) for text in TEA)
    garden.contradict(a.id, b.id)
    for text, trust in zip(BIKE, ("user", "web", "user"), strict=True):
        plant(garden, [text], trust=trust)
    assert garden.consolidate(at=NOW) == []


def test_namespaces_are_never_mixed():
    garden = full(clusters=[TEA[:2]])
    plant(garden, [*OTHERS, TEA[2]], namespace="acme/agents/ada/below")
    assert garden.consolidate(at=NOW) == []


def test_a_memory_whose_name_the_summary_lost_stays_in_sight():
    garden = full(clusters=[])
    plant(garden, [*TEA, f"{TEA[0]} with Marguerite"])
    (summary,) = garden.consolidate(at=NOW, summarise=lambda cluster: TEA[0])
    assert by_text(garden, f"{TEA[0]} with Marguerite").status == "active"
    assert len(summary.metadata["consolidates"]) == 3


def test_a_given_summariser_is_used_and_rules_stand_in_when_it_fails():
    def silent(cluster):
        raise EmbedderUnavailable("no answer")

    (written,) = full(clusters=[TEA]).consolidate(at=NOW, summarise=lambda cluster: "Green tea from the corner shop.")
    assert written.text == "Green tea from the corner shop."
    for poor in (silent, lambda cluster: "", lambda cluster: "x" * 601):
        (made,) = full(clusters=[TEA]).consolidate(at=NOW, summarise=poor)
        assert made.text.startswith("The user drinks green tea")


@given(st.lists(st.text(min_size=1, max_size=900).filter(str.strip), min_size=3, max_size=12))
def test_a_summary_by_rules_is_short(texts):
    assert len(by_rules([memory(str(n), text) for n, text in enumerate(texts)])) <= MOST_CHARS


def test_a_summary_keeps_what_only_one_of_them_says():
    found = by_rules(
        [memory("a", "Ada likes hiking in the hills"), memory("b", "Ada likes hiking with Bob in the hills")]
    )
    assert found == "Ada likes hiking in the hills. Ada likes hiking with Bob in the hills."
    assert by_rules([memory("a", "Ada likes hiking."), memory("b", "Ada likes hiking")]) == "Ada likes hiking."
