"""The recall log does not grow without limit: it keeps the newest recalls of each namespace."""

from datetime import UTC, datetime

from recollect import Recollect
from recollect.ids import new_id
from recollect.store.sql import journal
from recollect.store.values import RecallEntry

pytest_plugins = ["server_fixtures"]
KEPT = 40


def entry(mind, number, namespace="default"):
    return RecallEntry(
        id=new_id(),
        at=datetime(2026, 3, 1, tzinfo=UTC),
        actor="reader",
        namespace=namespace,
        query=f"question {number}",
        recipe="default",
        rejected=None,
        confidence=0.5,
        hits=[(mind.list(limit=1)[0].id, 0.5)],
    )


def asked_often(url, monkeypatch):
    monkeypatch.setattr(journal, "RECALLS_KEPT", KEPT)
    with Recollect(url, embedder="hashing") as mind:
        mind.remember("Ada sails a boat")
        mind.store.record(entry(mind, -1, "quiet"))
        last = None
        for number in range(1_500):
            last = entry(mind, number)
            mind.store.record(last)
        held = mind.store.recalls()
        mine = [record.entry for record in held if record.entry.namespace == "default"]
        assert KEPT <= len(mine) < 1_500
        assert mine[0].id == last.id and len(mine[0].hits) == 1
        assert [record.entry.query for record in held if record.entry.namespace == "quiet"] == ["question -1"]
        assert mind.check() == []


def test_the_newest_recalls_of_each_namespace_are_kept(path, monkeypatch):
    asked_often(path, monkeypatch)


def test_the_newest_recalls_of_each_namespace_are_kept_in_postgres(database, monkeypatch):
    asked_often(database, monkeypatch)


def asked_in_made_up_namespaces(url, monkeypatch):
    monkeypatch.setattr(journal, "RECALLS_KEPT", KEPT)
    with Recollect(url, embedder="hashing") as mind:
        mind.remember("Ada sails a boat")
        mind.store.record(entry(mind, -1, "other/quiet"))
        for number in range(1_500):
            mind.store.record(entry(mind, number, f"default/made/up/{number}"))
        held = [record.entry.query for record in mind.store.recalls()]
        assert 10 * KEPT < len(held) < 1_500
        assert held[0] == "question 1499" and held[-1] == "question -1"


def test_questions_in_many_namespaces_do_not_fill_the_log(path, monkeypatch):
    asked_in_made_up_namespaces(path, monkeypatch)


def test_questions_in_many_namespaces_do_not_fill_the_log_in_postgres(database, monkeypatch):
    asked_in_made_up_namespaces(database, monkeypatch)
