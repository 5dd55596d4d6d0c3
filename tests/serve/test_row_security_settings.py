"""Row security on databases of all kinds: it is switched on and off, its policies are renewed, and a chain goes on."""

import psycopg
import pytest
from serve.test_access_matrix import OWN

from recollect import Recollect
from recollect.errors import RecollectError
from recollect.serve.access import Access
from recollect.serve.scope import Caller, Scope
from recollect.store.call import limited_to
from recollect.store.chain import begin
from recollect.store.postgres import row_security
from recollect.testing.conformance import CHECKS
from recollect.types import Filter

pytest_plugins = ["server_fixtures"]


@pytest.mark.parametrize("check", CHECKS[::6], ids=lambda check: check.__name__)
def test_the_store_conforms_with_row_security(check, server):
    url = server.database()
    with Recollect(url, embedder="hashing") as mind:
        mind.store.set_row_security(True)
        mind.store.set_row_security(True)  # a second time changes nothing
        assert mind.store.has_row_security
    with Recollect(url, embedder="hashing") as mind:
        assert any("row security" in each.what for each in mind.doctor())
        check(mind.store)
        mind.store.set_row_security(False)
    with psycopg.connect(url) as db:
        assert db.execute("SELECT count(*) FROM pg_policies").fetchone() == (0,)
    server.drop(url)


def test_a_database_with_the_collation_of_a_language_shows_the_same(server):
    try:
        server.execute("CREATE DATABASE english TEMPLATE template0 LOCALE 'en_US.UTF-8'")
    except psycopg.Error as error:
        pytest.skip(f"the system has no such locale: {error}")
    url = server.url("english")
    places = [OWN, f"{OWN}/notes", f"{OWN}=x", f"{OWN}$"]
    with Recollect(url, embedder="hashing") as mind:
        for place in places:
            mind.recall(f"Which zebra is in {place}?", namespace=place)
        for on in (False, True):
            mind.store.set_row_security(on)
            with Recollect(url, embedder="hashing") as again:
                access = Access(again, Caller(name="key:ada", scope=Scope(namespace=OWN, role="admin")))
                asked = {recall.namespace for recall in access.recall_log().recalls}
                assert asked == {OWN, f"{OWN}/notes"} and access.stats().recalls == 2
    server.drop(url)


def test_policies_of_another_version_are_made_anew_when_the_store_is_opened(server):
    url = server.database()
    with Recollect(url, embedder="hashing") as mind:
        mind.store.set_row_security(True)
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("UPDATE recollect.setting SET value = 'older' WHERE key = 'postgres:row_security'")
        db.execute("DROP POLICY memory_seen ON recollect.memory")
        db.execute("CREATE POLICY memory_seen ON recollect.memory FOR SELECT TO recollect_caller USING (true)")
    with Recollect(url, embedder="hashing") as mind:
        mind.remember("The zebra parade", namespace="globex")
        with limited_to(OWN):
            assert mind.store.scan(Filter()) == []
    server.drop(url)


@pytest.mark.parametrize("right", ["CREATEROLE", "NOCREATEROLE"])
def test_an_owner_needs_to_be_no_superuser(server, right, monkeypatch):
    monkeypatch.setattr(row_security, "ROLE", "of_lovelace")  # no other database of the server has it
    name, user = server.database().rpartition("/")[2], f"lovelace_{right.lower()}"
    server.execute("CREATE EXTENSION vector", name)
    server.execute(f"CREATE ROLE {user} LOGIN {right}; GRANT CREATE ON DATABASE {name} TO {user}")
    own = server.url(name, user=user)
    with Recollect(own, embedder="hashing") as mind:
        if right == "NOCREATEROLE":
            with pytest.raises(RecollectError, match="CREATE ROLE of_lovelace NOLOGIN.*GRANT of_lovelace TO lovelace"):
                mind.store.set_row_security(True)
            server.execute(f"CREATE ROLE of_lovelace NOLOGIN; GRANT of_lovelace TO {user}")
        mind.store.set_row_security(True)
    with Recollect(own, embedder="hashing") as mind:
        access = Access(mind, Caller(name="key:ada", scope=Scope(namespace=OWN, role="admin")))
        access.remember("The zebra parade is on Monday", namespace=OWN)  # the first vector of the store
        mind.remember("Elsewhere is a zebra too", namespace="globex")
        assert [hit.memory.namespace for hit in access.recall("zebra").hits] == [OWN]
        with limited_to(OWN):
            assert len(mind.store.scan(Filter())) == 1
        assert mind.check() == []
    server.drop(own)
    server.execute(f"DROP ROLE of_lovelace; DROP ROLE {user}")


def test_the_hash_chain_of_the_log_goes_on_with_limited_calls(server):
    url = server.database()
    with Recollect(url, embedder="hashing") as mind:
        mind.store.set_row_security(True)
    with Recollect(url, embedder="hashing") as mind:
        with limited_to(OWN), pytest.raises(RecollectError, match="row-level security"):
            mind.chain(True)
        begin(mind.store)
        with limited_to(OWN):
            mind.chain(False)
        for place in (OWN, "globex"):
            access = Access(mind, Caller(name=f"key:{place}", scope=Scope(namespace=place, role="admin")))
            made = access.remember(f"The zebra parade of {place}", namespace=place)
            access.forget(made.id)
        assert mind.check() == [] and len(mind.store.events()) == 4
    server.drop(url)
