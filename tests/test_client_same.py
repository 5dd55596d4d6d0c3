"""The same calls at hand, awaited and over HTTP give the same values and raise the same errors."""

import asyncio
import re
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime, timedelta

import pytest
from rest_server import running_server

from recollect import AsyncRecollect, Client, Recollect, errors
from recollect.types import plain

AT = datetime(2023, 5, 20, 7, 34, 56, 123456, tzinfo=UTC)
LATER = AT + timedelta(days=40)
HOME = "acme/agents/ada"


# Three ways to the same memory --------------------------------------------------------------------


class Waiting:
    """Awaits each call of an AsyncRecollect."""

    def __init__(self, mind, runner):
        self._mind, self._runner = mind, runner

    def __getattr__(self, name):
        return lambda *args, **kwargs: self._runner.run(getattr(self._mind, name)(*args, **kwargs))


@contextmanager
def at_hand(path):
    with Recollect(path, embedder="hashing", namespace="acme") as mind:
        yield mind


@contextmanager
def awaited(path):
    with asyncio.Runner() as runner:
        mind = AsyncRecollect(path, embedder="hashing", namespace="acme")
        yield Waiting(mind, runner)
        runner.run(mind.close())


@contextmanager
def over_http(path):
    with at_hand(path) as mind, running_server(mind) as served, Client(served.url, key=served.key()) as client:
        yield client


@contextmanager
def with_the_keys_name(path):
    """At hand, for somebody who is called as the key is."""
    with at_hand(path) as mind:
        yield mind.acting(actor="key:admin user of acme")


WAYS = pytest.mark.parametrize(
    ("way", "like"), [(at_hand, at_hand), (awaited, at_hand), (over_http, with_the_keys_name)]
)


# What is told apart only by when and how long -----------------------------------------------------


def told(value):
    """A value in plain data: ids in the order of their first appearance, moments of this test run as `now`."""
    seen = {}

    def walk(value):
        if hasattr(value, "to_dict") and not hasattr(value, "recalls"):
            return walk(value.to_dict())
        if is_dataclass(value):
            return walk({name: getattr(value, name) for name in value.__dataclass_fields__})
        if isinstance(value, dict):
            return {walk(key): walk(each) for key, each in value.items() if key not in HOW_LONG}
        if isinstance(value, list | tuple):
            return [walk(each) for each in value]
        value = plain(value)
        if not isinstance(value, str):
            return value
        value = ID.sub(lambda id: seen.setdefault(id[0], f"id {len(seen)}"), value)
        return NOW.sub("now", value)

    return walk(value)


HOW_LONG = {"ms", "bytes"}
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
NOW = re.compile(rf"(?:{datetime.now(UTC):%Y-%m}|{datetime.now(UTC) + timedelta(days=1):%Y-%m})-\d\dT[\d:.]+Z")


# What is done -------------------------------------------------------------------------------------


def remembering(mind):
    first = mind.remember(
        "Ada prefers dark mode",
        kind="preference",
        tags=["ui", "東京"],
        entities=["Ada"],
        gist="dark mode",
        importance=0.7,
        confidence=0.9,
        metadata={"weights": [1.5, None, {"é": True}]},
        at=AT,
        occurred_at=AT - timedelta(days=1),
        expires_at="2030-01-01",
        source="chat",
        session_id="s1",
    )
    yield first
    yield mind.remember("Ada prefers dark mode", at=AT)
    yield mind.remember_many([{"text": "Grüße aus 東京 🗼", "at": AT}, {"text": "The ferry leaves at nine", "at": AT}])
    yield mind.get(first.id)
    yield mind.get(first.id)
    yield mind.update(first.id, text="Ada prefers light mode", expires_at=None, tags=())
    yield mind.update(first.id, metadata={"why": "glare"}, occurred_at=AT)
    yield mind.history(first.id)
    yield mind.undo(mind.history(first.id)[-1].id)
    yield mind.pin(first.id)
    yield mind.pin(first.id, pinned=False)
    yield mind.reinforce(first.id)


