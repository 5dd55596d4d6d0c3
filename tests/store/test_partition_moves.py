"""Partitions move to other servers while writers go on, and a server that dies loses and doubles nothing."""

import contextlib
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from spread_stores import databases, emptied, spread

from recollect import Recollect
from recollect.errors import Conflict, InvalidInput, NotFound, StoreError
from recollect.store import open_store
from recollect.store.copying import sums
from recollect.store.postgres.partitions import citus, layout, servers
from recollect.store.postgres.partitions import move as moving
from recollect.store.postgres.partitions.apply import apply, even, for_citus, plan, status
from recollect.store.postgres.partitions.direct import DirectReads
from recollect.store.postgres.partitions.layout import HERE, TABLES, Part
from recollect.store.postgres.partitions.move import move
from recollect.store.postgres.partitions.shape import Key, shapes
from recollect.store.tables import KINDS

pytest_plugins = ["partition_fixtures", "server_fixtures"]

WRITERS = 8


@pytest.fixture(scope="module")
def urls(three):
    with databases(three) as made:
        spread(made)
        yield made


@pytest.fixture
def url(urls):
    return emptied(urls[0])


def _entries(count):
    return [{"text": f"entry {n} of the ledger"} for n in range(count)]


@contextlib.contextmanager
def _session(url):
    store = open_store(url)
    try:
        with store._db.read() as db:
            yield db
    finally:
        store.close()


def _server_of(url, tenant):
    with _session(url) as db:
        return layout.part_of(db, layout.parts(db), tenant).server


def _tenants(url, count=20):
    """Server → some tenants on it."""
    found = {}
    with _session(url) as db:
        parts = layout.parts(db)
        for n in range(count):
            found.setdefault(layout.part_of(db, parts, f"t{n}").server, []).append(f"t{n}")
    return found


def _texts(url, tenant):
    with Recollect(url, embedder="hashing", namespace=tenant) as mind:
        return sorted(memory.text for memory in mind.list())


def _written(mind, tenant, name, until, said):
    """Writes until told to stop. What fails is written again, as a client would."""
    mine, n = mind.acting(actor=name, namespace=tenant), 0
    while not until.is_set():
        try:
            mine.remember(f"{name} wrote entry {n} of the ledger")
        except StoreError:
            until.wait(0.05)
            continue
        said.append(f"{name} wrote entry {n} of the ledger")
        n += 1


def _during(url, tenants, work):
    """Does the work while 8 writers write. Returns what they were told is stored."""
    said, stop = [], threading.Event()
    with Recollect(url, embedder="hashing") as mind, ThreadPoolExecutor(WRITERS) as pool:
        writers = [
            pool.submit(_written, mind, tenants[n % len(tenants)], f"writer {n}", stop, said) for n in range(WRITERS)
        ]
        try:
            while len(said) < WRITERS and not any(writer.done() for writer in writers):
                stop.wait(0.01)
            work()
            reached = len(said)
            while len(said) < reached + WRITERS and not any(writer.done() for writer in writers):
                stop.wait(0.01)
        finally:
            stop.set()
        for writer in writers:
            writer.result()
    return said


def test_a_tenant_moves_under_eight_writers_and_nothing_is_lost(url):
    tenant = _tenants(url)["east"][0]
    moved = []

    def work():
        moved.append(move(url, "west", tenant=tenant))
        moved.append(move(url, HERE, tenant=tenant))

    said = _during(url, [tenant], work)
    assert [(one.source, one.target) for one in moved] == [("east", "west"), ("west", HERE)]
    assert all(one.rows["memory"] == one.rows["view"] > 0 for one in moved)
    assert _texts(url, tenant) == sorted(said)
    with Recollect(url, embedder="hashing") as mind:
        assert mind.check() == []
    assert status(url).unfinished == ()


