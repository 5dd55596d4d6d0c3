"""Every route × every role × own, parent, sibling and foreign namespace: nobody reads or infers what is outside.

A key for `acme/agents/ada` asks for things in five places. What its role does not allow is refused the same way
everywhere; what lies outside answers exactly like what never was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi import FastAPI

from recollect.ids import new_id

HOME = "acme/agents/ada"
PLACES = {
    "own": HOME,
    "below": f"{HOME}/notes",
    "parent": "acme/agents",
    "sibling": "acme/agents/adam",
    "foreign": "globex",
}
INSIDE = ("own", "below")
ROLES = ("read", "write", "admin")


@dataclass(frozen=True)
class Target:
    """A memory in one namespace, with the ids that a request can name."""

    namespace: str
    secret: str
    one: str
    two: str
    event: str
    recall: str


@dataclass(frozen=True)
class Call:
    """How to call a route for a target, and which role it needs."""

    role: str
    path: Callable[[Target], str]
    body: Callable[[Target], Any] = lambda target: None
    query: Callable[[Target], dict[str, Any]] = lambda target: {}
    outside: int = 404
    """What it answers for a target outside: 404 where it names an id, 403 where it names a namespace."""
    prepare: Callable[[Any, Target], object] = lambda mind, target: None
    inside: tuple[int, ...] = (200, 201)


def by_id(role: str, tail: str = "", **more: Any) -> Call:
    return Call(role, lambda target: f"/v1/memories/{target.one}{tail}", **more)


def by_place(role: str, path: str, body: Callable[[Target], Any]) -> Call:
    return Call(role, lambda target: path, body, outside=403)


def _namespace(target: Target) -> dict[str, Any]:
    return {"namespace": target.namespace}


def _messages(target: Target) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"I planted a tree {new_id()}"}]


CALLS: dict[str, Call] = {
    "POST /v1/memories": by_place("write", "/v1/memories", lambda t: {"text": new_id(), **_namespace(t)}),
    "POST /v1/memories/batch": by_place(
        "write", "/v1/memories/batch", lambda t: {"items": [{"text": new_id()}, {"text": new_id(), **_namespace(t)}]}
    ),
    "GET /v1/memories": Call("read", lambda t: "/v1/memories", query=_namespace, outside=403),
    "GET /v1/memories/{id}": by_id("read"),
    "PATCH /v1/memories/{id}": by_id("write", body=lambda t: {"importance": 0.9}),
    "DELETE /v1/memories/{id}": by_id("write"),
    "POST /v1/memories/{id}/restore": by_id("write", "/restore", prepare=lambda mind, t: mind.forget(t.one)),
    "POST /v1/memories/{id}/pin": by_id("write", "/pin", body=lambda t: {"pinned": True}),
    "POST /v1/memories/{id}/reinforce": by_id("write", "/reinforce"),
    "POST /v1/memories/{id}/supersede": by_id("write", "/supersede", body=lambda t: {"by": t.two}),
    "GET /v1/memories/{id}/history": by_id("read", "/history"),
    "GET /v1/memories/{id}/recalls": by_id("read", "/recalls"),
    "GET /v1/memories/{id}/links": by_id("read", "/links"),
    "POST /v1/memories/{id}/links": by_id("write", "/links", body=lambda t: {"to": t.two, "kind": "supports"}),
    "DELETE /v1/memories/{id}/links/{other}": Call("write", lambda t: f"/v1/memories/{t.one}/links/{t.two}"),
    "POST /v1/forget": by_place("write", "/v1/forget", _namespace),
    "POST /v1/purge": by_place("admin", "/v1/purge", _namespace),
    "POST /v1/archive": by_place("write", "/v1/archive", _namespace),
    "POST /v1/recall": by_place("read", "/v1/recall", lambda t: {"query": t.secret, "namespaces": [t.namespace]}),
    "POST /v1/recall/batch": by_place(
        "read", "/v1/recall/batch", lambda t: {"queries": [{"query": "a"}, {"query": t.secret, **_namespace(t)}]}
    ),
    "POST /v1/compare": by_place(
        "read", "/v1/compare", lambda t: {"query": t.secret, "recipes": ["bm25", "default"], **_namespace(t)}
    ),
    "POST /v1/context": by_place("read", "/v1/context", lambda t: {"query": t.secret, **_namespace(t)}),
    "POST /v1/feedback": Call(
        "write", lambda t: "/v1/feedback", lambda t: {"recall_id": t.recall, "used": [t.one], "outcome": "helped"}
    ),
    "POST /v1/ingest": by_place("write", "/v1/ingest", lambda t: {"messages": _messages(t), **_namespace(t)}),
    "POST /v1/ingest/batch": by_place(
        "write", "/v1/ingest/batch", lambda t: {"conversations": [{"messages": _messages(t)}], **_namespace(t)}
    ),
    "POST /v1/events/{id}/undo": Call("write", lambda t: f"/v1/events/{t.event}/undo"),
    "POST /v1/tend": by_place("admin", "/v1/tend", lambda t: {"preview": True, **_namespace(t)}),
    "POST /v1/decay": by_place("admin", "/v1/decay", _namespace),
    "POST /v1/consolidate": by_place("admin", "/v1/consolidate", lambda t: {"preview": True, **_namespace(t)}),
    "POST /v1/namespaces/move": Call(
        "admin",
        lambda t: "/v1/namespaces/move",
        lambda t: {"from": t.namespace, "to": f"{HOME}/moved/{new_id()}"},
        outside=403,
        inside=(200, 422),  # a namespace can't be moved below itself
    ),
    "GET /v1/profile": Call("read", lambda t: "/v1/profile", query=_namespace, outside=403),
    "GET /v1/sessions": Call("read", lambda t: "/v1/sessions", query=_namespace, outside=403),
    "GET /v1/conversation": Call(
        "read",
        lambda t: "/v1/conversation",
        query=lambda t: {"session_id": "talk", **_namespace(t)},
        outside=403,
        inside=(200, 404),
    ),
    "GET /v1/stats": Call("read", lambda t: "/v1/stats", query=_namespace, outside=403),
    "GET /v1/recalls": Call("read", lambda t: "/v1/recalls", query=_namespace, outside=403),
    "GET /v1/recalls/days": Call("read", lambda t: "/v1/recalls/days", query=_namespace, outside=403),
    "GET /v1/recalls/{id}": Call("admin", lambda t: f"/v1/recalls/{t.recall}"),
    "GET /v1/graph": Call("read", lambda t: "/v1/graph", query=lambda t: {"name": "Ada", **_namespace(t)}, outside=403),
    "GET /v1/matching": Call(
        "read", lambda t: "/v1/matching", query=lambda t: {"words": t.secret, **_namespace(t)}, outside=403
    ),
    "POST /v1/change": Call("write", lambda t: "/v1/change", lambda t: {"ids": [t.one], "action": "forget"}),
    "GET /v1/export": Call("admin", lambda t: "/v1/export", query=_namespace, outside=403),
    "POST /v1/keys": by_place("admin", "/v1/keys", lambda t: {"name": new_id(), "role": "read", **_namespace(t)}),
}

WITHOUT_A_TARGET = {
    "GET /v1/audit": "admin",
    "GET /v1/changes": "admin",
    "GET /v1/namespaces": "read",
    "GET /v1/recipes": "read",
    "GET /v1/recipes/{name}": "read",
    "GET /v1/session": "read",
    "DELETE /v1/session": "read",
    "GET /metrics": "admin",
    "GET /v1/keys": "admin",
}
"""They name neither an id nor a namespace."""
UPKEEP = {"DELETE /v1/keys/{id}", "POST /v1/import", "POST /v1/check", "GET /v1/backups", "POST /v1/backups"}
JOB = "GET /v1/jobs/{id}"
"""Keys, files and the store as a whole: test_upkeep.py has what each answers."""
WITHOUT_A_KEY = {
    "POST /v1/session",
    "GET /healthz",
    "GET /readyz",
    "GET /openapi.json",
    "GET /docs",
    "GET /open",
    "GET /",
}
ELSEWHERE = {"/mcp", "/inspector"}
"""The tools have a matrix of their own; the page's files are the same for everybody."""


