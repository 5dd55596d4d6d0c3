"""Row security alone: without the program's own checks, PostgreSQL still shows and changes nothing outside."""

import contextlib
import json

import pytest
from serve.test_access_matrix import (
    AIMED,
    ALSO,
    CALLS,
    INSIDE,
    MINE,
    OUTSIDE_PLACES,
    OWN,
    PLACES,
    _furnish,
    _unaimed,
    leaks,
)

from recollect import Recollect
from recollect.errors import RecollectError
from recollect.ids import new_id
from recollect.serve.access import Access
from recollect.serve.scope import Caller, Scope
from recollect.serve.upkeep import Upkeep
from recollect.store.call import limited_to
from recollect.store.postgres.dialect import POSTGRES
from recollect.store.postgres.row_security import ROLE
from recollect.store.tables import IMPORTING, Mark, RetentionRule
from recollect.store.values import Batch
from recollect.types import STATUSES, Filter

pytest_plugins = ["server_fixtures"]
EVERY_CALL = {**CALLS, **ALSO}


@pytest.fixture(scope="module")
def world(server):
    """A database with the matrix's memories and with row security, and the URL to it."""
    url = server.database()
    held = dict(MINE)
    with Recollect(url, embedder="hashing") as mind:
        mind.store.set_row_security(True)
    with Recollect(url, embedder="hashing") as mind:
        for place, namespace in PLACES.items():
            MINE[place] = _furnish(mind, place, namespace)
        for place in ("below", *OUTSIDE_PLACES):
            mind.link(MINE["own"].a, MINE[place].a)
        mind.acting(actor="key:wide").recall("zebra parade", namespaces=["acme/agents", OWN, "globex"], limit=50)
        yield mind
    MINE.clear()
    MINE.update(held)
    server.drop(url)


@pytest.fixture
def unchecked(world, monkeypatch):
    """The calls of a key, without any check of the program. Its changes are taken back at the end."""
    monkeypatch.setattr(Scope, "admits", lambda scope, namespace: True)
    monkeypatch.setattr(Access, "_owned", lambda access, ids: set(ids))
    monkeypatch.setattr(Access, "_was_inside", lambda access, id: True)
    access = Access(world, Caller(name="key:ada", scope=Scope(namespace=OWN, role="admin")))
    access._within = Filter()
    access._mind._within = None
    try:
        with world.store.transaction():
            yield access
            raise _Undone
    except _Undone:
        pass


class _Undone(Exception):
    pass


def _outcome(call, access, target):
    return _tried(lambda mind: call(access, target), access._mind)


def _shown(name, found):
    """What a call shows of the outside. An event inside names the other end of a link that somebody with wider rights
    has made: a policy can't look into it. That is an id, and no text."""
    ids = {id for place in OUTSIDE_PLACES for id in (MINE[place].a, MINE[place].b)}
    return [trace for trace in leaks(found) if not (name in NAMING_IDS and trace in ids)]


NAMING_IDS = ("history", "audit", "event", "undo", "export")


def _outside(world):
    ids = [id for place in OUTSIDE_PLACES for id in (MINE[place].a, MINE[place].b, MINE[place].gone)]
    with limited_to(None):
        return world.store.get(ids)


BELONGING = {
    "memory": "NOT {inside}",
    "event": "NOT {inside}",
    "recall": "NOT {inside}",
    "usage": "id IN (SELECT id FROM memory WHERE NOT {inside})",
    "view": "id IN (SELECT id FROM memory WHERE NOT {inside})",
    "lexicon": "id IN (SELECT id FROM memory WHERE NOT {inside})",
    "link": "a IN (SELECT id FROM memory WHERE NOT {inside}) OR b IN (SELECT id FROM memory WHERE NOT {inside})",
    "revision": "event IN (SELECT seq FROM event WHERE NOT {inside})",
    "recalled": "recall IN (SELECT id FROM recall WHERE NOT {inside})",
    "feedback": "recall IN (SELECT id FROM recall WHERE NOT {inside})",
    "retention": "NOT {inside}",
    "mark": "NOT {inside}",
    "setting": "true",
    "api_key": "true",
}


def _rows_outside(world):
    """Every row that belongs to the outside, as text."""
    inside = f"(namespace = '{OWN}' OR starts_with(namespace, '{OWN}/'))"
    with limited_to(None), world.store._db.read() as db:
        return {
            table: sorted(
                row for (row,) in db.execute(f"SELECT t::text FROM {table} t WHERE {test.format(inside=inside)}")
            )
            for table, test in BELONGING.items()
        }


