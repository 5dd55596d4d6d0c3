"""Every call of Access × every role × every namespace: nobody sees, changes or infers what is outside their scope.

The store holds the same few memories in six namespaces, connected by links, events, recalls and a move.
"""

import json
import shutil
from dataclasses import dataclass

import pytest
from inspect_store import everything

from recollect import Recollect
from recollect.errors import Forbidden, NotFound
from recollect.namespaces import is_within
from recollect.serve.access import OUTSIDE, Access
from recollect.serve.scope import ROLES, Caller, Scope
from recollect.types import Filter, plain

OWN = "acme/agents/ada"
PLACES = {
    "own": OWN,
    "below": f"{OWN}/notes",
    "parent": "acme/agents",
    "sibling": "acme/agents/bob",
    "lookalike": "acme/agents/adam",
    "foreign": "globex/agents/ada",
}
INSIDE = ("own", "below")
OUTSIDE_PLACES = tuple(place for place in PLACES if place not in INSIDE)
NEVER = "01900000-0000-7000-8000-000000000000"


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a call can refer to in one namespace."""

    namespace: str
    a: str
    b: str
    gone: str
    """Forgotten."""
    event: str
    recall: str


NOWHERE = Target(namespace="nobody/nowhere", a=NEVER, b=NEVER, gone=NEVER, event=NEVER, recall=NEVER)

CALLS = {
    "remember": ("write", lambda access, t: access.remember("Tea is at four", namespace=t.namespace)),
    "remember_many": ("write", lambda access, t: access.remember_many([{"text": "Tea", "namespace": t.namespace}])),
    "ingest": ("write", lambda access, t: access.ingest([_said("I like tea")], namespace=t.namespace)),
    "ingest_many": (
        "write",
        lambda access, t: access.ingest_many([{"messages": [_said("I like tea")]}], namespace=t.namespace),
    ),
    "recall": ("read", lambda access, t: access.recall("zebra parade", namespaces=[t.namespace], limit=50)),
    "compare": ("read", lambda access, t: access.compare("zebra parade", ["bm25"], namespace=t.namespace)),
    "assemble": ("read", lambda access, t: access.assemble("zebra parade", namespace=t.namespace)),
    "profile": ("read", lambda access, t: access.profile(namespace=t.namespace)),
    "sessions": ("read", lambda access, t: access.sessions(namespace=t.namespace)),
    "conversation": ("read", lambda access, t: access.conversation("talk", namespace=t.namespace)),
    "recipes": ("read", None),
    "recipe": ("read", None),
    "feedback": ("write", lambda access, t: access.feedback(t.recall, [], "helped")),
    "get": ("read", lambda access, t: access.get(t.a)),
    "list": ("read", lambda access, t: access.list(namespace=t.namespace, statuses=["active", "forgotten"])),
    "update": ("write", lambda access, t: access.update(t.a, text="Tea is at five")),
    "forget": ("write", lambda access, t: access.forget(t.a)),
    "purge": ("admin", lambda access, t: access.purge(t.a)),
    "archive": ("write", lambda access, t: access.archive(t.a)),
    "restore": ("write", lambda access, t: access.restore(t.gone)),
    "pin": ("write", lambda access, t: access.pin(t.a)),
    "reinforce": ("write", lambda access, t: access.reinforce(t.a)),
    "supersede": ("write", lambda access, t: access.supersede(t.a, t.b)),
    "contradict": ("write", lambda access, t: access.contradict(t.a, t.b)),
    "link": ("write", lambda access, t: access.link(t.a, t.b, "supports")),
    "unlink": ("write", lambda access, t: access.unlink(t.a, t.b)),
    "neighbours": ("read", lambda access, t: access.neighbours(t.a)),
    "history": ("read", lambda access, t: access.history(t.a)),
    "recalls": ("read", lambda access, t: access.recalls(t.a)),
    "undo": ("write", lambda access, t: access.undo(t.event)),
    "event": ("read", lambda access, t: access.event(t.event)),
    "audit": ("admin", None),
    "changes": ("admin", None),
    "tend": ("admin", lambda access, t: access.tend(namespace=t.namespace)),
    "decay": ("admin", lambda access, t: access.decay(namespace=t.namespace, at="2100-01-01", force=True)),
    "consolidate": ("admin", lambda access, t: access.consolidate(namespace=t.namespace)),
    "move": ("admin", lambda access, t: access.move(_movable(t), f"{OWN}/elsewhere")),
    "namespaces": ("read", None),
    "stats": ("read", lambda access, t: access.stats(t.namespace)),
    "growth": ("read", lambda access, t: access.growth(t.namespace)),
    "recall_log": ("read", lambda access, t: access.recall_log(namespace=t.namespace)),
    "recall_days": ("read", lambda access, t: access.recall_days(namespace=t.namespace)),
    "logged_recall": ("admin", lambda access, t: access.logged_recall(t.recall)),
    "graph": ("read", lambda access, t: access.graph("Zebra", namespace=t.namespace)),
    "matching": ("read", lambda access, t: access.matching("zebra", namespace=t.namespace)),
    "change_many": ("write", lambda access, t: access.change_many([t.a], "forget")),
    "export_lines": ("admin", lambda access, t: list(access.export_lines(t.namespace))),
    "known": ("read", None),
}
"""Call → the role it needs, and how to call it for a namespace; None where it takes none."""
AIMED = {name: call for name, (_, call) in CALLS.items() if call is not None}

# Ways to name a namespace that the calls above leave out.
ALSO = {
    "recall by namespace": ("read", lambda access, t: access.recall("zebra", namespace=t.namespace)),
    "recall beside one's own": ("read", lambda access, t: access.recall("zebra", namespaces=[OWN, t.namespace])),
    "compare several": ("read", lambda access, t: access.compare("zebra", namespaces=[t.namespace])),
    "a team's context": ("read", lambda access, t: access.assemble("zebra", team=t.namespace)),
    "a profile by name": ("read", lambda access, t: access.profile("Zebra", namespace=t.namespace)),
    "a page after an id outside": ("read", lambda access, t: access.list(after=t.a)),
    "several to list": ("read", lambda access, t: access.list(namespaces=[t.namespace])),
    "forget by filter": ("write", lambda access, t: access.forget(namespace=t.namespace)),
    "preview": ("write", lambda access, t: access.forget(namespace=t.namespace, preview=True)),
    "purge by filter": ("admin", lambda access, t: access.purge(namespaces=[t.namespace])),
    "archive by filter": ("write", lambda access, t: access.archive(namespace=t.namespace)),
    "link to": ("write", lambda access, t: access.link(MINE["own"].a, t.a)),
    "link from": ("write", lambda access, t: access.link(t.a, MINE["own"].a)),
    "supersede mine": ("write", lambda access, t: access.supersede(MINE["own"].a, t.a)),
    "unlink from": ("write", lambda access, t: access.unlink(MINE["own"].a, t.a)),
    "move out": ("admin", lambda access, t: access.move(f"{OWN}/notes", t.namespace)),
    "the last of a batch": (
        "write",
        lambda access, t: access.remember_many([{"text": "Tea"}, {"text": "Tea", "namespace": t.namespace}]),
    ),
}
MINE: dict[str, Target] = {}


def _movable(target):
    """A namespace can't be moved into itself, and only the owner moves what the owner pinned."""
    return f"{target.namespace}/came" if target.namespace in (OWN, PLACES["below"]) else target.namespace