def routes(app: FastAPI) -> set[str]:
    found = set()
    for route in app.routes:
        inside = getattr(getattr(route, "original_router", None), "routes", [route])
        for each in inside:
            methods = (getattr(each, "methods", None) or {""}) - {"HEAD"}
            found |= {f"{method} {each.path}".strip() for method in methods}
    return found


def test_every_route_is_in_the_matrix(server):
    assert routes(server.app) == CALLS.keys() | WITHOUT_A_TARGET.keys() | UPKEEP | {JOB} | WITHOUT_A_KEY | ELSEWHERE


@pytest.fixture
def target(server):
    """Makes a target in a namespace, as its owner would."""

    def make(namespace: str) -> Target:
        mind, secret = server.mind.acting(actor="owner", namespace=namespace), f"secret {new_id()}"
        one = mind.remember(f"the {secret} is one", dedup=False)
        two = mind.remember(f"the {secret} is two", dedup=False)
        mind.link(one.id, two.id, "related")
        mind.update(one.id, importance=0.4)
        recall = mind.recall(secret, recipe="bm25", limit=2)
        return Target(namespace, secret, one.id, two.id, mind.history(one.id)[-1].id, recall.id)

    return make


@pytest.fixture(params=PLACES, scope="module")
def place(request):
    return request.param


