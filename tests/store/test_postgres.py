"""The PostgreSQL store keeps every promise of the protocol, on a real server."""

import random
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import psycopg
import pytest
from postgres_server import replica

from recollect import Recollect
from recollect.errors import InvalidInput, StoreError, StoreLocked, StoreReadOnly, StoreTooNew
from recollect.extras import install_command
from recollect.ids import digest
from recollect.keep.repair import repair
from recollect.store import open_store
from recollect.store.postgres import vectors
from recollect.store.postgres.schema import MIGRATIONS
from recollect.store.tables import KINDS
from recollect.store.values import Batch, Document, Embedded, Put
from recollect.testing.conformance import CHECKS
from recollect.testing.samples import axis, memory, put
from recollect.types import Filter
from recollect.write.build.words import document

pytest_plugins = ["server_fixtures"]


@pytest.fixture
def store(database):
    opened = open_store(database)
    yield opened
    opened.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_postgres_store_conforms(check, store):
    check(store)


# Whatever is done, in whatever order ---------------------------------------------------------------


def test_the_postgres_store_agrees_with_a_dict(server):
    from hypothesis import HealthCheck, settings
    from hypothesis.stateful import initialize, run_state_machine_as_test
    from store.test_store_model import StoreAgainstDict

    class OnPostgres(StoreAgainstDict):
        @initialize()
        def open(self):
            self.url = server.database()
            super().open()

    run_state_machine_as_test(
        OnPostgres,
        settings=settings(
            max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


# Batches -------------------------------------------------------------------------------------------


def test_a_large_batch_replaces_those_that_are_there_among_those_that_are_new(store):
    store.write(Batch(puts=[put(memory(n, f"old {n}"), axis(n % 8)) for n in (3, 14, 40)]))
    store.write(Batch(puts=[put(memory(n, f"new {n}"), axis((n + 1) % 8)) for n in range(20)]))
    held = {m.id: m.text for m in store.scan(Filter())}
    assert held == {memory(n).id: f"new {n}" if n < 20 else f"old {n}" for n in (*range(20), 40)}
    assert len(store.search_text(["old"], [], Filter(), match="any", fields={"text": 1.0}, limit=50).postings) == 1
    assert store.check() == []


def test_a_memory_that_goes_to_another_tenant_takes_a_new_vector_along(store):
    store.write(Batch(puts=[put(memory(1, namespace="acme"), axis(0))]))
    store.write(Batch(puts=[put(memory(1, namespace="other"), axis(1))]))
    assert (store.fetch([memory(1).id], view="full").vectors[memory(1).id] == axis(1)).all()
    assert store.search_vector(axis(0), "full", Filter(namespaces=("acme",)), limit=5) == []
    assert store.check() == []


# Words ---------------------------------------------------------------------------------------------


def test_a_text_with_more_words_than_a_tsvector_takes_is_found_by_each_of_them(store):
    words = [f"palavra{n:06d}x" for n in range(60_000)]
    long, short = memory(1, " ".join(words)), memory(2, f"{words[0]} and {words[1]}")
    store.write(Batch(puts=[put(long), put(short)]))
    for asked in ([words[0]], [words[-1]], [words[0], words[-1]]):
        found, _ = store.search_text(asked, [], Filter(), match="all", fields={"text": 1.0}, limit=5)
        assert long.id in {p.memory_id for p in found}
        assert len(found) == (2 if asked == [words[0]] else 1)
    (posting,), _ = store.search_text([words[-1]], [], Filter(), match="any", fields={"text": 1.0}, limit=5)
    assert posting.lengths["text"] == len(document(long).text) > 60_000
    store.write(Batch(puts=[put(memory(1, "short now"))]))
    assert not store.search_text([words[-1]], [], Filter(), match="any", fields={"text": 1.0}, limit=5).postings
    assert store.check() == []


def test_odd_terms_are_quoted(store):
    odd = ["a'b", "it''s", "back\\slash", "'", ":*", "a:b", "(x)", "&", "|", "!", "<->", "a:A", "%s", "ü", "夜"]
    made = memory(1)
    store.write(Batch(puts=[Put(memory=made, document=Document(text=tuple(odd), gist=("g",) * 300))]))
    for term in odd:
        (found,), _ = store.search_text([term], [], Filter(), match="any", fields={"text": 1.0}, limit=5)
        assert found.frequencies == {"text": {term: 1}}
    (found,), _ = store.search_text(["g"], ["夜"], Filter(), match="any", fields={"gist": 2.0, "text": 1.0}, limit=5)
    assert found.frequencies == {"gist": {"g": 300}, "text": {"夜": 1}}


def test_a_question_of_many_words_is_answered(store):
    store.write(Batch(puts=[put(memory(1, "needle in the haystack"))]))
    asked = [f"w{n}" for n in range(500)] + ["needl"]
    assert len(store.search_text(asked, [], Filter(), match="any", fields={"text": 1.0}, limit=5).postings) == 1


# Vectors -------------------------------------------------------------------------------------------


@pytest.fixture
def indexed(store, monkeypatch):
    """600 memories of two namespaces, with an HNSW index that is used for anything but a handful."""
    monkeypatch.setattr(vectors, "INDEX_FROM", 500)
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 5)
    made = np.random.default_rng(5).normal(size=(600, 32)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    held = [memory(n, namespace="acme/x" if n % 20 else "acme/rare") for n in range(600)]
    with store.loading():
        store.write(
            Batch(
                puts=[
                    Put(memory=m, document=Document(), vectors={"full": Embedded(hash=digest(m.id), vector=made[n])})
                    for n, m in enumerate(held)
                ]
            )
        )
    return held, made


def test_a_large_view_gets_an_index_that_finds_what_exact_search_finds(indexed, store, server):
    held, made = indexed
    database = store.url.rpartition("/")[2]
    (definition,) = server.execute("SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'view_hnsw_%'", database)
    assert "hnsw" in definition[0] and "halfvec_ip_ops" in definition[0]
    for path in ("acme", "acme/x", "acme/rare"):
        inside = [n for n, m in enumerate(held) if m.namespace.startswith(path)]
        for query in made[:20]:
            found = store.search_vector(query, "full", Filter(namespaces=(path,)), limit=10)
            best = sorted(inside, key=lambda n: -float(made[n] @ query))[:10]
            assert len({held[n].id for n in best} & {id for id, _ in found}) >= 9 and len(found) == 10
            assert [cosine for _, cosine in found] == sorted((cosine for _, cosine in found), reverse=True)


def test_what_is_similar_is_found_through_the_index_as_well(indexed, store):
    held, made = indexed
    twins = store.similar(made[:3], "full", Filter(), at_least=0.99)
    assert [[id for id, _ in found] for found in twins] == [[m.id] for m in held[:3]]
    assert len(store.similar(made[:1], "full", Filter(), at_least=-1.0)[0]) == 600


def test_once_the_index_is_known_it_is_asked_first_and_a_filter_still_decides(indexed, store):
    held, made = indexed
    for _ in range(2):
        twins = store.similar(made[:3], "full", Filter(), at_least=0.99)
        assert [[id for id, _ in found] for found in twins] == [[m.id] for m in held[:3]]
    elsewhere = Filter(namespaces=("acme/x",))
    assert [len(found) for found in store.similar(made[:3], "full", elsewhere, at_least=0.99)] == [0, 1, 1]
    same = [memory(1000 + n, namespace=f"acme/x/{n}") for n in range(40)]
    views = {"full": Embedded(hash=digest("same"), vector=made[0])}
    store.write(Batch(puts=[Put(memory=m, document=Document(), vectors=views) for m in same]))
    (found,) = store.similar(made[:1], "full", Filter(namespaces=("acme/x/39",)), at_least=0.99)
    assert [id for id, _ in found] == [same[39].id]  # however many elsewhere are as near


def test_what_is_asked_together_comes_in_order_and_sees_its_own_transaction(store):
    made = memory(1)

    def ids():
        return list(store.get([made.id]))

    assert store.gather([ids, lambda: "second"]) == [[], "second"]
    with store.transaction():
        store.write(Batch(puts=[put(made)]))
        assert store.gather([ids, ids]) == [[made.id], [made.id]]
    assert store.gather([ids]) == [[made.id]] and store.gather([]) == []
    store.close()
    with pytest.raises(StoreError, match="was closed"):
        store.gather([ids, ids])


def test_a_batch_of_any_size_is_undone_by_itself(store):
    """A small one is sent without waiting, a large one by COPY; an error leaves nothing of either."""
    held = memory(0)
    for size in (1, 50):
        with store.transaction():
            store.write(Batch(puts=[put(held)]))
            bad = Put(memory=replace(memory(size), text="a\0b"), document=Document(text=("x",)))
            with pytest.raises(StoreError):
                store.write(Batch(puts=[*(put(memory(n)) for n in range(1, size)), bad]))
        assert [m.id for m in store.scan(Filter())] == [held.id]
    assert store.check() == []


def test_dropping_the_vectors_makes_room_for_others(indexed, store):
    held, _ = indexed
    store.drop_vectors()
    other = Put(memory=held[0], vectors={"full": Embedded(hash=b"x", vector=np.ones(8, np.float32))})
    store.write(Batch(puts=[other]))
    assert [id for id, _ in store.search_vector(np.ones(8, np.float32), "full", Filter(), limit=3)] == [held[0].id]
    with pytest.raises(StoreError, match="holds vectors of 8 dimensions, not of 32"):
        store.write(Batch(puts=[replace(other, vectors={"full": Embedded(hash=b"y", vector=np.ones(32))})]))


def test_a_process_that_was_reading_goes_on_when_another_stores_the_first_vectors_or_other_ones(store, database):
    """psycopg prepares a statement after a few uses; the column's type changes with the number of dimensions."""
    held = memory(1)

    def dumped(puts):
        return [embedded.vector for given in puts for embedded in given.vectors.values()]

    def read():
        for _ in range(8):
            fetched = store.fetch([held.id], view="full").vectors.get(held.id)
            by_hash = store.vectors_by_hash([b"x"]).get(b"x")
            puts = store.dump("", limit=9)[0].puts
        return [len(vector) for vector in (fetched, by_hash, *dumped(puts)) if vector is not None]

    other = open_store(database)
    try:
        assert read() == []
        for size in (8, 32):
            other.drop_vectors()
            vector = np.ones(size, np.float32) / np.sqrt(size)
            other.write(Batch(puts=[Put(memory=held, vectors={"full": Embedded(hash=b"x", vector=vector)})]))
            assert read() == [size] * 3
    finally:
        other.close()


# The seed's own SQL --------------------------------------------------------------------------------

PRINTED = """
SELECT
id, agent_id, content, memory_type, importance,
created_at, last_accessed_at,
(0.5 * (1 - (embedding <=> $query::vector)))
+ (0.3 * importance)
+ (0.2 * exp(-0.05 * EXTRACT(EPOCH FROM (now() - last_accessed_at)) / 86400))
AS score
FROM agent_memories
WHERE agent_id = $agent_id
AND embedding IS NOT NULL
AND status = 'active'
ORDER BY score DESC
LIMIT $top_k
"""
"""As Siestai prints it."""


def test_the_seeds_own_sql_and_the_recipe_give_the_same_ids_and_scores(database):
    chosen = random.Random(4)
    words = [f"word{n}" for n in range(40)]
    with Recollect(database, embedder="hashing", namespace="agent-1") as mind, psycopg.connect(database) as db:
        mind.remember_many(
            {
                "text": " ".join(chosen.choices(words, k=8)),
                "importance": round(chosen.random(), 3),
                "at": datetime.now(UTC) - timedelta(days=chosen.random() * 90),
                "namespace": chosen.choice(["agent-1", "agent-2"]),
                "dedup": False,
            }
            for _ in range(300)
        )
        for memory in mind.list(limit=20):
            mind.get(memory.id)
        mind.forget(mind.list(limit=1)[0].id)
        _as_the_seed_keeps_them(db, [*mind.list(), *mind.list(namespace="agent-2")], mind)
        sql = re.sub(r"\$(\w+)", r"%(\1)s", PRINTED)
        for _ in range(20):
            question = " ".join(chosen.choices(words, k=3))
            vector = mind.embedder.embed([question])[0].tolist()
            with db.transaction():
                now = db.execute("SELECT now()").fetchone()[0]
                asked = {"query": str(vector), "agent_id": "agent-1", "top_k": 10}
                expected = [(row[0], row[-1]) for row in db.execute(sql, asked)]
            found = mind.recall(question, recipe="siestai", at=now, limit=10, track=False).hits
            assert [hit.memory.id for hit in found] == [id for id, _ in expected]
            assert [hit.score for hit in found] == pytest.approx([score for _, score in expected], abs=1e-4)


def _as_the_seed_keeps_them(db, memories, mind):
    dim = len(mind.embedder.embed(["x"])[0])
    db.execute(
        "CREATE TABLE agent_memories (id text PRIMARY KEY, agent_id text, content text, memory_type text, importance "
        "float8, created_at timestamptz, last_accessed_at timestamptz, "
        f"embedding public.vector({dim}), status text)"
    )
    db.execute("CREATE INDEX ON agent_memories USING hnsw (embedding public.vector_cosine_ops)")
    held = mind._store.fetch([m.id for m in memories], view="full").vectors
    db.cursor().executemany(
        "INSERT INTO agent_memories VALUES (%s, %s, %s, %s, %s, %s, %s, %s::public.vector, %s)",
        [
            (
                m.id,
                m.namespace,
                m.text,
                m.kind,
                m.importance,
                m.created_at,
                m.last_accessed_at or m.created_at,
                str(held[m.id].tolist()),
                m.status,
            )
            for m in memories
        ],
    )
    db.commit()


# What can go wrong ---------------------------------------------------------------------------------


def refused(url, kind=StoreError):
    with pytest.raises(kind) as caught:
        open_store(url).close()
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def test_a_wrong_password_is_named_and_never_shown(server, database):
    server.execute("DROP ROLE IF EXISTS secretive; CREATE ROLE secretive LOGIN PASSWORD 'open sesame'")
    name = database.rpartition("/")[2]
    said = refused(server.url(name, user="secretive", password="hunter2"))
    assert "the password is wrong" in said and "hunter2" not in said
    assert "it wants a password" in refused(server.url(name, user="secretive"))


def test_a_database_a_user_or_a_server_that_is_not_there_is_named(server, database):
    name = database.rpartition("/")[2]
    assert "no such database" in refused(server.url("nowhere"))
    assert "no such user" in refused(server.url(name, user="nobody_here"))
    assert "is the server running" in refused("postgresql://postgres@127.0.0.1:1/memory")
    assert "no such host" in refused("postgresql://postgres@no-such-host.invalid/memory")
    assert "check the URL and the server" in refused(database + "?options=-c%20no_such_setting%3D1")
    assert "postgresql://" in refused("postgresql://postgres@127.0.0.1:port/memory")


def test_a_server_without_pgvector_is_told_what_to_install(database):
    hidden = database + "?options=-c%20extension_control_path%3D/nowhere"
    assert "has no pgvector: install it there" in refused(hidden)


def test_a_user_who_may_not_make_tables_is_told_whom_to_ask(server, database):
    server.execute("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN")
    name = database.rpartition("/")[2]
    server.execute("CREATE EXTENSION IF NOT EXISTS vector", name)  # making that is a superuser's right
    assert "ask its owner for the right" in refused(server.url(name, user="guest"))


def test_an_older_pgvector_is_told_how_to_upgrade(server, database):
    open_store(database).close()
    server.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'", database.rpartition("/")[2])
    assert "has pgvector 0.7.4, too old" in refused(database)


def test_a_memory_of_a_newer_version_is_left_alone(server, database):
    open_store(database).close()
    server.execute(
        "UPDATE recollect.setting SET value = '99' WHERE key = 'postgres:schema_version'", database.rpartition("/")[2]
    )
    assert "schema 99, this one knows" in refused(database, StoreTooNew)


def test_a_read_only_server_can_be_asked_and_not_written(server, database):
    with Recollect(database, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
    fixed = database + "?options=-c%20default_transaction_read_only%3Don"
    with Recollect(fixed) as mind:
        assert mind.recall("dark mode").hits
        with pytest.raises(StoreReadOnly, match="write to the primary server"):
            mind.remember("Bob likes tea")
    assert "open it once for writing" in refused(
        server.database() + "?options=-c%20default_transaction_read_only%3Don", StoreReadOnly
    )


def test_a_replica_answers_and_refuses_writes(server, database):
    with Recollect(database, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
    with replica(server) as follower, Recollect(follower.url(database.rpartition("/")[2])) as mind:
        assert [hit.memory.text for hit in mind.recall("dark mode").hits] == ["Ada prefers dark mode"]
        with pytest.raises(StoreReadOnly, match="is a read-only replica: write to the primary server"):
            mind.remember("Bob likes tea")


def test_other_tables_of_the_database_stay_untouched(server, database):
    name = database.rpartition("/")[2]
    server.execute("CREATE TABLE memory (mine text); INSERT INTO memory VALUES ('kept')", name)
    with Recollect(database, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
    assert server.execute("SELECT mine FROM public.memory", name) == [("kept",)]


def test_several_processes_make_the_tables_at_once(database):
    script = "import sys; from recollect.store import open_store; open_store(sys.argv[1]).close()"
    started = [subprocess.Popen([sys.executable, "-c", script, database]) for _ in range(3)]
    assert [process.wait(30) for process in started] == [0, 0, 0]


def test_a_lock_that_is_held_too_long_is_named(database, monkeypatch):
    from recollect.store.postgres import store as module

    monkeypatch.setattr(module, "BUSY_TIMEOUT_SECONDS", 0.05)
    with Recollect(database, embedder="hashing") as holder, Recollect(database, embedder="hashing") as waiting:
        with holder._store.transaction(), pytest.raises(StoreLocked, match="locked by another writer"):
            waiting.remember("Ada prefers dark mode")
        assert waiting.recall("anything", track=False).hits == ()
        waiting.remember("Ada prefers dark mode")


def test_without_psycopg_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert install_command("postgres") in refused("postgresql://localhost/memory")


def test_metadata_that_postgres_cannot_keep_is_refused(database):
    with Recollect(database, embedder="hashing") as mind, pytest.raises(InvalidInput, match="NUL"):
        mind.remember("Ada", metadata={"a": "b\0c"})


INDEXES_SINCE = ("memory_by_time", "memory_by_seq", "event_by_seq", "memory_by_first_turn")


def test_a_database_of_an_older_version_is_brought_up_to_this_one(database):
    with Recollect(database, embedder="hashing") as mind:
        mind.remember("the spare key is under the blue pot", at="2024-02-14T10:00:00Z")
    with psycopg.connect(database) as db:
        for index in INDEXES_SINCE:
            db.execute(f"DROP INDEX recollect.{index}")
        db.execute("ALTER TABLE recollect.event DROP COLUMN hash")
        db.execute("ALTER TABLE recollect.recall DROP COLUMN ms")
        for kind in KINDS[1:]:
            db.execute(f"DROP TABLE recollect.{kind.TABLE}")
        for table in ("memory", "view"):
            db.execute(f"ALTER TABLE recollect.{table} DROP COLUMN checksum")
        db.execute("UPDATE recollect.setting SET value = '1' WHERE key = 'postgres:schema_version'")
    with Recollect(database, embedder="hashing") as mind:
        assert mind.recall("spare key in February 2024", at="2024-03-01T00:00:00Z").hits
    with psycopg.connect(database) as db:
        for index in INDEXES_SINCE:
            assert db.execute("SELECT to_regclass(%s) IS NOT NULL", (f"recollect.{index}",)).fetchone() == (True,)
        version = db.execute("SELECT value FROM recollect.setting WHERE key = 'postgres:schema_version'").fetchone()
        assert version == (str(len(MIGRATIONS)),)


def test_a_text_that_was_damaged_is_found(database):
    with Recollect(database, embedder="hashing") as mind:
        mind.remember("the spare key is under the blue pot")
        mind.update(mind.list()[0].id, text="the spare key is under the red pot")
        assert mind.check() == []
        with psycopg.connect(database) as db:
            db.execute("UPDATE recollect.memory SET text = replace(text, 'red', 'reb')")
        [found] = mind.check()
        assert found.what == "memories with a wrong checksum" and not found.derived
        assert repair(mind.store, mind.embedder).left == [found]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE recollect.view SET embedding = (SELECT o.embedding FROM recollect.view o WHERE o.id <> v.id LIMIT 1)",
        "DELETE FROM recollect.lexicon",
        "UPDATE recollect.term SET documents = documents + 1",
        "INSERT INTO recollect.link VALUES ('default', 'x', 'y', 'related', 0.5)",
    ],
)
def test_derived_data_is_made_again_from_the_rows(database, damage):
    with Recollect(database, embedder="hashing") as mind:
        mind.remember_many([{"text": "the spare key is under the blue pot"}, {"text": "Ada sails on Sundays"}])
        now = {"at": "2030-01-01", "track": False}
        before = mind.recall("spare key", recipe="vector", **now)
        with psycopg.connect(database) as db:
            db.execute(damage.replace("recollect.view SET", "recollect.view v SET"))
        assert mind.check() != []
        done = repair(mind.store, mind.embedder)
        assert done.mended and done.left == [] and mind.check() == []
        again = mind.recall("spare key", recipe="vector", **now)
        assert [(hit.memory.id, hit.score) for hit in again.hits] == [(hit.memory.id, hit.score) for hit in before.hits]
        assert mind.recall("spare key", recipe="bm25", **now).hits