def recalling(mind):
    mind.remember_many([{"text": f"Ship {name} carries lamp oil to {name}", "at": AT} for name in NAMES])
    found = mind.recall("which ship carries oil to Oslo?", limit=3, at=LATER)
    assert found.hits[0].explanation.recompute() == pytest.approx(found.hits[0].score, rel=1e-12)
    assert "Oslo" in found.context()
    yield found
    yield mind.recall("which ship carries oil?", recipe="bm25", at=LATER, budget_tokens=40, track=False)
    yield mind.recall("quantum chromodynamics", at=LATER)
    near = mind.recall("which ship carries OIL-E208?", at=LATER)
    assert not near.hits and near.nearest and "probably not in memory; nearest:" in near.context()
    yield near
    yield mind.recall("lamp oil", at=LATER, since=AT, until=LATER, kinds=["fact"], where={"a": {"eq": 1}}, include=[])
    yield mind.feedback(found.id, used=[found.hits[0].memory.id], outcome="helped")
    yield mind.recalls(found.hits[0].memory.id)
    compared = mind.compare("oil to Oslo", ["bm25", "vector", "default"], at=LATER, limit=4)
    yield compared.recalls
    yield compared.to_dict()
    yield mind.assemble("oil to Oslo", budget_tokens=300, at=LATER)
    yield mind.assemble("where is OIL-E208?", budget_tokens=300, at=LATER)


NAMES = ["Oslo", "Bergen", "Lisbon", "Kobe", "Lagos"]


def listing(mind):
    mind.remember_many(
        [
            {
                "text": f"Tide {n} at {name}",
                "at": AT + timedelta(hours=n),
                "kind": "tide",
                "tags": ["sea", name],
                "metadata": {"high": n},
            }
            for n, name in enumerate(NAMES)
        ]
    )
    mind.remember("A note elsewhere", namespace=HOME, session_id="s1", at=AT)
    yield mind.list()
    yield mind.list(kinds=["tide"], tags=["sea"], limit=2)
    yield mind.list(since=AT + timedelta(hours=1), until="2023-05-20T10:00:00Z", namespace="acme")
    yield mind.list(namespace=HOME, session_id="s1", statuses=["active"], tiers=["searchable"], granularity="memory")
    yield mind.list(namespaces=[HOME, "acme/agents"], as_of=LATER)
    yield mind.list(where={"high": {"gt": 2}}, limit=5)
    yield mind.list(limit=2, after=mind.list(limit=2)[-1].id)
    yield mind.namespaces()
    yield mind.stats("acme")
    yield mind.growth("acme")
    yield mind.forget(kinds=["tide"], tags=["Oslo"], preview=True)
    yield mind.forget(kinds=["tide"], tags=["Oslo"])
    yield mind.list(statuses=["forgotten"])
    yield mind.restore(mind.list(statuses=["forgotten"])[0].id)
    one = mind.list(tags=["Kobe"])[0]
    yield mind.forget(one.id)
    yield mind.forget(one.id)
    yield mind.archive(tags=["Lagos"])
    yield mind.purge(one.id, preview=True)
    yield mind.purge(one.id)
    yield mind.history(one.id)
    yield mind.move(HOME, "acme/archive")
    yield mind.namespaces()


def linking(mind):
    a, b, c = mind.remember_many([{"text": text, "at": AT} for text in ("Ada lives in Lyon", "Ada moved", "It rains")])
    yield mind.link(a.id, b.id)
    yield mind.link(a.id, c.id, "caused_by", weight=0.25)
    yield mind.contradict(b.id, c.id)
    yield mind.neighbours(a.id)
    yield mind.unlink(a.id, c.id, "caused_by")
    yield mind.unlink(a.id, b.id)
    yield mind.supersede(a.id, b.id)
    yield mind.supersede(c.id, text="It snows", since=LATER)
    yield mind.neighbours(b.id)
    yield mind.history(a.id)


def ingesting(mind):
    talk = [
        {"role": "user", "content": "My name is Ada and I live in Lyon."},
        {"role": "assistant", "content": "Nice to meet you, Ada."},
    ]
    yield mind.ingest(talk, session_id="s1", at=AT)
    yield mind.ingest([*talk, {"role": "user", "content": "I moved to Oslo."}], session_id="s1", at=AT)
    again = {"messages": talk, "session_id": "s2", "at": AT}
    yield mind.ingest_many([again, {**again, "session_id": "s3"}], granularity="turn", namespace=HOME)
    yield mind.recall("where does Ada live?", granularity="session", at=LATER)
    yield mind.recall("where does Ada live?", namespaces=[HOME, "acme"], as_of=AT, at=LATER)


