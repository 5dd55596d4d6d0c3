"""What operators do: a pooler in front, upgrades beside readers, going back to a moment."""

import os
import shutil
import subprocess
import threading

import psycopg
import pytest
from pgbouncer import pooled
from postgres_server import NOBODY, Server, running

from recollect import Recollect
from recollect.errors import StoreError
from recollect.store import open_store
from recollect.store.call import limited_to
from recollect.store.postgres import online, vectors
from recollect.store.postgres.schema import INDEXES_MISSING, MIGRATIONS
from recollect.testing.conformance import CHECKS
from recollect.testing.samples import axis, memory, put
from recollect.types import Filter

pytest_plugins = ["server_fixtures"]


# A pooler ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pooler(server):
    with pooled(server) as found:
        yield found


@pytest.mark.parametrize("check", CHECKS[::5], ids=lambda check: check.__name__)
def test_the_store_conforms_behind_a_pooler_in_transaction_mode(check, database, pooler):
    store = open_store(pooler(database))
    assert store._db.primary.has_pooler
    check(store)
    store.close()


def test_many_threads_share_two_connections_of_a_pooler_and_leave_no_state(server, database, pooler, monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    monkeypatch.setattr(vectors, "INDEX_FROM", 16)
    with Recollect(pooler(database), embedder="hashing") as mind, ThreadPoolExecutor(6) as pool:

        def work(n):
            mind.remember(f"thread entry {n}", dedup=False)
            return len(mind.recall(f"entry {n}").hits)

        assert all(pool.map(work, range(24)))
        mind.store._build_indexes()
        assert mind.stats().memories == 24 and mind.check() == []
        assert any("pooler in front" in line.what for line in mind.doctor())
    name = database.rpartition("/")[2]
    assert server.execute("SELECT indisvalid FROM pg_index WHERE indexrelid::regclass::text ~ 'view_hnsw'", name)
    with psycopg.connect(pooler(database), autocommit=True, prepare_threshold=None) as db:
        for _ in range(4):
            assert db.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)
            assert db.execute("SHOW search_path").fetchone() == ('"$user", public',)
    held = f"SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE d.datname = '{name}'"
    assert server.execute(f"{held} AND locktype = 'advisory'") == [(0,)]


def test_row_security_works_behind_a_pooler(database, pooler):
    with Recollect(pooler(database), embedder="hashing") as mind:
        mind.store.set_row_security(True)
    with Recollect(pooler(database), embedder="hashing") as mind:
        for tenant in ("acme", "globex"):
            with limited_to(tenant):
                mind.remember(f"The parade of {tenant}", namespace=tenant)
        with limited_to("acme"):
            assert [m.namespace for m in mind.store.scan(Filter())] == ["acme"]
        assert len(mind.store.scan(Filter())) == 2


# Upgrades ------------------------------------------------------------------------------------------


def test_an_upgrade_lets_others_through_while_it_waits_and_builds_its_indexes_afterwards(server, database):
    name = database.rpartition("/")[2]
    with Recollect(database, embedder="hashing") as mind:
        mind.remember("the spare key is under the blue pot")
    server.execute("DROP INDEX recollect.memory_by_time; ALTER TABLE recollect.event DROP COLUMN hash", name)
    server.execute(
        "ALTER TABLE recollect.memory DROP COLUMN checksum; ALTER TABLE recollect.view DROP COLUMN checksum", name
    )
    server.execute("ALTER TABLE recollect.recall DROP COLUMN ms", name)
    server.execute("UPDATE recollect.setting SET value = '3' WHERE key = 'postgres:schema_version'", name)
    server.execute(f"INSERT INTO recollect.setting VALUES ('{INDEXES_MISSING}', 'yes')", name)
    with psycopg.connect(database) as reader:
        reader.execute("SELECT count(*) FROM recollect.memory")  # its transaction goes on, and holds a lock
        upgrade = threading.Thread(target=lambda: open_store(database).close())
        upgrade.start()
        waiting = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND wait_event_type = 'Lock'"
        while server.execute(waiting) != [(1,)]:
            assert upgrade.is_alive()
        # a reader that comes later waits for the upgrade's lock_timeout at most
        server.execute(
            f"SET lock_timeout = '{20 * online.LOCK_TIMEOUT_MS}ms'; SELECT count(*) FROM recollect.memory", name
        )
        assert upgrade.is_alive()
    upgrade.join()
    with Recollect(database, embedder="hashing") as mind:
        assert mind.check() == [] and mind.recall("spare key").hits
    made = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'recollect.memory_by_time'::regclass"
    assert server.execute(made, name) == [(True,)]
    assert server.execute(f"SELECT 1 FROM recollect.setting WHERE key = '{INDEXES_MISSING}'", name) == []