@pytest.mark.parametrize("name", [*AIMED, *ALSO])
def test_no_call_shows_or_changes_what_is_outside(world, unchecked, name):
    before = _rows_outside(world)
    for place in OUTSIDE_PLACES:
        assert _shown(name, _outcome(EVERY_CALL[name][1], unchecked, MINE[place])) == []
    assert _rows_outside(world) == before and len(before["memory"]) >= 4 * len(OUTSIDE_PLACES)


@pytest.mark.parametrize("name", CALLS)
def test_what_a_caller_may_do_works_and_shows_nothing_from_outside(world, unchecked, name):
    before = _outside(world)
    for place in INSIDE:
        found = _outcome(CALLS[name][1] or _unaimed(name), unchecked, MINE[place])
        assert found != "StoreError" and _shown(name, found) == []
    assert _outside(world) == before


FACADE = {
    "archive": lambda mind, t, to: mind.archive(t.a),
    "assemble": lambda mind, t, to: mind.assemble("zebra parade", namespace=t.namespace, team=t.namespace),
    "backup": lambda mind, t, to: _texts_of_a_backup(mind, to),
    "brief": lambda mind, t, to: mind.brief("talk", namespace=t.namespace),
    "calibrate": lambda mind, t, to: mind.calibrate(namespace=t.namespace),
    "chain": lambda mind, t, to: mind.chain(False),
    "change_many": lambda mind, t, to: mind.change_many([t.a, t.b], "forget"),
    "check": lambda mind, t, to: mind.check(),
    "clear_calibration": lambda mind, t, to: mind.clear_calibration(),
    "compare": lambda mind, t, to: mind.compare("zebra parade", namespaces=[t.namespace]),
    "consolidate": lambda mind, t, to: mind.consolidate(namespace=t.namespace),
    "contradict": lambda mind, t, to: mind.contradict(t.a, t.b),
    "decay": lambda mind, t, to: mind.decay(namespace=t.namespace, at="2100-01-01", force=True),
    "doctor": lambda mind, t, to: mind.doctor(),
    "export": lambda mind, t, to: (mind.export(to / "e.jsonl", overwrite=True), (to / "e.jsonl").read_text()),
    "feedback": lambda mind, t, to: mind.feedback(t.recall, [t.a], "helped"),
    "forget": lambda mind, t, to: mind.forget(namespace=t.namespace),
    "get": lambda mind, t, to: mind.get(t.a),
    "graph": lambda mind, t, to: mind.graph("Zebra", namespace=t.namespace),
    "growth": lambda mind, t, to: mind.growth(t.namespace),
    "history": lambda mind, t, to: mind.history(t.a),
    "ingest": lambda mind, t, to: mind.ingest([SAID], session_id="talk", namespace=t.namespace),
    "ingest_documents": lambda mind, t, to: mind.ingest_documents(_note(to), namespace=t.namespace),
    "ingest_many": lambda mind, t, to: mind.ingest_many([{"messages": [SAID]}], namespace=t.namespace),
    "link": lambda mind, t, to: mind.link(MINE["own"].a, t.a),
    "list": lambda mind, t, to: mind.list(statuses=["active", "forgotten"], limit=500),
    "matching": lambda mind, t, to: mind.matching("zebra", namespaces=[t.namespace]),
    "move": lambda mind, t, to: mind.move(t.namespace, f"{OWN}/elsewhere"),
    "namespaces": lambda mind, t, to: mind.namespaces(),
    "neighbours": lambda mind, t, to: mind.neighbours(t.a),
    "pin": lambda mind, t, to: mind.pin(t.a),
    "profile": lambda mind, t, to: mind.profile(namespace=t.namespace),
    "purge": lambda mind, t, to: mind.purge(t.a),
    "recall": lambda mind, t, to: mind.recall("zebra parade", namespace=t.namespace, limit=50),
    "recall_days": lambda mind, t, to: mind.recall_days(namespace=t.namespace),
    "recall_log": lambda mind, t, to: mind.recall_log(limit=500),
    "recalls": lambda mind, t, to: mind.recalls(t.a),
    "reembed": lambda mind, t, to: mind.reembed("hashing"),
    "reinforce": lambda mind, t, to: mind.reinforce(t.a),
    "remember": lambda mind, t, to: mind.remember("Tea is at four", namespace=t.namespace),
    "remember_many": lambda mind, t, to: mind.remember_many([{"text": "Tea", "namespace": t.namespace}]),
    "restore": lambda mind, t, to: mind.restore(t.gone),
    "retention": lambda mind, t, to: mind.retention(t.namespace),
    "set_retention": lambda mind, t, to: mind.set_retention(t.namespace, most_memories=1),
    "stats": lambda mind, t, to: mind.stats(t.namespace),
    "supersede": lambda mind, t, to: mind.supersede(t.a, t.b),
    "tend": lambda mind, t, to: mind.tend(namespace=t.namespace, at="2100-01-01", force=True),
    "undo": lambda mind, t, to: mind.undo(t.event),
    "unlink": lambda mind, t, to: mind.unlink(MINE["own"].a, t.a),
    "update": lambda mind, t, to: mind.update(t.a, text="Tea is at five"),
}
OTHERWISE = {"acting", "close", "conversation", "embedder", "import_", "store", "url"}
"""Without rows of their own, except `import_`, which has a test below."""
SAID = {"role": "user", "content": "I like tea"}