def profiling(mind):
    mind.ingest([{"role": "user", "content": "I live in Lyon. Bob prefers tea."}], session_id="s1", at=AT)
    mind.ingest([{"role": "user", "content": "I moved to Oslo."}], session_id="s2", at=LATER)
    mind.remember("I live in Kobe", namespace=HOME, at=AT)
    found = mind.profile(at=LATER)
    yield found
    yield mind.profile("me", namespace=HOME, at=LATER)
    yield mind.profile("bob", as_of=AT)
    yield mind.profile("nobody")
    former = next(each for statement in found.statements for each in statement.replaced if "live in Lyon" in each.text)
    mind.undo(former.event)
    yield mind.profile("user", at=LATER)
    yield refused(mind.profile, " ")
    yield refused(mind.profile, as_of="soon")


def tending(mind):
    mind.remember("The ferry leaves at nine", expires_at=AT + timedelta(days=1), at=AT)
    mind.remember_many([{"text": f"Ada takes her tea with lemon, cup {n}", "at": AT} for n in range(4)])
    yield mind.tend(at=LATER, preview=True)
    yield mind.decay(at=LATER)
    yield mind.consolidate(at=LATER, preview=True)
    yield mind.tend(at=LATER)
    yield mind.list()


def failing(mind):
    one = mind.remember("Ada prefers dark mode", at=AT)
    yield refused(mind.get, "nobody")
    yield refused(mind.get, "no body/../here")
    yield refused(mind.undo, "nobody")
    yield refused(mind.feedback, "nobody")
    yield refused(mind.restore, "nobody")
    yield refused(mind.move, "acme/nothing", "acme/else")
    yield refused(mind.move, "acme", "acme/else")
    yield refused(mind.link, one.id, one.id)
    yield refused(mind.forget)
    yield refused(mind.update, one.id, nonsense=1)
    yield refused(mind.recall, "x", recipe="defualt")
    yield refused(mind.recall, "x", namespace="acme", namespaces=["acme"])
    yield refused(mind.recall, "x", since=LATER, until=AT)
    yield refused(mind.list, limit=0)
    yield refused(mind.list, colour="blue")
    yield refused(mind.remember, "x", importance=2)
    yield refused(mind.remember, "  ")
    yield refused(mind.remember, "half \ud800")
    yield refused(mind.remember, "x", at="soon")
    mind.update(one.id, text="Ada prefers light mode")
    first = mind.history(one.id)[-1].id
    mind.update(one.id, text="Ada prefers no mode")
    yield refused(mind.undo, first)


def refused(call, *args, **kwargs):
    """Which branch of the tree of errors it is on."""
    with pytest.raises(errors.RecollectError) as caught:
        call(*args, **kwargs)
    return next(kind.__name__ for kind in type(caught.value).__mro__ if errors.RecollectError in kind.__bases__)


# --------------------------------------------------------------------------------------------------

SCENARIOS = [remembering, recalling, listing, linking, ingesting, profiling, tending, failing]


@WAYS
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_same_calls_give_the_same_values(scenario, way, like, tmp_path):
    with like(tmp_path / "expected.db") as mind:
        expected = [told(value) for value in scenario(mind)]
    with way(tmp_path / "agent.db") as mind:
        for n, value in enumerate(scenario(mind)):
            assert told(value) == expected[n], f"answer {n} of {scenario.__name__}"


def test_an_error_of_the_facade_comes_back_by_its_own_name(tmp_path):
    with over_http(tmp_path / "agent.db") as client, pytest.raises(errors.UnknownName, match="did you mean 'default'"):
        client.recall("dark mode", recipe="defualt")


@WAYS
def test_values_are_of_the_same_types(way, like, tmp_path):
    with like(tmp_path / "expected.db") as mind:
        expected = [
            (type(value), value) for scenario in (remembering, linking, profiling, tending) for value in scenario(mind)
        ]
    with way(tmp_path / "agent.db") as mind:
        found = [value for scenario in (remembering, linking, profiling, tending) for value in scenario(mind)]
    assert [type(value) for value in found] == [kind for kind, _ in expected]
    for value, (_, other) in zip(found, expected, strict=True):
        if is_dataclass(value):
            assert types(asdict(value)) == types(asdict(other))


def types(value):
    if isinstance(value, dict):
        # an event says what a field was as its log does, or as the field itself does
        return {key: types(each) for key, each in value.items() if key != "before"}
    if isinstance(value, list | tuple):
        return type(value), [types(each) for each in value]
    return type(value)
