"""Reads of a tenant go to the server that holds it, and are right whatever happens to the tenant meanwhile."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from spread_stores import databases, emptied, spread

from recollect import Recollect
from recollect.errors import StoreError
from recollect.store.postgres.partitions import direct, layout
from recollect.store.postgres.partitions import move as moving
from recollect.store.postgres.partitions.layout import HERE, TABLES
from recollect.store.postgres.partitions.move import move
from recollect.store.postgres.partitions.servers import address

pytest_plugins = ["partition_fixtures"]


@pytest.fixture(scope="module")
def on_three(three):
    with databases(three) as made:
        spread(made, buckets=3)
        yield made


@pytest.fixture
def url(on_three):
    return emptied(on_three[0])


@pytest.fixture
def mind(url):
    with Recollect(url, embedder="hashing", recipe="default-fast") as opened:
        yield opened


@pytest.fixture
def tenant(mind):
    """A tenant on the server east that has never moved on its own."""
    with mind.store._db.read() as db:
        parts = layout.parts(db)
        own = {part.tenant for part in parts}
        names = (f"t{n}" for n in range(100) if f"t{n}" not in own)
        return next(name for name in names if layout.part_of(db, parts, name).server == "east")


def _texts(mind, tenant):
    return {hit.memory.text for hit in mind.recall("ledger", namespace=tenant, limit=50).hits}


def _remember(mind, tenant, count=3):
    mind.remember_many([{"text": f"entry {n} of the ledger", "namespace": tenant} for n in range(count)])
    return {f"entry {n} of the ledger" for n in range(count)}


def _sent(monkeypatch, work):
    """The ports and texts of the statements that read memories or vectors, as the servers get them."""
    sent, run = [], psycopg.Cursor.execute

    def noted(self, query, params=None, **more):
        if any(f"{name} {table}" in str(query) for name in ("FROM", "JOIN") for table in TABLES):
            sent.append((self.connection.info.port, query, params))
        return run(self, query, params, **more)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", noted)
        work()
    return sent


def _away(mind):
    """How many servers are avoided at the moment."""
    return sum(holder.is_avoided for holder in mind.store._direct._holders.values())


OF_THE_LOG = "INSERT|FROM recall "
"""Statements that write the log of recalls and cut it. The log stays with home."""


def test_a_recall_asks_only_the_server_of_the_tenant(three, mind, tenant, monkeypatch):
    told = _remember(mind, tenant)
    assert _texts(mind, tenant) == told
    sent = [each for each in _sent(monkeypatch, lambda: _texts(mind, tenant)) if not re.search(OF_THE_LOG, each[1])]
    assert len(sent) >= 4 and {port for port, *_ in sent} == {three[1].port}
    place, _ = mind.store._direct._placed[tenant]
    (holder,) = mind.store._direct._holders.values()
    with holder.connections.read() as db:
        explained = [db.execute(f"EXPLAIN VERBOSE {sql}", values).fetchall() for _, sql, values in sent]
    plans = ["\n".join(line for (line,) in plan) for plan in explained]
    assert not any("Foreign Scan" in plan for plan in plans)
    assert any("<#>" in plan and f"view_{place.suffix}" in plan for plan in plans)
    reads = {each.name: each.reads for each in mind.store.servers()}
    assert reads["east"] == holder.reads == 6 and reads["west"] == 0


def test_literals_are_left_as_they_are():
    sql = "SELECT 1 FROM memory m LEFT JOIN usage u ON true WHERE m.id = ' FROM memory it''s FROM view' AND from_view"
    assert direct._of_partition("b2_rest", sql) == (
        "SELECT 1 FROM memory_b2_rest m LEFT JOIN usage_b2_rest u ON true "
        "WHERE m.id = ' FROM memory it''s FROM view' AND from_view"
    )


def test_what_a_transaction_has_written_is_read_in_it(mind, tenant):
    _remember(mind, tenant)
    assert len(_texts(mind, tenant)) == 3
    with mind.store.transaction():
        mind.remember("the last entry of the ledger", namespace=tenant)
        assert len(_texts(mind, tenant)) == 4


@pytest.mark.parametrize("target", ["west", HERE])
def test_a_tenant_that_moved_is_read_where_it_is_now(url, mind, tenant, target):
    told = _remember(mind, tenant)
    assert _texts(mind, tenant) == told
    move(url, target, tenant=tenant)
    mind.remember("the last entry of the ledger", namespace=tenant)
    assert _texts(mind, tenant) == told | {"the last entry of the ledger"} and _away(mind) == 0
    move(url, "east", tenant=tenant)
    mind.remember("one more entry of the ledger", namespace=tenant)
    assert len(_texts(mind, tenant)) == 5 and _away(mind) == 0


def test_the_rows_that_a_move_has_not_deleted_yet_are_not_read(url, mind, tenant, monkeypatch):
    told = _remember(mind, tenant)
    assert _texts(mind, tenant) == told

    class Killed(BaseException):
        pass

    def killed(self):
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(moving._Move, "clean", killed)
        move(url, "west", tenant=tenant)
    mind.remember("the last entry of the ledger", namespace=tenant)
    assert len(_texts(mind, tenant)) == 4
    move(url, "west", tenant=tenant)
    assert len(_texts(mind, tenant)) == 4


def test_a_read_during_which_the_tenant_moves_is_done_again(url, mind, tenant, monkeypatch):
    told = _remember(mind, tenant)
    assert _texts(mind, tenant) == told
    reads = []

    def work(db):
        reads.append(db)
        found = db.execute("SELECT m.text FROM memory m WHERE m.tenant = %s", (tenant,)).fetchall()
        if len(reads) == 1:
            move(url, "west", tenant=tenant)
            mind.remember("the last entry of the ledger", namespace=tenant)
        return found

    assert len(mind.store._direct.read([tenant], work)) == 4 and len(reads) == 2


def test_writers_read_what_they_wrote_while_their_tenant_moves(url, mind, tenant):
    stop, done = threading.Event(), []

    def works(name):
        n = 0
        while not stop.is_set():
            text = f"{name} wrote entry {n} of the ledger"
            try:
                mind.remember(text, namespace=tenant, dedup=False)
                found = mind.recall(text, namespace=tenant, limit=5)
            except StoreError:  # locked for too long: this machine may be busy
                continue
            assert text in {hit.memory.text for hit in (*found.hits, *found.nearest)}
            n += 1
            done.append(text)

    with ThreadPoolExecutor(3) as pool:
        working = [pool.submit(works, f"w{n}") for n in range(3)]
        try:
            for target in ("west", HERE, "east", "west", "east"):
                move(url, target, tenant=tenant)
                reached = len(done)
                while len(done) < reached + 6 and not any(each.done() for each in working):
                    stop.wait(0.01)
        finally:
            stop.set()
        for each in working:
            each.result()
    assert len(done) == len(set(done)) >= 30


# Servers that this program can't reach -------------------------------------------------------------


def test_a_server_that_only_the_store_s_server_reaches_is_read_through_it(url, mind, tenant, monkeypatch):
    monkeypatch.setattr(direct, "address", lambda db, server: address(db, server) | {"port": "1"})
    told = _remember(mind, tenant)
    assert _texts(mind, tenant) == told and _away(mind) == 1


def test_another_server_under_the_same_address_is_never_read(three, on_three, mind, tenant, monkeypatch):
    told = _remember(mind, tenant)
    name = on_three[1].rpartition("/")[2]
    three[1].execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    copy = three[1].database(of=on_three[1])
    monkeypatch.setattr(direct, "address", lambda db, server: address(db, server) | {"dbname": copy.rpartition("/")[2]})
    mind.remember("the last entry of the ledger", namespace=tenant)
    assert len(_texts(mind, tenant)) == len(told) + 1 and _away(mind) == 1
    mind.store._direct.close()
    three[1].drop(copy)


def test_a_server_with_a_new_address_is_asked_there(mind, tenant):
    told = _remember(mind, tenant)
    assert _texts(mind, tenant) == told
    with mind.store._db.primary.outside() as db:
        db.execute("ALTER SERVER recollect_east OPTIONS (SET keepalives_count '4')")
        assert _texts(mind, tenant) == told
        db.execute("ALTER SERVER recollect_east OPTIONS (SET keepalives_count '3')")
    assert len(mind.store._direct._holders) == 2 and _away(mind) == 0


def test_a_session_that_ends_in_between_costs_no_recall(three, on_three, mind, tenant):
    told = _remember(mind, tenant)
    assert _texts(mind, tenant) == told
    name = on_three[1].rpartition("/")[2]
    three[1].execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        f"WHERE datname = '{name}' AND application_name = 'recollect'"
    )
    assert _texts(mind, tenant) == told
