"""A store that the version before wrote (schema 2, commit 6426368) is opened, migrated, and answers the same.

`older_version.db.gz` was made with that version: memories, two conversations, links, supersessions, a quarantined
memory, forgotten, archived, pinned, edited, undone and purged ones, feedback, retention rules, marks of `tend`, two API
keys, a login link and a reply. `older_version.json.gz` is what that version answered to the same calls. Neither can be
made again with this version; if a recipe changes on purpose, leave it out of RECIPES.
"""

import gzip
import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from recollect import Recollect, recipes
from recollect.errors import StoreDamaged, Unauthorized
from recollect.keep.migrate import migrate
from recollect.keep.recover import recover
from recollect.serve.keys import Keys
from recollect.serve.rest.idempotency import Reader, Replies
from recollect.serve.rest.login_links import LoginLinks
from recollect.serve.storage import ServerStorage
from recollect.store.tables import Mark, Setting
from recollect.types import STATUSES

pytest_plugins = ["server_fixtures"]

HERE = Path(__file__).parent
NOW = "2026-07-01T12:00:00Z"
RECIPES = ("bm25", "vector")
AS_IT_WAS = HERE.parent / "recipes" / "before"
"""The recipes as that version had them: `bm25` has another analyzer since, and no second look."""


@pytest.fixture(scope="module")
def before():
    return json.loads(gzip.decompress((HERE / "older_version.json.gz").read_bytes()))


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((HERE / "older_version.db.gz").read_bytes()))
    return path


@pytest.fixture
def mind(old):
    with Recollect(old, namespace="acme/ada") as opened:
        yield opened


def _everything(mind):
    return mind.list(namespaces=["acme", "other"], statuses=STATUSES)


def _plain(value):
    return json.loads(json.dumps(value))


def _kept(memory):
    """The fields that are stored. The version before did not know the results of a write."""
    results = ("superseded", "also_changed")
    return {name: value for name, value in _plain(memory.to_dict()).items() if name not in results}


def _without_reasons(events):
    """History now names both values of an automatic change, also of old ones."""
    return [event | {"detail": {**event["detail"], "why": ""}} for event in events]


def test_everything_is_there_as_it_was(mind, before):
    found = {memory.id: memory for memory in _everything(mind)}
    assert {id: _kept(memory) for id, memory in found.items()} == before["memories"]
    for id in found:
        events = _plain([event.to_dict() for event in mind.history(id)])
        assert _without_reasons(events) == _without_reasons(before["history"][id])
        assert _plain([(link.to_dict(), other.id) for link, other in mind.neighbours(id)]) == before["neighbours"][id]
        assert _plain([recall.to_dict() for recall in mind.recalls(id)]) == before["recalls"][id]
    assert mind.namespaces() == before["namespaces"]
    assert mind.check() == []


@pytest.mark.parametrize("recipe", RECIPES)
def test_questions_are_answered_with_the_same_ids_and_scores(mind, before, recipe):
    then = replace(recipes.load(AS_IT_WAS / f"{recipe}.toml"), second_look=True)
    for asked in before["answers"][recipe]:
        found = mind.recall(asked["question"], recipe=then, at=NOW, track=False, **asked["with"])
        assert [hit.memory.id for hit in found.hits] == [id for id, _ in asked["hits"]], asked
        assert [hit.score for hit in found.hits] == pytest.approx([score for _, score in asked["hits"]], rel=1e-6)


def test_settings_have_become_rows_of_their_own_tables(mind, before):
    assert [row.key for row in mind.store.rows(Setting)] == ["embedder", "fingerprint", "vector_generation"]
    assert {name: asdict(mind.retention(name)) for name in before["retention"]} == before["retention"]
    assert [_plain(key.to_dict() | {"sha256": key.sha256}) for key in Keys(mind).list()] == before["keys"]


def test_maintenance_knows_what_it_did_already(mind):
    assert {row.task for row in mind.store.rows(Mark)} == {"consolidate", "decay", "links"}
    log = len(mind.store.events())
    done = mind.tend(at=NOW)
    assert not (done.decayed or done.linked or done.consolidated or done.archived or done.expired)
    assert len(mind.store.events()) == log


def test_keys_links_and_replies_still_work(mind, before):
    keys, kept = Keys(mind), ServerStorage(mind)
    assert keys.who(before["token"], datetime.now(UTC)).scope.namespace == "acme/ada"
    with pytest.raises(Unauthorized):
        keys.who(before["revoked"], datetime.now(UTC))
    assert LoginLinks(kept, 60).redeem(before["ticket"]) == keys.list()[0].id
    with pytest.raises(Unauthorized):
        LoginLinks(kept, 60).redeem(before["ticket"])
    replies = Replies(kept, clock=datetime(2030, 1, 1, 1, tzinfo=UTC).timestamp)
    read = Reader(memory=lambda id: mind.get(id).to_dict(), event=lambda id: {})
    again = replies.once("key:laptop", "k1", b"body", lambda: pytest.fail("done twice"), read)
    assert (again.status, again.body["memory"]["text"]) == (201, "The deploy runs on Tuesdays")


def test_a_migration_that_fails_leaves_the_file_as_it_was(old):
    file = apsw.Connection(str(old))
    file.execute("INSERT INTO setting VALUES ('key/broken', 'not JSON')")
    file.close()
    with pytest.raises(StoreDamaged, match="a setting of the version before can't be read"):
        Recollect(old)
    file = apsw.Connection(str(old))
    assert file.pragma("user_version") == 2
    assert file.execute("SELECT count(*) FROM setting WHERE key LIKE 'key/%'").get == 3
    file.close()


def test_a_damaged_one_is_recovered_without_opening_it(old, before, tmp_path):
    done = recover(old, tmp_path / "whole.db")
    assert done.complete
    with Recollect(tmp_path / "whole.db", namespace="acme/ada") as mind:
        assert {memory.id: _kept(memory) for memory in _everything(mind)} == before["memories"]
        assert [_plain(key.to_dict() | {"sha256": key.sha256}) for key in Keys(mind).list()] == before["keys"]
        assert mind.check() == []
    data = bytearray(old.read_bytes())
    data[:4096] = bytes(4096)  # the list of all tables
    old.write_bytes(data)
    recover(old, tmp_path / "saved.db")
    with Recollect(tmp_path / "saved.db", namespace="acme/ada") as mind:
        assert {memory.id: _kept(memory) for memory in _everything(mind)} == before["memories"]


def test_it_moves_to_postgres_and_is_the_same_there(old, before, database):
    migrate(str(old), database)
    with Recollect(database, namespace="acme/ada") as mind:
        assert {memory.id: _kept(memory) for memory in _everything(mind)} == before["memories"]
        assert Keys(mind).who(before["token"], datetime.now(UTC)).name == "key:laptop"
        assert mind.tend(at=NOW).linked == 0 and mind.check() == []
