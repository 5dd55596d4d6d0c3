"""A decay can be taken back, and one by a wrong clock is refused."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import Recollect
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.ids import new_id
from recollect.serve.access import Access
from recollect.serve.scope import Caller, Scope
from recollect.store.values import Batch
from recollect.tend import strength
from recollect.types import Event

pytest_plugins = ["server_fixtures"]


@pytest.fixture(params=["sqlite", "postgres"])
def mind(request, tmp_path):
    url = str(tmp_path / "agent.db") if request.param == "sqlite" else request.getfixturevalue("database")
    with Recollect(url, embedder="hashing") as opened:
        yield opened


def last_event(mind):
    return mind.store.events(limit=1)[0]


def strengths(mind):
    return {memory.id: pytest.approx(memory.strength, rel=1e-9) for memory in mind.list()}


def days_ahead(days):
    return datetime.now(UTC) + timedelta(days=days)


@pytest.mark.parametrize("call", ["tend", "decay"])
def test_a_clock_far_ahead_is_refused_and_nothing_changes(mind, call):
    mind.remember("Ada sails")
    before = mind.list()
    with pytest.raises(InvalidInput, match="2099-01-01.*force"):
        getattr(mind, call)(at="2099-01-01")
    assert mind.list() == before
    assert getattr(mind, call)(at="2099-01-01", force=True)
    assert mind.list()[0].strength < 0.001


def test_a_store_that_nobody_changed_for_years_is_asked_about_too(mind, monkeypatch):
    mind.remember("Ada sails")
    event = mind.store.events(limit=1)[0]
    with pytest.raises(InvalidInput, match="last change"):
        strength.check_clock(mind.store, event.at + timedelta(days=400), event.at + timedelta(days=400))
    strength.check_clock(mind.store, event.at + timedelta(days=300), event.at)


def test_a_preview_may_look_far_ahead(mind):
    mind.remember("Ada sails")
    assert mind.tend(at="2099-01-01", preview=True).decayed == 1


@pytest.mark.parametrize("days", [1, 300, 30_000])
def test_a_decay_is_an_event_that_is_undone(mind, days):
    for n in range(3):
        mind.remember(f"entry {n}", dedup=False)
    mind.update(mind.list()[0].id, strength=0.4)
    before = strengths(mind)
    assert mind.decay(at=days_ahead(days), force=True) == 3
    event = last_event(mind)
    assert (event.action, event.detail["memories"]) == ("decay", 3)
    assert strengths(mind) != before
    mind.undo(event.id)
    assert strengths(mind) == before and {memory.decayed_at for memory in mind.list()} == {None}
    assert mind.decay(at=days_ahead(2)) == 3
    with pytest.raises(Conflict, match="undone already"):
        mind.undo(event.id)


def test_a_run_over_several_pages_is_undone_with_its_last_event(mind, monkeypatch):
    monkeypatch.setattr(strength, "_PAGE", 4)
    mind.remember_many([{"text": f"entry {n}", "dedup": False} for n in range(10)])
    mind.decay(at=days_ahead(3))
    mind.remember_many([{"text": f"later entry {n}", "dedup": False} for n in range(3)])
    before, moments = strengths(mind), {memory.id: memory.decayed_at for memory in mind.list()}
    mind.decay(at=days_ahead(9))
    mind.undo(last_event(mind).id)
    assert strengths(mind) == before
    assert {memory.id: memory.decayed_at for memory in mind.list()} == moments
    assert mind.check() == []


def test_what_was_reinforced_since_keeps_it(mind):
    id = mind.remember("Ada sails").id
    mind.update(id, strength=0.5)
    mind.decay(at=days_ahead(100))
    event = last_event(mind)
    mind.reinforce(id)
    mind.undo(event.id)
    assert mind.list()[0].strength > 0.5


def test_the_later_of_two_decays_is_undone_first(mind):
    mind.remember("Ada sails")
    mind.decay(at=days_ahead(1))
    first = last_event(mind)
    mind.decay(at=days_ahead(2))
    with pytest.raises(Conflict, match="decayed again since"):
        mind.undo(first.id)
    mind.undo(last_event(mind).id)
    mind.undo(first.id)
    assert mind.list()[0].strength == pytest.approx(1.0)


def test_the_log_of_a_daily_decay_does_not_grow_with_the_memories(mind):
    mind.remember_many([{"text": f"entry {n}", "dedup": False} for n in range(50)])
    mind.decay(at=days_ahead(1))
    mind.decay(at=days_ahead(2))
    detail = last_event(mind).detail
    assert detail["memories"] == 50 and detail["others"] == {} and detail["strengths"] == {}


def test_after_a_wrong_clock_maintenance_goes_on(mind):
    mind.remember("Ada sails")
    mind.tend(at="2099-01-01", force=True)
    for event in mind.store.events(limit=10):
        if event.action == "decay":
            mind.undo(event.id)
    assert mind.tend(at=days_ahead(2)).decayed == 1


def test_a_decay_of_an_older_version_has_no_former_values(mind):
    old = Event(
        id=new_id(), at=days_ahead(0), actor="user", action="decay", namespace="default", detail={"memories": 1}
    )
    mind.store.write(Batch(events=[old]))
    with pytest.raises(Conflict, match="no former values"):
        mind.undo(old.id)


def test_a_key_undoes_a_decay_inside_its_scope_only(mind):
    mind.remember("Ada sails", namespace="acme/ada")
    mind.remember("Bob rides", namespace="acme/bob")
    mind.decay(at=days_ahead(9), namespace="acme")
    event = last_event(mind)
    with pytest.raises(NotFound):
        Access(mind, Caller(name="ada", scope=Scope(namespace="acme/ada", role="admin"))).undo(event.id)
    Access(mind, Caller(name="acme", scope=Scope(namespace="acme", role="admin"))).undo(event.id)
    assert {memory.decayed_at for memory in mind.list(namespace="acme")} == {None}