def _note(folder):
    (folder / "note.md").write_text("# Teas\n\nWhite tea is for guests.")
    return folder / "note.md"


def _texts_of_a_backup(mind, folder):
    with Recollect(mind.backup(folder / f"{new_id()}.db"), embedder="hashing") as copy:
        return [memory.text for memory in copy.list(statuses=STATUSES, limit=500)]


def test_every_call_of_the_facade_is_tried_below():
    assert {name for name in dir(Recollect) if not name.startswith("_")} == FACADE.keys() | OTHERWISE


@pytest.mark.parametrize("name", FACADE)
def test_no_call_of_the_facade_reaches_outside(world, name, tmp_path):
    """The owner's own object, without a namespace, a filter or any check, within the limit of a key."""
    before = _rows_outside(world)
    for place in OUTSIDE_PLACES:
        with limited_to(OWN), contextlib.suppress(_Undone), world.store.transaction():
            assert _shown(name, _tried(FACADE[name], world, MINE[place], tmp_path)) == []
            assert _rows_outside(world) == before
            raise _Undone


def _tried(call, mind, *arguments):
    try:
        with mind.store.transaction():
            return call(mind, *arguments)
    except RecollectError as error:
        return type(error).__name__  # its message repeats the ids that were asked for


def test_counts_are_those_of_the_inside(world):
    inside, place = world.stats(OWN), "globex"
    with limited_to(OWN):
        seen, outside = world.stats(), world.stats(place)
        assert world.growth() == world.growth(OWN) and world.growth(place) == []
    for name in ("memories", "by_status", "by_kind", "links", "events", "recalls", "without_vector"):
        assert getattr(seen, name) == getattr(inside, name)
    assert (outside.memories, outside.links, outside.events, outside.recalls, outside.bytes) == (0, 0, 0, 0, 0)


def test_the_store_itself_finds_nothing_of_another_tenant(world):
    store, foreign = world.store, MINE["foreign"]
    elsewhere = Filter(namespaces=("globex",))
    vector = world.embedder.embed(["The zebra parade of foreign is on Monday"])[0]
    with limited_to(OWN):
        assert store.scan(elsewhere) == [] and store.get([foreign.a]) == {}
        assert not store.search_text(["zebra"], [], elsewhere, match="any", fields={"text": 1.0}, limit=9).postings
        assert store.search_vector(vector, "full", elsewhere, limit=9) == []
        assert store.similar(vector[None], "full", elsewhere, at_least=-1.0) == [[]]
        assert store.fetch([foreign.a, foreign.b], links=True, view="full") == ({}, [], {})
        assert store.links([foreign.a, foreign.b]) == []
        assert store.events(id=foreign.event) == store.events(memory_id=foreign.b) == []
        assert store.recalls(id=foreign.recall) == store.recalls(memory_id=foreign.b) == []
        assert set(store.namespaces()) == {OWN, f"{OWN}/notes"}
        assert store.counts(["globex"]).memories == 0
        assert {put.memory.namespace for put in store.dump()[0].puts} == {OWN, f"{OWN}/notes"}
    with limited_to(None):
        assert store.get([foreign.a])


def test_keys_and_the_secret_of_the_server_are_out_of_reach(world):
    with limited_to(OWN), world.store._db.read() as db:
        assert db.execute("SELECT count(*) FROM setting WHERE key LIKE 'serve/%'").fetchone() == (0,)
    for table in ("api_key", "login_link", "reply"):
        with pytest.raises(RecollectError, match="permission denied"):
            with limited_to(OWN), world.store._db.read() as db:
                db.execute(f"SELECT * FROM {table}")


