"""The log knows what happened, and can take it back."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_store import everything, texts

from recollect.errors import Conflict


@pytest.fixture
def ada(mind):
    return mind.remember("Ada prefers dark mode", tags=["ui"], metadata={"n": 1})


def actions(mind, memory):
    return [event.action for event in mind.history(memory.id)]


def last(mind, memory):
    return mind.history(memory.id)[-1]


def test_history_tells_what_happened_when_and_by_whom(mind, ada):
    mind.actor = "tester"
    mind.update(ada.id, text="Ada prefers light mode", importance=0.9)
    mind.forget(ada.id)
    mind.restore(ada.id)
    events = mind.history(ada.id)
    assert [event.action for event in events] == ["remember", "update", "forget", "restore"]
    assert events[1].changes[0].before == {"text": "Ada prefers dark mode", "importance": 0.5}
    assert events[1].actor == "tester" and events[1].at >= ada.created_at
    assert [event.at for event in events] == sorted(event.at for event in events)


def test_an_update_that_changes_nothing_is_not_logged(mind, ada):
    assert mind.update(ada.id, text=ada.text, tags=["ui"]) == ada
    assert actions(mind, ada) == ["remember"]


CHANGES = {
    "text": {"text": "Ada prefers light mode"},
    "tags and gist": {"tags": ["editor"], "gist": "theme", "entities": ["Ada"]},
    "numbers": {"importance": 0.1, "confidence": 0.2, "strength": 0.3},
    "moments": {"valid_from": "2020-02-02", "valid_to": "2021-01-01", "expires_at": "2999-01-01T05:00:00+02:00"},
    "life": {"status": "completed", "tier": "archived"},
    "the rest": {"kind": "preference", "metadata": {"n": [1, {"x": None}]}, "source": "chat"},
}


@pytest.mark.parametrize("fields", CHANGES.values(), ids=CHANGES)
def test_an_update_can_be_undone_and_that_undone_again(mind, path, ada, fields):
    changed = mind.update(ada.id, **fields)
    assert changed != ada
    undone = mind.undo(last(mind, ada).id)
    assert mind._store.get([ada.id])[ada.id] == ada
    mind.undo(undone.id)
    assert mind._store.get([ada.id])[ada.id] == changed
    assert mind.check() == []


def test_undoing_a_change_of_text_makes_the_old_words_findable_again(mind, ada):
    mind.update(ada.id, text="Ada prefers light backgrounds")
    mind.undo(last(mind, ada).id)
    assert texts(mind.recall("dark", recipe="bm25")) == [ada.text]
    assert texts(mind.recall("backgrounds", recipe="bm25")) == []
    assert mind.recall("Ada prefers dark mode", recipe="vector").hits[0].score > 0.99
    assert mind.remember(ada.text).merged_into == ada.id


def test_undoing_a_remember_forgets(mind, ada):
    mind.undo(mind.history(ada.id)[0].id)
    assert mind.list() == []
    assert mind.restore(ada.id) == ada


def test_undoing_a_forget_restores(mind, ada):
    mind.forget(ada.id)
    mind.undo(last(mind, ada).id)
    assert mind.list() == [ada]


def test_undoing_an_exact_merge_takes_the_importance_back(mind, ada):
    mind.remember("ada prefers DARK mode", importance=0.9)
    assert actions(mind, ada) == ["remember", "merge"]
    mind.undo(last(mind, ada).id)
    assert mind.list() == [ada]


def test_undoing_a_near_merge_leaves_two_memories(mind):
    first = mind.remember("Ada really prefers the dark mode in her editor at work")
    second = mind.remember("Ada really prefers the dark mode in her editor, at work!")
    assert actions(mind, second) == ["remember", "merge"]
    mind.undo(last(mind, second).id)
    assert mind.list() == [replace(second, status="active", merged_into=None), first]
    assert mind.neighbours(first.id) == []


def test_undoing_a_move_brings_the_memories_back(mind, ada):
    mind.move("default", "acme/x")
    assert texts(mind.recall("dark", recipe="bm25", namespace="acme", track=False)) == [ada.text]
    mind.undo(last(mind, ada).id)
    assert mind.list() == [ada]
    assert mind.recall("dark", recipe="bm25", namespace="acme").hits == ()
    assert mind.check() == []


def test_undoing_a_supersession_opens_the_validity_again(mind, ada):
    new = mind.remember("Ada switched to light mode")
    mind.supersede(ada.id, new.id)
    mind.undo(last(mind, ada).id)
    assert mind._store.get([ada.id])[ada.id] == ada
    assert mind.neighbours(ada.id) == []


def test_an_event_can_be_undone_only_once(mind, ada):
    mind.update(ada.id, importance=0.9)
    event = last(mind, ada)
    mind.undo(event.id)
    with pytest.raises(Conflict, match="already"):
        mind.undo(event.id)
    assert mind.history(ada.id)[1].undone_by == last(mind, ada).id


def test_an_undo_that_something_later_built_on_is_refused_by_name(mind, path, ada):
    mind.update(ada.id, importance=0.9)
    first = last(mind, ada)
    mind.update(ada.id, importance=0.8)
    before = everything(path)
    with pytest.raises(Conflict, match=last(mind, ada).id):
        mind.undo(first.id)
    assert everything(path) == before
    mind.undo(last(mind, ada).id)
    mind.undo(first.id)
    assert mind._store.get([ada.id])[ada.id] == ada


def test_a_change_that_was_redone_counts_as_made(mind, ada):
    mind.update(ada.id, importance=0.9)
    first = last(mind, ada)
    mind.update(ada.id, importance=0.8)
    second = last(mind, ada)
    redone = mind.undo(mind.undo(second.id).id)
    with pytest.raises(Conflict, match=second.id):
        mind.undo(first.id)
    mind.undo(redone.id)
    mind.undo(first.id)
    assert mind._store.get([ada.id])[ada.id] == ada


def test_changes_of_other_fields_do_not_stand_in_the_way(mind, ada):
    mind.update(ada.id, importance=0.9)
    first = last(mind, ada)
    mind.update(ada.id, kind="preference")
    mind.undo(first.id)
    kept = mind._store.get([ada.id])[ada.id]
    assert (kept.importance, kept.kind) == (0.5, "preference")


@pytest.mark.parametrize("weight", [None, 0.25])
def test_linking_and_unlinking_can_be_undone_and_redone(mind, ada, weight):
    other = mind.remember("The deploy runs on Tuesdays")
    if weight is not None:
        mind.link(ada.id, other.id, "related", weight)
    mind.link(ada.id, other.id, "related", 0.75)

    def weights():
        return [link.weight for link, _ in mind.neighbours(ada.id)]

    before = [] if weight is None else [weight]
    undone = mind.undo(last(mind, ada).id)
    assert weights() == before
    redone = mind.undo(undone.id)
    assert weights() == [0.75]
    mind.undo(redone.id)
    assert weights() == before
    mind.link(ada.id, other.id, "related", 0.75)
    mind.unlink(ada.id, other.id)
    undone = mind.undo(last(mind, ada).id)
    assert weights() == [0.75]
    mind.undo(undone.id)
    assert weights() == []


def test_undoing_an_unlink_of_a_purged_memory_leaves_no_loose_link(mind, ada):
    other = mind.remember("The deploy runs on Tuesdays")
    mind.link(ada.id, other.id)
    mind.unlink(ada.id, other.id)
    event = last(mind, ada)
    mind.purge(other.id)
    mind.undo(event.id)
    assert mind.neighbours(ada.id) == []
    assert mind.check() == []


def test_a_purge_can_not_be_undone_and_its_history_holds_no_text(mind, ada):
    mind.update(ada.id, text="Ada prefers light mode")
    mind.purge(ada.id)
    events = mind.history(ada.id)
    assert [event.action for event in events] == ["remember", "update"]
    assert all(change.before is None for event in events for change in event.changes)
    purge = [row for row in everything(mind.url)["event"] if row[4] == "purge"]
    with pytest.raises(Conflict, match="purge"):
        mind.undo(purge[0][1])


def test_undoing_what_was_deleted_for_good_is_refused_because_nothing_comes_back(mind, ada):
    mind.forget(ada.id)
    event = last(mind, ada)
    mind.purge(ada.id)
    with pytest.raises(Conflict, match="deleted for good"):
        mind.undo(event.id)


def test_undoing_restores_what_was_not_deleted_for_good(mind, ada):
    other = mind.remember("The deploy runs on Tuesdays")
    event = mind.change_many([ada.id, other.id], "forget").event
    mind.purge(other.id)
    mind.undo(event)
    assert mind.get(ada.id).status == "active"


def test_decaying_twice_at_one_moment_is_decaying_once(mind, ada):
    mind.decay(at="2099-01-01", force=True)
    once = mind.get(ada.id).strength
    assert 0 <= once < 1
    assert mind.decay(at="2099-01-01", force=True) == 0
    assert mind.get(ada.id).strength == once


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.one_of(
            st.fixed_dictionaries({"importance": st.sampled_from([0.1, 0.2])}),
            st.fixed_dictionaries({"text": st.sampled_from(["one text", "two texts"])}),
            st.fixed_dictionaries({"tags": st.sampled_from([["a"], ["b"]]), "kind": st.sampled_from(["x", "y"])}),
        ),
        max_size=5,
    )
)
def test_undoing_everything_in_reverse_gives_what_was_there(mind, steps):
    start = mind.remember("Ada prefers dark mode", dedup=False)
    for fields in steps:
        mind.update(start.id, **fields)
    for event in reversed(mind.history(start.id)[1:]):
        mind.undo(event.id)
    assert mind._store.get([start.id])[start.id] == start


# Gists --------------------------------------------------------------------------------------------


def test_a_derived_gist_follows_the_text_and_undo_brings_it_back(mind):
    bob = mind.remember("Bob moved to Lyon")
    assert bob.gist == "live in Lyon"
    assert mind.update(bob.id, text="Bob moved to Marseille").gist == "live in Marseille"
    assert (
        mind.recall("does Bob live in Lyon?", recipe="bm25").hits[0].score
        < mind.recall("does Bob live in Marseille?", recipe="bm25").hits[0].score
    )
    assert mind.update(bob.id, text="Bob likes tea").gist == ""
    for _ in range(2):
        mind.undo([event for event in mind.history(bob.id) if event.action == "update" and not event.undone_by][-1].id)
    assert (mind.get(bob.id).text, mind.get(bob.id).gist) == ("Bob moved to Lyon", "live in Lyon")


def test_a_gist_that_somebody_gave_stays(mind):
    bob = mind.remember("Bob moved to Lyon", gist="Bob's new home")
    assert mind.update(bob.id, text="Bob moved to Marseille").gist == "Bob's new home"
    assert mind.update(bob.id, text="Bob moved to Nice", gist="Nice").gist == "Nice"


def test_an_updated_text_is_superseded_by_what_replaces_it(mind):
    kept = mind.remember("Ada prefers dark mode", at="2026-09-01")
    mind.update(kept.id, text="I live in Nantes")
    mind.remember("I moved to Lyon", at="2026-10-01")
    assert mind.get(kept.id).status == "superseded"