def test_no_upgrade_builds_an_index_while_it_holds_a_lock():
    assert [script for script in MIGRATIONS if "CREATE INDEX" in online.without_indexes(script)] == []


# Advice --------------------------------------------------------------------------------------------


def test_the_doctor_names_tables_to_vacuum_and_indexes_that_were_not_finished(server, database, monkeypatch):
    from recollect.store.postgres import upkeep
    from recollect.store.values import Batch

    monkeypatch.setattr(vectors, "INDEX_FROM", 20)
    monkeypatch.setattr(upkeep, "_DEAD_FROM", 1)
    name = database.rpartition("/")[2]
    with Recollect(database, embedder="hashing") as mind:
        server.execute("ALTER TABLE recollect.memory SET (autovacuum_enabled = off)", name)
        with mind.store.loading():
            mind.store.write(Batch(puts=[put(memory(n), axis(n % 8)) for n in range(30)]))
        server.execute("UPDATE recollect.memory SET gist = 'x'; UPDATE recollect.memory SET gist = 'y'", name)
        server.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text ~ 'view_hnsw'", name)
        dead = "SELECT n_dead_tup > 0 FROM pg_stat_user_tables WHERE relname = 'memory'"
        while server.execute(dead, name) != [(True,)]:  # a session that ends reports what it has done
            pass
        found = {each.what: each.do for each in mind.store.upkeep()}
    assert any("vector index view_hnsw" in what and "REINDEX" in do for what, do in found.items())
    assert any("table memory has" in what and "VACUUM" in do for what, do in found.items())


# Going back to a moment ----------------------------------------------------------------------------


def test_a_database_is_restored_to_a_moment():
    with running(fsync="off", archive_mode="on") as server:
        archive, base, restored = (server.folder / name for name in ("archive", "base", "restored"))
        archive.mkdir()
        if os.geteuid() == 0:
            os.chown(archive, NOBODY, NOBODY)
        server.execute(f"ALTER SYSTEM SET archive_command = 'cp %p {archive}/%f'")
        server.execute("SELECT pg_reload_conf()")
        url = server.database()
        with Recollect(url, embedder="hashing") as mind:
            mind.remember("before the base backup")
            source = ("-h", server.folder, "-p", server.port, "-U", "postgres")
            server.run("pg_basebackup", *source, "-D", base, "-X", "stream", "-c", "fast", "--no-sync")
            mind.remember("before the accident")
            ((moment,),) = server.execute("SELECT clock_timestamp()::text")
            mind.remember("after the accident")
            mind.purge(mind.list()[-1].id)
        ((last,),) = server.execute("SELECT pg_walfile_name(pg_switch_wal())")
        while server.execute(f"SELECT last_archived_wal >= '{last}' FROM pg_stat_archiver") != [(True,)]:
            pass
        server.kill()
        shutil.copytree(base, restored, copy_function=shutil.copy2)
        with (restored / "postgresql.auto.conf").open("a") as settings:
            settings.write(f"restore_command = 'cp {archive}/%f %p'\nrecovery_target_time = '{moment}'\n")
            settings.write("recovery_target_action = 'promote'\narchive_mode = 'off'\n")
        (restored / "recovery.signal").touch()
        _owned_as(base, restored)
        other = _at(server, restored)
        try:
            other.start()
            while other.execute("SELECT pg_is_in_recovery()") == [(True,)]:
                pass
            with Recollect(other.url(url.rpartition("/")[2]), embedder="hashing") as mind:
                texts = {memory.text for memory in mind.list()}
                assert texts == {"before the base backup", "before the accident"}
                assert mind.check() == [] and mind.recall("accident").hits
                mind.remember("life goes on")
        finally:
            other.kill()


def _owned_as(source, copied):
    if os.geteuid() == 0:
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(copied)], check=True)
    copied.chmod(source.stat().st_mode)


def _at(server, data):
    """A server with its data in another folder."""
    import copy

    other = copy.copy(server)
    assert isinstance(other, Server)
    other.data, other._process, other._settings = data, None, {"fsync": "off"}
    return other


# Rights --------------------------------------------------------------------------------------------


def test_who_is_no_superuser_is_told_what_a_superuser_has_to_run(server):
    name = server.database().rpartition("/")[2]
    server.execute(f"CREATE ROLE humble LOGIN; GRANT CREATE ON DATABASE {name} TO humble")
    with pytest.raises(StoreError, match="let a superuser run `CREATE EXTENSION vector` there"):
        Recollect(server.url(name, user="humble"), embedder="hashing")
    server.drop(server.url(name))