def test_every_table_that_the_role_may_use_has_policies(world):
    rights = "'SELECT, INSERT, UPDATE, DELETE, TRUNCATE'"
    used = (
        f"CASE relkind WHEN 'S' THEN has_sequence_privilege('{ROLE}', oid, 'SELECT, USAGE, UPDATE') "
        f"ELSE has_table_privilege('{ROLE}', oid, {rights}) OR has_any_column_privilege('{ROLE}', oid, 'SELECT') END"
    )
    of = "FROM pg_class WHERE relnamespace = 'recollect'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')"
    with limited_to(None), world.store._db.read() as db:
        assert db.execute(f"SELECT relname {of} AND NOT relrowsecurity AND {used}").fetchall() == []
        assert len(db.execute(f"SELECT relname {of} AND relrowsecurity AND {used}").fetchall()) == 14


def test_a_limited_call_may_not_write_elsewhere(world):
    with limited_to(OWN), pytest.raises(RecollectError, match="row-level security"):
        world.remember("Tea is at four", namespace="globex/agents/ada")


ATTACHED = {
    "memory": "INSERT INTO memory SELECT (jsonb_populate_record(m, jsonb_build_object('id', %(memory)s::text))).* "
    "FROM memory m WHERE id = %(own)s",
    "memory of another tenant": "INSERT INTO memory "
    "SELECT (jsonb_populate_record(m, jsonb_build_object('id', %(foreign)s::text))).* FROM memory m WHERE id = %(own)s",
    "view": "INSERT INTO view (tenant, id, name, hash, embedding) "
    "SELECT 'acme', %(memory)s, 'mine', '', embedding FROM view LIMIT 1",
    "usage": "INSERT INTO usage (tenant, id, access_count) VALUES ('acme', %(memory)s, 9) "
    "ON CONFLICT (tenant, id) DO UPDATE SET access_count = 9",
    "lexicon": "INSERT INTO lexicon SELECT tenant, %(memory)s, 7, gist, text, entities, tags, gist_length, "
    "text_length, entities_length, tags_length, words FROM lexicon LIMIT 1",
    "link": "INSERT INTO link (tenant, a, b, kind, weight) VALUES ('acme', %(memory)s, %(own)s, 'related', 1)",
    "link to": "INSERT INTO link (tenant, a, b, kind, weight) VALUES ('acme', %(own)s, %(memory)s, 'extends', 1)",
    "link bent": "UPDATE link SET b = %(memory)s WHERE a = %(own)s",
    "revision": "INSERT INTO revision (tenant, event, memory_id) VALUES ('acme', %(event)s, %(own)s)",
    "recalled": "INSERT INTO recalled VALUES ('acme', %(recall)s, %(own)s, 99, 1)",
    "feedback": "INSERT INTO feedback VALUES ('acme', %(recall)s, %(own)s, true, 1, 1, 1, 1)",
    "event": "INSERT INTO event (tenant, id, at, actor, action, namespace, detail) "
    "VALUES ('acme', 'x', 1, 'a', 'b', 'acme/agents/bob', '{}')",
    "recall": "INSERT INTO recall (tenant, id, at, actor, namespace, query, recipe, confidence) "
    "VALUES ('acme', 'x', 1, 'a', 'acme/agents/bob', 'q', 'r', 1)",
    "setting": "INSERT INTO setting VALUES ('embedder', 'mine') ON CONFLICT (key) DO UPDATE SET value = 'mine'",
    "mark": "INSERT INTO mark VALUES ('tend', 'acme/agents/bob', '1')",
    "retention": "INSERT INTO retention VALUES ('acme', 1, 1)",
}


