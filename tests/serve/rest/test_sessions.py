"""Signing in to the page: a login link that works once, and a cookie."""

from datetime import timedelta
from hashlib import sha256
from http.cookies import SimpleCookie

import pytest
from inspect_store import everything
from rest_server import running_server

from recollect import Recollect
from recollect.errors import Unauthorized
from recollect.serve.keys import Keys
from recollect.serve.rest.login_links import LoginLinks, first_key, link, page_key
from recollect.serve.rest.sessions import COOKIE, Sessions, now
from recollect.serve.storage import ServerStorage


@pytest.fixture(scope="module", autouse=True)
def _owner(server):
    server.key()


def cookie_of(said):
    return SimpleCookie(said.headers["set-cookie"])[COOKIE]


def test_a_link_opens_the_page_once(server):
    made = link(server.mind, server.options, "")
    said = server.ask("GET", made, key=None)
    assert (said.status, said.headers["location"]) == (303, "/")
    cookie = cookie_of(said)
    assert cookie["httponly"] and cookie["samesite"].lower() == "strict" and cookie["path"] == "/"
    assert server.ask("GET", made, key=None).status == 401
    who = server.ask("GET", "/v1/session", key=None, Cookie=f"{COOKIE}={cookie.value}").json
    assert (who["namespace"], who["role"]) == ("acme", "admin")
    assert server.ask("GET", "/v1/stats", key=None, Cookie=f"{COOKIE}={cookie.value}").status == 200


def test_a_made_up_link_is_refused(server):
    for token in ("x", "../..", "%00", "a" * 300):
        assert server.ask("GET", f"/open?ticket={token}", key=None).status in (401, 422)
    assert server.ask("GET", "/open", key=None).status == 422


def test_a_link_expires(mind):
    key, _ = Keys(mind).add("owner", namespace="default", role="admin")
    links = LoginLinks(ServerStorage(mind), seconds=-1)
    token = links.make(key)
    with pytest.raises(Unauthorized, match="expired"):
        links.redeem(token)


def test_a_link_works_once_and_making_another_keeps_it(mind):
    key, _ = Keys(mind).add("owner", namespace="default", role="admin")
    links = LoginLinks(ServerStorage(mind), seconds=60)
    first, second = links.make(key), links.make(key)
    assert links.redeem(first) == links.redeem(second) == key.id
    with pytest.raises(Unauthorized, match="used before"):
        links.redeem(first)


def test_the_store_holds_only_the_hash_of_a_link(mind, path):
    key, _ = Keys(mind).add("owner", namespace="default", role="admin")
    token = LoginLinks(ServerStorage(mind), seconds=60).make(key)
    held = repr(everything(path))
    assert sha256(token.encode()).hexdigest() in held
    assert token not in held


def test_a_link_of_a_revoked_key_is_refused(server):
    key, _ = Keys(server.mind).add("short", namespace="acme", role="admin")
    token = LoginLinks(ServerStorage(server.mind), 60).make(key)
    Keys(server.mind).revoke("short")
    assert server.ask("GET", f"/open?ticket={token}", key=None).status == 401


def test_only_the_owner_is_told_where_the_store_is(server):
    for role, namespace in (("read", "acme"), ("write", "acme"), ("admin", "acme/ada")):
        assert server.ask("GET", "/v1/session", key=server.key(role, namespace)).json["place"] == ""


def test_only_the_owner_of_an_empty_namespace_is_told_where_the_memories_are(tmp_path):
    with Recollect(tmp_path / "two.db", embedder="hashing", namespace="acme") as mind, running_server(mind) as server:
        mind.remember("Tea is at four", namespace="brix/ada")

        def told(role="admin", namespace="acme", trust="user"):
            asked = server.ask("GET", "/v1/session", key=server.key(role, namespace, trust))
            return asked.json["elsewhere"]

        assert (told()["memories"], told()["namespaces"]) == (1, ["brix"])
        assert told("write") is told(namespace="acme/ada") is told(trust="agent") is None
        mind.remember("Coffee is at five")
        assert told() is None


def test_a_key_gets_a_cookie_and_signing_out_ends_it(server):
    said = server.ask("POST", "/v1/session", {"key": server.key("read")}, key=None)
    assert said.json == {"name": "key:read user of acme", "namespace": "acme", "role": "read"}
    sent = f"{COOKIE}={cookie_of(said).value}"
    assert server.ask("GET", "/v1/memories", key=None, Cookie=sent).status == 200
    assert server.ask("POST", "/v1/memories", {"text": "a"}, key=None, Cookie=sent).status == 403
    assert server.ask("DELETE", "/v1/session", key=None, Cookie=sent).json == {"signed_in": False}
    assert server.ask("GET", "/v1/session", key=None, Cookie=sent).status == 401


def test_a_wrong_key_gets_no_cookie(server):
    said = server.ask("POST", "/v1/session", {"key": "rk_nonsense"}, key=None)
    assert said.status == 401
    assert "set-cookie" not in said.headers


def test_a_cookie_is_valid_for_the_servers_own_page_only(server):
    said = server.ask("POST", "/v1/session", {"key": server.key()}, key=None)
    sent = f"{COOKIE}={cookie_of(said).value}"
    assert server.ask("GET", "/v1/stats", key=None, Cookie=sent, Sec_Fetch_Site="same-origin").status == 200
    assert server.ask("GET", "/v1/stats", key=None, Cookie=sent, Sec_Fetch_Site="same-site").status == 401
    assert (
        server.ask("POST", "/v1/purge", {"namespace": "acme"}, key=None, Cookie=sent, Origin="http://x").status == 403
    )


def test_a_session_ends_with_its_key_and_with_its_time(mind):
    keys, clock = Keys(mind), [now()]
    key, _ = keys.add("page", namespace="default", role="admin")
    sessions = Sessions(keys, hours=1, clock=lambda: clock[0])
    first, second = sessions.begin(key.id), sessions.begin(key.id)
    assert sessions.who(first).name == "key:page"
    clock[0] += timedelta(minutes=61)
    with pytest.raises(Exception, match="ended"):
        sessions.who(first)
    clock[0] -= timedelta(minutes=61)
    keys.revoke("page")
    with pytest.raises(Exception, match="ended"):
        sessions.who(second)


@pytest.mark.parametrize("cookie", ["", "x", f"{COOKIE}=", f"{COOKIE}=x", f'{COOKIE}="a;b', "a=b; c"])
def test_other_cookies_are_refused(server, cookie):
    assert server.ask("GET", "/v1/stats", key=None, Cookie=cookie).status == 401


def test_the_first_key_is_made_once(mind):
    key, token = first_key(mind)
    assert (key.namespace, key.role, key.trust) == (mind.namespace, "admin", "user")
    assert token.startswith("rk_")
    assert first_key(mind) is None
    assert page_key(mind) == key
