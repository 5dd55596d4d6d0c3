"""What was changed, as the page lists it: with undo, without what else happened, and nothing from outside."""

import pytest

from recollect.read.event_log import SHOWN
from recollect.serve.access import Access
from recollect.serve.scope import Caller, Scope

NAMESPACE = "acme/ada"


@pytest.fixture
def ada(mind):
    return mind.acting(actor="user", namespace=NAMESPACE, within=NAMESPACE)


@pytest.fixture
def changes(mind):
    def read(namespace=NAMESPACE, **asked):
        caller = Caller(name="key:owner", scope=Scope(namespace=namespace, role="admin"), trust="user")
        return Access(mind, caller).changes(**asked)

    return read


def _about(text, **others):
    return {"memories": 1, "deleted": False, "first": text, "source": None, **others}


def test_changes_are_listed_however_many_questions_were_asked_since(ada, changes):
    made = ada.remember("Tea is at four")
    for _ in range(300):
        ada.recall("When is tea?", recipe="bm25")
    (event,) = changes(limit=5)
    assert (event.action, event.detail) == ("remember", _about("Tea is at four"))
    assert [change.memory_id for change in event.changes] == [made.id]


def test_a_large_change_lists_its_first_memories_and_their_number(ada, changes):
    ada.remember_many({"text": f"Row {n} has {n} seats"} for n in range(3 * SHOWN))
    (event,) = [each for each in changes() if each.action == "remember"]
    assert len(event.changes) == SHOWN
    assert event.detail["memories"] == 3 * SHOWN


def test_what_was_remembered_is_taken_back_and_undoing_is_not_listed(ada, changes):
    made = ada.remember("Tea is at four")
    ada.undo(changes()[0].id)
    assert ada.get(made.id).status == "forgotten"
    (event,) = changes()
    assert event.undone_by is not None


def test_links_that_storing_makes_are_not_listed_but_links_by_hand_are(ada, changes):
    ada.ingest([{"role": "user", "content": "I live in Utrecht. I keep bees."}], session_id="talk")
    assert {event.action for event in changes()} == {"remember"}
    one, other = (memory.id for memory in ada.list(limit=2))
    ada.link(one, other, "supports")
    assert changes()[0].action == "link"


def test_a_replacement_is_listed_as_what_was_replaced(ada, changes):
    for at, said in (("2026-01-02", "Hello. I live in Utrecht. I keep bees."), ("2026-03-04", "I moved to Lyon.")):
        ada.ingest([{"role": "user", "content": said}], session_id=at, at=at)
    event = next(each for each in changes() if each.action == "supersede")
    assert event.detail == _about("I live in Utrecht.")
    assert len(event.changes) > 1


def test_a_deletion_for_good_is_listed_and_what_it_deleted_has_no_way_back(ada, changes):
    kept, gone = ada.remember("Tea is at four"), ada.remember("The safe opens with 30 31 32")
    ada.forget(gone.id)
    ada.purge(gone.id)
    listed = {event.action: event.detail for event in changes() if event.detail["deleted"]}
    assert listed == {name: _about(None, deleted=True) for name in ("purge", "forget", "remember")}
    assert [event.changes[0].memory_id for event in changes() if not event.detail["deleted"]] == [kept.id]


def test_changes_come_in_pages(ada, changes):
    for n in range(7):
        ada.remember(f"Page number {n}", dedup=False)
    first = changes(limit=3)
    rest = changes(limit=10, after=first[-1].id)
    assert [event.id for event in (*first, *rest)] == [event.id for event in changes()]


def test_changes_outside_are_not_listed(mind, ada, changes):
    mind.remember("Coffee is at five", namespace="acme/bob")
    mind.remember("Wine is at six", namespace="acme")
    assert changes() == []
    moved = ada.remember("Tea is at four")
    mind.move(NAMESPACE, "acme/bob", id=moved.id)
    assert all(event.detail["first"] is None or event.changes for event in changes())
    assert "Tea is at four" not in str(changes())