@pytest.fixture(params=ROLES, scope="module")
def role(request):
    return request.param


def ask(server, name: str, target: Target, role: str):
    call = CALLS[name]
    method = name.split()[0]
    key = server.key(role, HOME)
    return server.ask(method, call.path(target), call.body(target), query=call.query(target), key=key)


def look(server, target: Target) -> Any:
    """Everything the owner knows of a target."""
    found = server.mind.store.get([target.one, target.two])
    return found, server.mind.store.events(memory_id=target.one), server.mind.store.recalls(id=target.recall)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_reaches_what_its_role_and_namespace_allow_and_nothing_else(server, target, name, role, place):
    call, wanted = CALLS[name], target(PLACES[place])
    call.prepare(server.mind, wanted)
    before = look(server, wanted)
    said = ask(server, name, wanted, role)
    if ROLES.index(role) < ROLES.index(call.role):
        assert said.status == 403, said.body
        assert look(server, wanted) == before
    elif place in INSIDE:
        assert said.status in call.inside, said.body
    else:
        assert said.status == call.outside, said.body
        assert look(server, wanted) == before
        assert wanted.secret not in said.body.decode()


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.outside == 404])
@pytest.mark.parametrize("there", ["parent", "sibling", "foreign"])
def test_an_id_outside_answers_like_an_unknown_id(server, target, name, there):
    wanted = target(PLACES[there])
    CALLS[name].prepare(server.mind, wanted)
    never = Target(wanted.namespace, wanted.secret, new_id(), new_id(), new_id(), new_id())
    outside, unknown = ask(server, name, wanted, "admin"), ask(server, name, never, "admin")
    assert outside.status == unknown.status == 404
    assert _without_ids(outside, wanted) == _without_ids(unknown, never)
    assert {name.lower() for name in outside.headers} == {name.lower() for name in unknown.headers}


def _without_ids(said, target: Target) -> str:
    text = said.body.decode()
    for known in (target.one, target.two, target.event, target.recall):
        text = text.replace(known, "ID")
    return text


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.outside == 403])
@pytest.mark.parametrize("there", ["parent", "sibling", "foreign"])
def test_a_namespace_outside_is_refused_whether_it_exists_or_not(server, target, name, there):
    wanted = target(PLACES[there])
    never = Target(f"nobody-{new_id()}", wanted.secret, wanted.one, wanted.two, wanted.event, wanted.recall)
    there, nowhere = ask(server, name, wanted, "admin"), ask(server, name, never, "admin")
    assert there.status == nowhere.status == 403
    assert there.body == nowhere.body


