"""Looking after a store on three servers: what its operator is told, poolers, and vector indexes of partitions."""

import contextlib

import pytest
from pgbouncer import pooled
from rest_server import running_server
from spread_stores import databases, emptied, spread

from recollect import Recollect
from recollect.errors import StoreError, StoreUnreachable
from recollect.store.postgres import store as postgres_store
from recollect.store.postgres import upkeep
from recollect.store.postgres.partitions import hnsw, layout
from recollect.store.postgres.partitions.apply import apply, plan, status
from recollect.store.postgres.partitions.layout import HERE
from recollect.store.postgres.partitions.move import move

pytest_plugins = ["partition_fixtures"]


@pytest.fixture(scope="module")
def on_three(three):
    with databases(three) as made:
        spread(made, buckets=3)
        yield made


@pytest.fixture
def urls(on_three):
    emptied(on_three[0])
    return on_three


@pytest.fixture
def mind(urls):
    with Recollect(urls[0], embedder="hashing") as opened:
        yield opened


@contextlib.contextmanager
def _away(server, url):
    """Nobody can connect with this database."""
    name = url.rpartition("/")[2]
    server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    try:
        yield
    finally:
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


def _bucket_on(url, server):
    return next(int(part.name.split()[1]) for part in status(url).partitions if part.server == server)


def _tenants(mind, count=1):
    """Server → the names of some tenants on it."""
    found = {}
    with mind.store._db.read() as db:
        parts = layout.parts(db)
        for n in range(40):
            found.setdefault(layout.part_of(db, parts, f"t{n}").server, []).append(f"t{n}")
    return {server: names[:count] for server, names in found.items()}


def _notes(tenant, count):
    return [{"text": f"note {n} of {tenant}", "namespace": tenant, "dedup": False} for n in range(count)]


# A server is away ----------------------------------------------------------------------------------


def test_a_server_that_is_away_is_named_and_the_others_answer(three, urls, mind):
    tenants = _tenants(mind)
    for (tenant,) in tenants.values():
        mind.remember_many(_notes(tenant, 3))
    with _away(three[1], urls[1]):
        assert mind.recall("note", namespace=tenants[HERE][0]).hits
        assert mind.recall("note", namespace=tenants["west"][0]).hits
        with pytest.raises(StoreUnreachable, match="can't reach the server east of its partitions"):
            mind.recall("note", namespace=tenants["east"][0])
        lines = {each.what: each for each in mind.doctor()}
        (east,) = [each for what, each in lines.items() if "server east" in what]
        assert east.state == "fail" and "does not answer" in east.what
        assert any("can't be read as a whole" in what for what in lines)
        assert lines["server west, which holds partitions, answers"].state == "ok"
        assert {each.name: each.state for each in mind.store.servers()} == {
            "primary": "ok",
            "east": "gone",
            "west": "ok",
        }
    assert mind.recall("note", namespace=tenants["east"][0]).hits
    assert [each for each in mind.doctor() if each.state == "fail"] == []


def test_metrics_tell_which_server_of_the_partitions_is_away(three, urls, mind):
    with running_server(mind) as server:
        with _away(three[1], urls[1]):
            answer = server.ask("GET", "/metrics")
            assert answer.status == 200
            shown = answer.body.decode()
            assert 'recollect_database_up{server="east"} 0' in shown
            assert 'recollect_database_up{server="primary"} 1' in shown and "recollect_memories" not in shown
        assert 'recollect_database_up{server="east"} 1' in server.ask("GET", "/metrics").body.decode()


