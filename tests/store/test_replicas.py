"""Reads from replicas: never without what was written here, whichever server is behind, gone or promoted."""

import contextlib
import threading

import pytest
from postgres_server import Unavailable, replica, running
from rest_server import running_server

from recollect import Recollect
from recollect.errors import StoreUnreachable
from recollect.store import open_store
from recollect.store.call import reads
from recollect.store.postgres import servers
from recollect.store.values import Batch
from recollect.testing.samples import memory, put

pytest_plugins = ["server_fixtures"]
TRIES = 1_000


@pytest.fixture(scope="module")
def pair():
    """A primary server and its replica."""
    try:
        with running(fsync="off") as primary, replica(primary) as follower:
            yield primary, follower
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def urls(pair):
    primary, follower = pair
    url = primary.database()
    open_store(url).close()
    _until(lambda: _replayed(pair))
    yield url, follower.url(url.rpartition("/")[2])
    follower.execute("SELECT pg_wal_replay_resume()")
    primary.drop(url)


def _until(happened):
    for _ in range(20_000):
        if happened():
            return
    raise AssertionError("it never happened")


def _replayed(pair):
    primary, follower = pair
    ((end,),) = primary.execute("SELECT pg_current_wal_lsn()::text")
    return follower.execute(f"SELECT pg_last_wal_replay_lsn() >= '{end}'") == [(True,)]


def _pause(follower):
    follower.execute("SELECT pg_wal_replay_pause()")
    _until(lambda: follower.execute("SELECT pg_get_wal_replay_pause_state()") == [("paused",)])


def _reads(store):
    found = {server.name: server.reads for server in store.servers()}
    return found["primary"], found["replica 1"]


def test_a_replica_that_lags_is_never_read_for_what_was_just_written(pair, urls):
    url, read_url = urls
    store = open_store(url, read_urls=read_url)
    get = reads(store.get)
    for n in range(TRIES):
        if n % 100 == 0:
            _pause(pair[1])
        elif n % 100 == 80:
            pair[1].execute("SELECT pg_wal_replay_resume()")
        made = memory(n)
        store.write(Batch(puts=[put(made)]))
        assert get([made.id]) == {made.id: made}
    pair[1].execute("SELECT pg_wal_replay_resume()")
    _until(lambda: store.servers()[1].state == "ok")
    before = _reads(store)[1]
    assert len(get([memory(n).id for n in range(TRIES)])) == TRIES and _reads(store)[1] == before + 1
    assert _reads(store)[0] >= TRIES * 0.7  # the primary answered while the replica was paused
    store.close()