@pytest.mark.parametrize("name, needed", WITHOUT_A_TARGET.items())
def test_without_a_namespace_only_the_keys_own_is_shown(server, target, name, needed, role):
    outside = [target(PLACES[place]) for place in ("parent", "sibling", "foreign")]
    method, path = name.replace("{name}", "default").split()
    said = server.ask(method, path, key=server.key(role, HOME))
    assert said.status == (200 if ROLES.index(role) >= ROLES.index(needed) else 403)
    shown = said.body.decode()
    for hidden in outside:
        for known in (hidden.secret, hidden.one, hidden.recall, hidden.event):
            assert known not in shown
    assert "globex" not in shown and "adam" not in shown


@pytest.mark.parametrize(
    "path", ["/v1/stats", "/v1/namespaces", "/v1/memories", "/v1/audit", "/v1/changes", "/v1/profile?at=2100-01-01"]
)
def test_no_count_changes_when_something_happens_outside(server, target, path):
    target(HOME)
    key = server.key("admin", HOME)
    before = server.ask("GET", path, key=key).json
    for place in ("parent", "sibling", "foreign"):
        target(PLACES[place])
    assert server.ask("GET", path, key=key).json == before


def test_no_metric_changes_when_something_happens_outside(server, target):
    key, foreign = server.key("admin", HOME), server.key("admin", "globex")

    def figures():
        lines = server.ask("GET", "/metrics", key=key).body.decode().splitlines()
        return {line for line in lines if "/metrics" not in line}

    figures()
    before = figures()
    target("globex")
    server.ask("POST", "/v1/recall", {"query": "anything"}, key=foreign)
    server.ask("POST", "/v1/memories", {"text": "something new"}, key=foreign)
    server.ask("GET", "/v1/nope", key=None)
    assert figures() == before


@pytest.mark.parametrize("name", [*CALLS, *WITHOUT_A_TARGET, *UPKEEP, JOB])
def test_nothing_is_answered_without_a_key(server, target, name):
    method, path = name.split()
    path = path.replace("{id}", new_id()).replace("{other}", new_id()).replace("{name}", "default")
    assert server.ask(method, path, key=None).status == 401


def test_a_link_that_leads_outside_is_left_out(server, target):
    inside, outside = target(HOME), target("globex")
    server.mind.link(inside.one, outside.one, "related")
    said = server.ask("GET", f"/v1/memories/{inside.one}/links", key=server.key("read", HOME))
    assert outside.one not in said.body.decode()
    history = server.ask("GET", f"/v1/memories/{inside.one}/history", key=server.key("read", HOME))
    assert outside.one not in history.body.decode()


def test_a_list_in_a_body_can_not_name_a_namespace_outside(server, target):
    outside = target("globex")
    key = server.key("admin", HOME)
    for path in ("/v1/forget", "/v1/archive", "/v1/purge"):
        said = server.ask("POST", path, {"namespaces": [HOME, "globex"]}, key=key)
        assert said.status == 403
        assert server.ask("POST", path, {"id": outside.one}, key=key).status == 404
    assert server.ask("POST", "/v1/context", {"query": "a", "team": "globex"}, key=key).status == 403
    assert server.ask("POST", "/v1/context", {"query": "a", "team": "acme"}, key=key).status == 403
    items = {"items": [{"text": "fine"}, {"text": "not fine", "namespace": "globex"}]}
    before = server.mind.stats(HOME).memories
    assert server.ask("POST", "/v1/memories/batch", items, key=key).status == 403
    assert server.mind.stats(HOME).memories == before
    one = target(HOME)
    for tail, body in (("links", {"to": outside.one}), ("supersede", {"by": outside.one})):
        assert server.ask("POST", f"/v1/memories/{one.one}/{tail}", body, key=key).status == 404
    for given in ({"from": HOME, "to": "globex/x"}, {"from": "globex", "to": f"{HOME}/x"}):
        assert server.ask("POST", "/v1/namespaces/move", given, key=key).status == 403


def test_purging_by_id_takes_an_admin(server, target):
    for role, status in (("read", 403), ("write", 403), ("admin", 200)):
        one = target(HOME)
        said = server.ask("DELETE", f"/v1/memories/{one.one}", query={"purge": "true"}, key=server.key(role, HOME))
        assert said.status == status
        assert bool(server.mind.store.get([one.one])) == (status == 403)