def test_the_doctor_looks_at_the_tables_and_indexes_of_every_server(three, urls, mind, monkeypatch):
    monkeypatch.setattr(hnsw, "INDEX_FROM", 20)
    monkeypatch.setattr(upkeep, "_DEAD_FROM", 1)
    (tenant,) = _tenants(mind)["east"]
    name = urls[1].rpartition("/")[2]
    bucket = _bucket_on(urls[0], "east")
    three[1].execute(f"ALTER TABLE recollect.view_b{bucket}_rest SET (autovacuum_enabled = off)", name)
    with mind.store.loading():
        mind.remember_many(_notes(tenant, 30))
    three[1].execute(f"UPDATE recollect.view_b{bucket}_rest SET name = name", name)
    three[1].execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text ~ '_hnsw_'", name)
    dead = f"SELECT n_dead_tup > 0 FROM pg_stat_user_tables WHERE relname = 'view_b{bucket}_rest'"
    while three[1].execute(dead, name) != [(True,)]:  # a session that ends reports what it has done
        pass
    found = {each.what: each.do for each in mind.doctor()}
    (dead_rows,) = [do for what, do in found.items() if f"on server east: table view_b{bucket}_rest has" in what]
    assert "VACUUM" in dead_rows and f"recollect.view_b{bucket}_rest_hnsw_*" in dead_rows
    (unfinished,) = [do for what, do in found.items() if "on server east: vector index" in what]
    assert "REINDEX" in unfinished
    mind.store._build_indexes()
    assert three[1].execute("SELECT indisvalid FROM pg_index WHERE indexrelid::regclass::text ~ '_hnsw_'", name) == [
        (True,)
    ]


# Vector indexes ------------------------------------------------------------------------------------


def test_a_bucket_that_came_here_keeps_the_one_index_it_was_given(three, urls, mind, monkeypatch):
    monkeypatch.setattr(hnsw, "INDEX_FROM", 20)
    (tenant,) = _tenants(mind)["east"]
    mind.remember_many(_notes(tenant, 30))
    move(urls[0], HERE, bucket=_bucket_on(urls[0], "east"))
    indexes = "SELECT relname FROM pg_class WHERE relname ~ '_hnsw_' AND relkind = 'i'"
    before = three[0].execute(indexes, urls[0].rpartition("/")[2])
    mind.store._build_indexes()
    assert three[0].execute(indexes, urls[0].rpartition("/")[2]) == before and len(before) == 1
    move(urls[0], "east", bucket=int(before[0][0].split("_")[1].removeprefix("b")))


def test_a_write_that_is_done_does_not_fail_because_an_index_can_t_be_built(urls, mind, monkeypatch, caplog):
    monkeypatch.setattr(postgres_store, "_INDEX_EVERY", 1)

    def refused(db, dim):
        raise StoreUnreachable("the server west is away")

    monkeypatch.setattr(hnsw, "build", refused)
    mind.remember_many(_notes("acme", 3))
    assert mind.stats().memories == 3
    assert "no vector index was built: the server west is away" in caplog.text


# Poolers -------------------------------------------------------------------------------------------


def test_a_pooler_serves_a_store_on_three_servers_but_not_the_commands_that_change_it(three, urls, monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    monkeypatch.setattr(hnsw, "INDEX_FROM", 8)
    with pooled(three[0]) as behind, ThreadPoolExecutor(6) as pool:
        url = behind(urls[0])
        with Recollect(url, embedder="hashing") as mind:
            tenants = [tenant for names in _tenants(mind, 2).values() for tenant in names]

            def work(n):
                tenant = tenants[n % len(tenants)]
                mind.remember(f"entry {n} of the ledger", namespace=tenant, dedup=False)
                return len(mind.recall(f"entry {n}", namespace=tenant).hits)

            assert all(pool.map(work, range(36)))
            mind.store._build_indexes()
            assert mind.stats().memories == 36 and mind.check() == []
        for call in (lambda: plan(url), lambda: status(url), lambda: move(url, "west", tenant=tenants[0])):
            with pytest.raises(StoreError, match="is a pooler, which keeps no session"):
                call()
        with pytest.raises(StoreError, match="is a pooler"):
            apply(urls[0], servers={"east": url})