def test_a_move_changes_no_row(url):
    tenants = _tenants(url)
    with Recollect(url, embedder="hashing") as mind:
        for tenant in (tenants["east"][0], tenants["east"][1], tenants[HERE][0]):
            made = mind.remember_many([{"text": f"{tenant} likes number {n}", "namespace": tenant} for n in range(20)])
            mind.link(made[0].id, made[1].id, "extends")
            mind.recall("number", namespace=tenant)
        before = sums(mind.store)
        bucket = next(int(p.name.split()[1]) for p in status(url).partitions if p.server == "west")
        move(url, HERE, bucket=bucket)
        move(url, "east", tenant=tenants[HERE][0])
        move(url, "west", tenant=tenants["east"][0])
        assert sums(mind.store) == before
        move(url, "west", bucket=bucket)
        assert sums(mind.store) == before and mind.check() == []


@pytest.mark.parametrize("point", ["_prepare", "_verify", "_exchange", "clean"])
def test_a_move_that_is_interrupted_at_any_step_goes_on(url, point, monkeypatch):
    tenant = _tenants(url)["east"][0]
    with Recollect(url, embedder="hashing", namespace=tenant) as mind:
        mind.remember_many(_entries(10))

        class Killed(BaseException):
            pass

        def killed(self, *given):
            raise Killed

        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(moving._Move, point, killed)
            move(url, "west", tenant=tenant)
        mind.remember("entry 10 of the ledger")
        if point != "clean":
            assert status(url).unfinished
        assert move(url, "west", tenant=tenant).target == "west"
        assert len(mind.list()) == 11 and mind.check() == []
    assert status(url).unfinished == ()
    move(url, "east", tenant=tenant)


@pytest.mark.parametrize("which", [0, 1, 2], ids=["the store's own server", "the source", "the target"])
def test_a_move_goes_on_after_a_server_of_it_died(url, three, which):
    tenant = _tenants(url)["east"][0]
    with Recollect(url, embedder="hashing", namespace=tenant) as mind:
        mind.remember_many(_entries(10))
        before = sums(mind.store)
    died = []

    def dies(count):
        if not died:
            died.append(count)
            three[which].slay()
            three[which].start()

    with pytest.raises(StoreError):
        move(url, "west", tenant=tenant, advance=dies)
    with Recollect(url, embedder="hashing", namespace=tenant) as mind:
        assert sums(mind.store) == before and status(url).unfinished
        moved = move(url, "west", tenant=tenant)
        assert moved.rows["memory"] == 10 and sums(mind.store) == before and mind.check() == []
    assert status(url).unfinished == () and _server_of(url, tenant) == "west"
    move(url, "east", tenant=tenant)


def test_a_memory_does_not_move_between_tenants_on_two_servers(url):
    tenants = _tenants(url)
    here, east = tenants[HERE][0], tenants["east"][0]
    with Recollect(url, embedder="hashing") as mind:
        made = mind.remember("entry 1 of the ledger", namespace=here)
        with pytest.raises(Conflict, match="different servers"):
            mind.move(here, east)
        assert mind.get(made.id).namespace == here
        move(url, "east", tenant=here)
        mind.move(here, east)
        assert mind.get(made.id).namespace == east and mind.check() == []


def test_a_copy_that_differs_is_not_switched_to(url, monkeypatch):
    tenant = _tenants(url)["east"][0]
    with Recollect(url, embedder="hashing", namespace=tenant) as mind:
        mind.remember_many(_entries(3))
        follow = moving._Move._verify

        def spoiled(self):
            self.target.execute(f"UPDATE {self.name('memory')} SET text = 'other' WHERE text LIKE 'entry 1%'")
            return follow(self)

        with monkeypatch.context() as patch, pytest.raises(Conflict, match="differs"):
            patch.setattr(moving._Move, "_verify", spoiled)
            move(url, "west", tenant=tenant)
        assert _server_of(url, tenant) != "west"
        assert sorted(memory.text for memory in mind.list()) == [f"entry {n} of the ledger" for n in range(3)]
        move(url, "west", tenant=tenant, afresh=True)
        assert len(mind.list()) == 3
    move(url, "east", tenant=tenant)


def test_a_server_that_is_killed_mid_write_loses_and_doubles_nothing(url, three):
    tenants = _tenants(url)
    mixed = [tenants[HERE][0], tenants["east"][0], tenants["west"][0]]

    def work():
        three[1].slay()
        three[1].start()

    said = _during(url, mixed, work)
    stored = [text for tenant in mixed for text in _texts(url, tenant)]
    assert set(said) <= set(stored)
    assert len(stored) == len(set(stored)) <= len(said) + WRITERS
    with Recollect(url, embedder="hashing") as mind:
        assert mind.check() == []