@pytest.mark.parametrize("name", ATTACHED)
def test_no_row_is_added_to_what_is_outside(world, name):
    with limited_to(None), world.store._db.read() as db:
        ((event,),) = db.execute("SELECT seq FROM event WHERE id = %s", (MINE["sibling"].event,)).fetchall()
    bob = MINE["sibling"]
    given = {"foreign": MINE["foreign"].a, "memory": bob.a, "own": MINE["own"].a, "recall": bob.recall, "event": event}
    before = _rows_outside(world)
    with limited_to(OWN), pytest.raises(RecollectError, match="row-level security|violates check option"):
        with world.store._db.transaction() as db:
            db.execute(ATTACHED[name], given)
    assert _rows_outside(world) == before


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM setting",
        "UPDATE setting SET value = 'mine'",
        "UPDATE setting SET key = 'event_chain:' || key",
        "DELETE FROM retention",
        "UPDATE retention SET namespace = 'acme/agents/ada/mine'",
        "UPDATE event SET undone_by = 'x' WHERE namespace <> 'acme/agents/ada'",
        "DELETE FROM recall WHERE namespace NOT LIKE 'acme/agents/ada%%'",
        "DELETE FROM memory WHERE namespace NOT LIKE 'acme/agents/ada%%'",
        "DELETE FROM lexicon WHERE id NOT IN (SELECT id FROM memory)",
    ],
)
def test_no_row_outside_is_changed_without_a_filter(world, statement):
    with limited_to(None):
        world.store.write(Batch(rows=[RetentionRule(namespace="acme", most_memories=7)]))
    before = _rows_outside(world)
    with limited_to(OWN), world.store._db.transaction() as db:
        db.execute(statement)
    assert _rows_outside(world) == before


def test_an_import_with_a_key_is_limited_too(world, monkeypatch, tmp_path):
    with Recollect(tmp_path / "other.db", embedder="hashing") as other:
        other.remember("Tea is at four", namespace=f"{OWN}/teas")
        other.remember("Tea is at five", namespace="acme/agents/bob")
        other.export(tmp_path / "mine.jsonl", namespace=OWN)
        other.export(tmp_path / "both.jsonl")
    upkeep = Upkeep(world, Caller(name="key:ada", scope=Scope(namespace=OWN, role="admin")))
    before = _rows_outside(world)
    monkeypatch.setattr(Scope, "admits", lambda scope, namespace: True)
    with pytest.raises(RecollectError, match="row-level security"):
        upkeep.import_text("f.jsonl", (tmp_path / "both.jsonl").read_text(), lambda n: None, preview=False)
    world.store.delete_rows(Mark, task=IMPORTING)  # an import that failed can be continued
    assert _rows_outside(world) == before
    # an import logs an event that belongs to no namespace
    memories = {table: before[table] for table in ("memory", "view", "lexicon", "link", "usage", "setting")}
    done = upkeep.import_text("f.jsonl", (tmp_path / "mine.jsonl").read_text(), lambda n: None, preview=False)
    assert done["added"] == 1
    ids = json.dumps(json.loads((tmp_path / "mine.jsonl").read_text().splitlines()[1])["id"])
    taken = (tmp_path / "mine.jsonl").read_text().replace(ids, json.dumps(MINE["foreign"].a))
    done = upkeep.import_text("f.jsonl", taken, lambda n: None, preview=False)
    assert done["added"] == 0 and memories.items() <= _rows_outside(world).items()
    done = upkeep.import_text("f.md", "# Teas\n\nWhite tea is for guests.", lambda n: None, preview=False)
    assert done["added"] >= 1 and memories.items() <= _rows_outside(world).items()


def test_the_limit_of_one_call_does_not_reach_the_next(world):
    with limited_to(OWN):
        inside = len(world.store.scan(Filter()))
    assert len(world.store.scan(Filter())) > inside


def test_a_purge_leaves_no_trace_in_the_questions_of_others(server):
    url = server.database()
    with Recollect(url, embedder="hashing") as mind:
        mind.store.set_row_security(True)
    with Recollect(url, embedder="hashing") as mind:
        made = mind.remember("The zebra parade is on Monday", namespace=OWN)
        asked = mind.recall("zebra parade", namespace="acme")
        Access(mind, Caller(name="key:ada", scope=Scope(namespace=OWN, role="admin"))).purge(made.id)
        assert mind.store.recalls(id=asked.id)[0].entry.query == "" and mind.check() == []
    server.drop(url)


# The database's settings --------------------------------------------------------------------------


def test_no_policy_depends_on_the_collation_of_the_database(world):
    """In most of them, such as en_US.UTF-8, a range of namespaces leaves out `a/b` and holds `a=b`."""
    with limited_to(None), world.store._db.read() as db:
        policies = db.execute("SELECT coalesce(qual, '') || coalesce(with_check, '') FROM pg_policies").fetchall()
        functions = db.execute(
            "SELECT prosrc FROM pg_proc WHERE pronamespace = 'recollect_limited'::regnamespace"
        ).fetchall()
    written = [text for (text,) in [*policies, *functions] if "recollect.beyond" in text]
    assert len(written) > len(functions) == 4
    assert all(text.count("namespace COLLATE") == 2 * text.count("recollect.beyond") for text in written)
    assert not any(sign in POSTGRES.logged("acme/ada").sql for sign in "<>")