def _said(text):
    return {"role": "user", "content": text}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A store to copy for each test."""
    path = tmp_path_factory.mktemp("world") / "world.db"
    with Recollect(path, embedder="hashing") as mind:
        MINE.update({place: _furnish(mind, place, namespace) for place, namespace in PLACES.items()})
        for place in ("below", *OUTSIDE_PLACES):
            mind.link(MINE["own"].a, MINE[place].a)
        mind.contradict(MINE["sibling"].b, MINE["own"].b)
        wide = mind.acting(actor="key:wide")
        wide.recall("zebra parade", namespaces=["acme/agents", OWN, "globex"], limit=50)
        wide.recall("zebra parade", namespace="acme", limit=50)
        mind.remember("A zebra parade that came from bob", namespace="acme/agents/bob/gone")
        mind.move("acme/agents/bob/gone", f"{OWN}/came")
        mind.remember("A zebra parade that may go", namespace=f"{PLACES['below']}/came")
        mind.decay(namespace="acme", at="2099-01-01", force=True)
    return path


def _furnish(mind, place, namespace):
    owner = mind.acting(actor=f"key:{place}", namespace=namespace)
    a = owner.remember(f"The zebra parade of {place} is on Monday", tags=[f"tag-{place}"])
    b = owner.remember(f"Something else about {place}, a zebra stable", dedup=False)
    gone = owner.remember(f"Old news of {place}", dedup=False)
    owner.forget(gone.id)
    owner.ingest([{"role": "assistant", "content": f"How is {place} today?"}], session_id="talk")
    owner.pin(b.id)
    owner.link(a.id, b.id, "related")
    owner.update(a.id, importance=0.6)
    recall = owner.recall("zebra parade", limit=50)
    return Target(namespace=namespace, a=a.id, b=b.id, gone=gone.id, event=owner.history(a.id)[-1].id, recall=recall.id)


@pytest.fixture
def mind(template, tmp_path):
    path = tmp_path / "world.db"
    shutil.copy(template, path)
    with Recollect(path, embedder="hashing") as opened:
        yield opened


def access(mind, role, namespace=OWN):
    return Access(mind, Caller(name="key:ada", scope=Scope(namespace=namespace, role=role)))


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except (Forbidden, NotFound) as error:
        return error


def shown(value):
    """Everything a caller gets to see, as text."""
    if hasattr(value, "to_dict"):
        return json.dumps(value.to_dict(), ensure_ascii=False, default=str)
    if isinstance(value, dict):
        return json.dumps({str(key): shown(part) for key, part in value.items()}, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return json.dumps([shown(part) for part in value], ensure_ascii=False)
    return json.dumps(plain(value), default=repr, ensure_ascii=False)


def traces(place):
    """What must not be shown of a namespace: its ids, its texts, its callers."""
    target = MINE[place]
    return [
        target.a,
        target.b,
        target.gone,
        target.event,
        target.recall,
        f"of {place} ",
        f"tag-{place}",
        f"key:{place}",
    ]


def leaks(value):
    text = shown(value)
    return [trace for place in OUTSIDE_PLACES for trace in traces(place) if trace in text]


def test_every_call_is_in_the_matrix():
    assert {name for name in vars(Access) if not name.startswith("_")} == CALLS.keys()


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", CALLS)
def test_a_call_needs_its_role(mind, name, role):
    needed, call = CALLS[name]
    before = everything(mind.url)
    found = outcome(call or _unaimed(name), access(mind, role), MINE["own"])
    if ROLES.index(role) < ROLES.index(needed):
        assert isinstance(found, Forbidden) and needed in str(found)
        assert everything(mind.url) == before
    else:
        assert not isinstance(found, Exception)


def _unaimed(name):
    arguments = {"recipe": ("bm25",)}.get(name, ())
    return lambda access, t: getattr(access, name)(*arguments)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("place", OUTSIDE_PLACES)
@pytest.mark.parametrize("name", [*AIMED, *ALSO])
def test_what_is_outside_answers_like_what_does_not_exist(mind, name, place, role):
    needed, call = {**CALLS, **ALSO}[name]
    before = everything(mind.url)
    found = outcome(call, access(mind, role), MINE[place])
    never = outcome(call, access(mind, role), NOWHERE)
    assert isinstance(found, Forbidden | NotFound) and type(found) is type(never)
    assert _anonymous(found, MINE[place]) == _anonymous(never, NOWHERE)
    if ROLES.index(role) < ROLES.index(needed):
        assert needed in str(found)
    elif isinstance(found, Forbidden):
        assert str(found) == OUTSIDE
    assert everything(mind.url) == before


def _anonymous(error, target):
    text = str(error)
    for id in (target.a, target.b, target.gone, target.event, target.recall):
        text = text.replace(id, "ID")
    return text


@pytest.mark.parametrize("place", INSIDE)
@pytest.mark.parametrize("name", CALLS)
def test_what_a_caller_may_do_shows_nothing_from_outside(mind, name, place):
    found = (CALLS[name][1] or _unaimed(name))(access(mind, "admin"), MINE[place])
    assert leaks(found) == []


@pytest.mark.parametrize("place", INSIDE)
@pytest.mark.parametrize("name", CALLS)
def test_what_a_caller_may_do_changes_nothing_outside(mind, name, place):
    outside = [MINE[other] for other in OUTSIDE_PLACES]
    ids = [id for target in outside for id in (target.a, target.b, target.gone)]
    before = mind.store.get(ids)
    (CALLS[name][1] or _unaimed(name))(access(mind, "admin"), MINE[place])
    assert mind.store.get(ids) == before


@pytest.mark.parametrize("namespace", [path for place, path in PLACES.items() if place not in ("below", "parent")])
def test_counts_do_not_depend_on_other_namespaces(mind, template, tmp_path, namespace):
    alone = tmp_path / "alone.db"
    shutil.copy(template, alone)
    with Recollect(alone, embedder="hashing") as other:
        for memory in other.store.scan(Filter()):
            if not is_within(memory.namespace, namespace):
                other.purge(memory.id)
        there, here = access(other, "admin", namespace), access(mind, "admin", namespace)
        for figures in (Access.namespaces, Access.growth, Access.stats):
            assert figures(here) == figures(there)


def test_the_history_of_a_moved_memory_begins_with_the_move(mind):
    (moved,) = access(mind, "read").list(namespace=f"{OWN}/came")
    events = access(mind, "read").history(moved.id)
    assert [event.action for event in events] == ["move"]
    assert "bob" not in shown(events)
    with pytest.raises(NotFound):
        access(mind, "admin").undo(events[0].id)


def test_an_event_that_changed_something_outside_can_not_be_undone(mind):
    (linked,) = [
        event
        for event in mind.history(MINE["sibling"].b)
        if event.detail.get("linked", [[0, 0]])[0][1] == MINE["own"].b
    ]
    with pytest.raises(NotFound, match="no event has the id"):
        access(mind, "admin").undo(linked.id)


def test_a_recall_with_hits_outside_takes_no_feedback(mind):
    wide = mind.recall("zebra parade", namespaces=[OWN, "acme/agents/bob"], limit=50)
    with pytest.raises(NotFound, match="no recall has the id"):
        access(mind, "write").feedback(wide.id, [MINE["own"].a])


def test_a_recall_whose_hits_moved_out_takes_no_feedback(mind):
    found = access(mind, "read").recall("zebra parade", namespace=f"{OWN}/came")
    mind.move(f"{OWN}/came", "globex/went")
    with pytest.raises(NotFound, match="no recall has the id"):
        access(mind, "write").feedback(found.id)


def test_a_recall_across_namespaces_is_visible_only_to_their_common_parent(mind):
    wide = mind.recall("zebra parade", namespaces=[OWN, "acme/agents/bob"], limit=50)
    assert wide.id not in shown(access(mind, "admin").recalls(MINE["own"].a))
    assert wide.id not in shown(access(mind, "admin").audit(limit=1000))
    assert wide.id in shown(access(mind, "admin", "acme/agents").audit(limit=1000))


def test_what_happened_to_many_namespaces_at_once_is_not_in_the_audit_of_one(mind):
    assert "decay" not in {entry.action for entry in access(mind, "admin").audit(limit=1000)}
    assert "decay" in {entry.action for entry in access(mind, "admin", "acme").audit(limit=1000)}


def test_recalls_of_a_parent_namespace_are_not_shown_below(mind):
    asked = {recall.actor for recall in access(mind, "read").recalls(MINE["own"].a)}
    assert asked == {"key:own"}
    assert {recall.actor for recall in access(mind, "read", "acme").recalls(MINE["own"].a)} >= {"key:own", "key:wide"}


def test_a_context_has_no_pinned_memories_of_a_parent_namespace(mind):
    assert "of parent" not in access(mind, "read").assemble("zebra").text
    assert "about parent" not in access(mind, "read").assemble("zebra").text
    assert "about parent" in mind.assemble("zebra", namespace=OWN).text


def test_the_audit_says_who_wrote_and_who_asked(mind):
    entries = access(mind, "admin").audit(limit=1000)
    assert {"remember", "link", "pin", "update", "forget", "recall"} - {"pin"} <= {entry.action for entry in entries}
    assert {entry.actor for entry in entries if entry.action == "recall"} == {"key:own", "key:below"}
    assert [entry.id for entry in entries] == sorted((entry.id for entry in entries), reverse=True)


def test_the_audit_comes_in_pages(mind):
    at = access(mind, "admin")
    whole, paged, after = at.audit(limit=1000), [], None
    while page := at.audit(limit=3, after=after):
        paged += page
        after = page[-1].id
    assert paged == whole and len(whole) > 6