def test_a_call_that_reads_goes_to_the_replica_and_one_that_writes_to_the_primary(pair, urls):
    url, read_url = urls
    with Recollect(url, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
    _until(lambda: _replayed(pair))
    with Recollect(url, read_url=[read_url]) as mind:
        assert mind.recall("dark mode").hits
        _until(lambda: _replayed(pair))  # its log entry was written on the primary
        before = _reads(mind.store)
        assert mind.recall("dark mode").hits
        _until(lambda: _replayed(pair))
        assert mind.list()
        after = _reads(mind.store)
        assert after[0] == before[0] and after[1] > before[1]
        mind.update(mind.list()[0].id, text="Ada prefers light mode")
        assert [m.text for m in mind.list()] == ["Ada prefers light mode"]
        assert mind.stats().recalls == 2


def test_a_store_sees_what_was_committed_before_it_was_opened(pair, urls):
    url, read_url = urls
    _pause(pair[1])
    with Recollect(url, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
    with Recollect(url, read_url=read_url) as mind:
        assert mind.recall("dark mode").hits
        (line,) = [each for each in mind.doctor() if "replica 1" in each.what]
        assert line.state == "warn" and "is behind" in line.what and "hunter2" not in line.what


def test_a_position_that_another_process_hands_over_is_seen_here(pair, urls):
    url, read_url = urls
    one, other = (open_store(url, read_urls=read_url) for _ in range(2))
    _until(lambda: other.servers()[1].state == "ok")
    _pause(pair[1])
    one.write(Batch(puts=[put(memory(1))]))
    get = reads(other.get)
    assert get([memory(1).id]) == {}
    other.must_have(one.written)
    assert list(get([memory(1).id])) == [memory(1).id]
    one.close()
    other.close()


def test_a_database_that_is_no_replica_is_not_read(pair, urls):
    url, _ = urls
    wrong = pair[0].database()
    with Recollect(url, embedder="hashing", read_url=wrong) as mind:
        mind.remember("Ada prefers dark mode")
        assert mind.recall("dark mode").hits
        (line,) = [each for each in mind.doctor() if "replica 1" in each.what]
        assert line.state == "fail" and "is not a replica of" in line.do
    pair[0].drop(wrong)


def test_a_replica_that_is_gone_costs_nothing_but_its_share(urls):
    with Recollect(urls[0], embedder="hashing", read_url="postgresql://postgres@127.0.0.1:1/memory") as mind:
        mind.remember("Ada prefers dark mode")
        assert mind.recall("dark mode").hits
        (line,) = [each for each in mind.doctor() if "replica 1" in each.what]
        assert line.state == "fail" and "nothing answers there" in line.do


def test_the_server_shows_the_state_of_its_databases(pair, urls):
    with Recollect(urls[0], embedder="hashing", read_url=urls[1]) as mind, running_server(mind) as server:
        _until(lambda: server.ask("GET", "/readyz", key=None).status == 200)
        shown = server.ask("GET", "/readyz", key=None).json["servers"]
        assert [each["name"] for each in shown] == ["primary", "replica 1"] and shown[0]["state"] == "ok"
        metrics = server.ask("GET", "/metrics").body.decode()
        for name in ("database_up", "replication_lag_bytes", "slow_statements", "statement_seconds"):
            assert f'recollect_{name}{{server="replica 1"}}' in metrics
        assert 'recollect_database_connections{server="primary",use="idle"}' in metrics
        elsewhere = server.ask("GET", "/metrics", key=server.key(namespace="elsewhere")).body.decode()
        assert "recollect_memories" in elsewhere or "recollect_model_ready" in elsewhere
        assert "recollect_database_up" not in elsewhere


def test_nothing_acknowledged_is_lost_when_the_primary_dies_and_a_replica_is_promoted(monkeypatch):
    monkeypatch.setattr(servers, "AVOIDED_FOR_SECONDS", 0.0)
    with running() as primary:
        url = primary.database()
        open_store(url).close()
        with replica(primary) as follower:
            name = url.rpartition("/")[2]
            mind = Recollect(url, embedder="hashing", read_url=follower.url(name))
            primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.execute("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
            primary.execute("SELECT pg_reload_conf()")
            _until(lambda: primary.execute("SELECT sync_state FROM pg_stat_replication") == [("sync",)])
            acknowledged, refused = _write_until_it_dies(mind, primary)
            assert "nothing was written" in refused or "was lost" in refused
            assert len(mind.list()) >= len(acknowledged)  # the replica has what was written here
            found = mind.recall("entry 7 of the ledger")
            assert found.hits and len(mind.store._waiting) > 0  # its log entry waits
            states = {server.name: server.state for server in mind.store.servers()}
            assert states == {"primary": "gone", "replica 1": "ok"}
            follower.execute("SELECT pg_promote()")
            follower.execute("ALTER SYSTEM RESET synchronous_standby_names")
            with Recollect(follower.url(name), embedder="hashing") as promoted:
                assert {m.id for m in promoted.list()} >= set(acknowledged)
                assert promoted.check() == []
                promoted.remember("life goes on")
            assert {m.id for m in mind.list()} >= set(acknowledged)  # it had everything before it was promoted
            mind.store._waiting._entries.clear()
            mind.close()


def _write_until_it_dies(mind, primary):
    acknowledged, refused = [], []

    def write():
        while not refused:
            try:
                text = f"entry {len(acknowledged)} of the ledger"
                acknowledged.append(mind.remember(text, dedup=False).id)
            except StoreUnreachable as error:
                refused.append(str(error))

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    _until(lambda: len(acknowledged) >= 30 or writers[0].join(0.01))
    primary.kill()
    for writer in writers:
        writer.join()
    return acknowledged, refused[0]


def test_a_promoted_replica_that_lacks_a_write_is_not_read_however_much_is_written_there(monkeypatch):
    monkeypatch.setattr(servers, "AVOIDED_FOR_SECONDS", 0.0)
    with running(fsync="off") as primary:
        url = primary.database()
        open_store(url).close()
        with replica(primary) as follower:
            name = url.rpartition("/")[2]
            store = open_store(url, read_urls=follower.url(name))
            follower.stop()
            store.write(Batch(puts=[put(memory(1))]))
            primary.kill()
            follower.start()
            follower.execute("SELECT pg_promote()")
            with Recollect(follower.url(name), embedder="hashing") as promoted:
                promoted.remember_many([{"text": f"entry {n} elsewhere", "dedup": False} for n in range(200)])
            with pytest.raises(StoreUnreachable, match="no replica has all that was written here"):
                reads(store.get)([memory(1).id])
            store.close()


# The old primary comes back ------------------------------------------------------------------------


@contextlib.contextmanager
def _after_a_promotion():
    """A primary that died, and its replica, which was promoted and written to. Gives both and the database's name."""
    with running(fsync="off") as old:
        url = old.database()
        open_store(url).close()
        with replica(old) as new:
            _until(lambda: _replayed((old, new)))
            yield old, new, url.rpartition("/")[2]


def _promoted(old, new):
    old.kill()
    new.execute("SELECT pg_promote()")


def _ended(server, name):
    server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


def test_a_url_of_all_servers_never_leads_back_to_an_old_primary():
    with _after_a_promotion() as (old, new, name):
        hosts = f"127.0.0.1:{old.port},127.0.0.1:{new.port}"
        url = f"postgresql://postgres@{hosts}/{name}?target_session_attrs=read-write"
        with Recollect(url, embedder="hashing") as mind:
            mind.remember("before the promotion")
            _until(lambda: _replayed((old, new)))
            _promoted(old, new)
            with pytest.raises(StoreUnreachable):
                mind.remember("while it changes")
            after = mind.remember("after the promotion")
            old.start()
            _ended(new, name)  # the next connection goes to the first server that takes writes
            for call in (mind.list, lambda: mind.remember("on the wrong server"), lambda: mind.recall("promotion")):
                with pytest.raises(StoreUnreachable, match="was the primary before another one was promoted"):
                    call()
            assert mind.store.servers()[0].state == "gone"
            assert old.execute("SELECT count(*) FROM recollect.memory", name) == [(1,)]
            old.stop()
            assert mind.get(after.id) and mind.remember("life goes on") and len(mind.list()) == 3


def test_an_old_primary_is_not_used_once_a_replica_was_promoted(monkeypatch):
    monkeypatch.setattr(servers, "AVOIDED_FOR_SECONDS", 0.0)
    with _after_a_promotion() as (old, new, name):
        with Recollect(old.url(name), embedder="hashing", read_url=new.url(name)) as mind:
            mind.remember("before the promotion")
            _until(lambda: mind.store.servers()[1].state == "ok")
            assert len(mind.list()) == 1  # the replica has it
            _promoted(old, new)
            assert len(mind.list()) == 1
            with pytest.raises(StoreUnreachable):
                mind.remember("while it changes")
            old.start()
            with pytest.raises(StoreUnreachable, match="nothing was written.*another one was promoted"):
                mind.remember("on the wrong server")
            assert len(mind.list()) == 1  # the promoted one has it
            (line,) = [each for each in mind.doctor() if each.what.startswith("primary")]
            assert line.state == "fail" and "another one was promoted" in line.do
        with pytest.raises(StoreUnreachable, match="another one was promoted"):  # a program that starts now
            Recollect(old.url(name), embedder="hashing", read_url=new.url(name))
        assert old.execute("SELECT count(*) FROM recollect.memory", name) == [(1,)]