def test_a_recall_through_the_store_s_server_asks_one_other_and_it_orders_the_vectors(url, monkeypatch):
    monkeypatch.setattr(DirectReads, "_place", lambda self, tenant: None)
    tenant = _tenants(url)["east"][0]
    with Recollect(url, embedder="hashing", namespace=tenant) as mind:
        mind.remember_many(_entries(5))
        asked = _asked(mind.store, lambda: mind.recall("who wrote the ledger"))
        plans = [explained for explained in asked if "Remote SQL" in explained]
        remote = [line for plan in plans for line in plan.splitlines() if "Remote SQL" in line]
        assert any("<#>" in line and "ORDER BY" in line for line in remote)
        with mind.store._db.read() as db:
            parts = layout.parts(db)
            own = layout.part_of(db, parts, tenant).suffix
        others = [part.suffix for part in parts if part.suffix != own]
        assert not [line for plan in asked for line in plan.splitlines() for other in others if f"_{other}" in line]


def _asked(store, work):
    """The plans of the statements that read, in the order they were sent."""
    sent = []
    run = psycopg.Connection.execute

    def noted(self, query, params=None, **more):
        if str(query).startswith("SELECT") and (" memory " in str(query) or " view " in str(query)):
            sent.append((query, params))
        return run(self, query, params, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", noted)
        work()
    with store._db.read() as db:
        return ["\n".join(row[0] for row in run(db, f"EXPLAIN VERBOSE {q}", p).fetchall()) for q, p in sent]


# Rights --------------------------------------------------------------------------------------------


def _of_an_ordinary_user(three, urls):
    """What docs/partitions.md lets a superuser prepare. Returns the URLs of that user."""
    names = [url.rpartition("/")[2] for url in urls]
    for server, name in zip(three, names, strict=True):
        server.execute("CREATE ROLE secretive LOGIN PASSWORD 'hunter2'")
        server.execute(f"ALTER DATABASE {name} OWNER TO secretive")
        server.execute("CREATE EXTENSION vector", name)
    three[0].execute("CREATE EXTENSION postgres_fdw", names[0])
    three[0].execute("GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO secretive", names[0])
    return [server.url(name, user="secretive", password="hunter2") for server, name in zip(three, names, strict=True)]


def test_an_ordinary_user_spreads_a_store_and_works_with_it(three):
    with databases(three) as made:
        urls = _of_an_ordinary_user(three, made)
        Recollect(urls[0], embedder="hashing").close()
        apply(urls[0], buckets=3, servers=dict(zip(("east", "west"), urls[1:], strict=True)))
        assert set(status(urls[0]).servers.values()) == {"ok"}
        tenants = _tenants(urls[0])
        assert set(tenants) == {HERE, "east", "west"}
        with Recollect(urls[0], embedder="hashing") as mind:
            for tenant in (names[0] for names in tenants.values()):
                made_one = mind.remember(f"{tenant} keeps a ledger", namespace=tenant)
                assert [hit.memory.id for hit in mind.recall("ledger", namespace=tenant).hits] == [made_one.id]
            assert all(each.reads for each in mind.store.servers()[1:])
            move(urls[0], "west", tenant=tenants["east"][0])
            assert mind.recall("ledger", namespace=tenants["east"][0]).hits and mind.check() == []
            with pytest.raises(InvalidInput, match="partitions, and row security"):
                mind.store.set_row_security(True)


# Planning ------------------------------------------------------------------------------------------


def test_buckets_are_spread_evenly_with_few_moves():
    rest = [Part(n, None, HERE) for n in range(16)]
    moves = even(rest, [HERE, "east", "west"])
    assert len(moves) == 10 and {source for _, source, _ in moves} == {HERE}
    chosen = random.Random(1)
    for _ in range(50):
        names = [HERE, *(f"s{n}" for n in range(chosen.randint(1, 4)))]
        rest = [Part(n, None, chosen.choice(names)) for n in range(chosen.randint(5, 40))]
        at = {part.bucket: part.server for part in rest} | {bucket: to for bucket, _, to in even(rest, names)}
        counts = [list(at.values()).count(name) for name in names]
        assert max(counts) - min(counts) <= 1
        assert even([Part(bucket, None, server) for bucket, server in at.items()], names) == []


def test_wrong_requests_are_refused_in_words(url):
    with pytest.raises(InvalidInput, match="no server 'north'"):
        move(url, "north", tenant="acme")
    with pytest.raises(InvalidInput, match="a tenant or a bucket"):
        move(url, "east")
    with pytest.raises(NotFound, match="no bucket 99"):
        move(url, "east", bucket=99)
    with pytest.raises(InvalidInput, match="can't be changed"):
        plan(url, buckets=8)
    with pytest.raises(InvalidInput, match="not a name"):
        plan(url, servers=["East!"])
    with pytest.raises(InvalidInput, match="partitions already"):
        for_citus(url)


# Citus ---------------------------------------------------------------------------------------------


def test_citus_may_distribute_every_table(database):
    statements = for_citus(database)
    with _session(database) as db:
        made = shapes(db)
        rows = db.execute("SELECT relname, relkind FROM pg_class WHERE relnamespace = 'recollect'::regnamespace")
        every = {name for name, kind in rows.fetchall() if kind in ("r", b"r")}
    assert citus.objections(made.values()) == []
    assert every == {*TABLES, *(kind.TABLE for kind in KINDS)}
    assert all(any(f"recollect.{name}'" in line for line in statements) for name in every)
    dropped = [line for line in statements if "DROP CONSTRAINT" in line]
    assert len(dropped) == sum(len(shape.references) for shape in made.values()) == 1
    with _session(database) as db:
        db.execute(dropped[0])  # the name is right


def test_a_key_without_the_tenant_is_reported(database):
    with _session(database) as db:
        made = shapes(db)["memory"]
    spoiled = type(made)(**{n: getattr(made, n) for n in made.__slots__} | {"keys": (Key(False, ("id",)),)})
    assert citus.objections([spoiled]) == ["memory: UNIQUE (id) does not contain tenant"]


# Upgrades ------------------------------------------------------------------------------------------


def _made_older(url):
    """Takes back the last two migrations: a column and an index of every partition."""
    with _session(url) as db:
        parts = layout.parts(db)
        db.execute("ALTER TABLE recollect.recall DROP COLUMN ms")
        for part in parts:
            with servers.session(db, part.server) as there:
                if part.server != HERE:
                    there.execute(f"ALTER TABLE recollect.{part.table('recall')} DROP COLUMN ms")
                ((name,),) = there.execute(BY_FIRST_TURN, (f"recollect.{part.table('memory')}",)).fetchall()
                there.execute(f"DROP INDEX {name}")
        db.execute("UPDATE recollect.setting SET value = '5' WHERE key = 'postgres:schema_version'")


BY_FIRST_TURN = (
    "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = %s::regclass "
    "AND pg_get_indexdef(indexrelid) LIKE '%%WHERE (turn = 0)'"
)


def test_a_store_on_three_servers_is_upgraded_with_its_partitions(url):
    tenants = [tenant for names in _tenants(url).values() for tenant in names[:1]]
    with Recollect(url, embedder="hashing") as mind:
        mind.remember_many([{"text": f"{tenant} keeps a ledger", "namespace": tenant} for tenant in tenants])
    _made_older(url)
    with Recollect(url, embedder="hashing") as mind:
        assert [mind.recall("ledger", namespace=tenant).hits[0].memory.namespace for tenant in tenants] == tenants
        logged = [log for tenant in tenants for log in mind.recall_log(namespace=tenant).recalls]
        assert len(logged) == len(tenants) and all(log.ms is not None for log in logged)
        assert mind.check() == []
    with _session(url) as db:
        for part in layout.parts(db):
            with servers.session(db, part.server) as there:
                assert len(there.execute(BY_FIRST_TURN, (f"recollect.{part.table('memory')}",)).fetchall()) == 1
