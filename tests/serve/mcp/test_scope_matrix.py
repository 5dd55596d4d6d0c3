"""Every tool × every role × every namespace: nobody sees or changes what is outside their scope."""

import asyncio
import json
from collections import Counter
from itertools import count

import pytest
from mcp import Client, MCPError

from recollect import Recollect
from recollect.ids import new_id
from recollect.serve.mcp.server import TOOLS, Backend, build
from recollect.serve.scope import ROLES, Caller, Scope

OWN, BELOW = "acme/ada", "acme/ada/notes"
OUTSIDE = {"parent": "acme", "sibling": "acme/adam", "foreign": "globex"}
NOWHERE = "acme/nowhere"
WORDS = {
    OWN: "marigold",
    BELOW: "lavender",
    "acme": "foxglove",
    "acme/adam": "hemlock",
    "globex": "belladonna",
}
READING = {"recall", "get", "list", "context", "profile", "compare", "stats"}


class World:
    """The same memories in every namespace, linked across namespaces as far as the façade allows the owner."""

    def __init__(self, mind):
        self.mind = mind
        self.ids = {place: self._one(place, word) for place, word in WORDS.items()}
        self.recalls = {place: mind.recall(f"which {word}?", namespace=place).id for place, word in WORDS.items()}
        for place in OUTSIDE.values():
            mind.link(self.ids[OWN], self.ids[place], "supports")
            mind.pin(self._one(place, f"pinned {WORDS[place]}"))
        self.hidden = {id for place in OUTSIDE.values() for id in self._all(place)}
        self.hidden |= {WORDS[place] for place in OUTSIDE.values()} | {self.recalls[p] for p in OUTSIDE.values()}
        self.hidden |= {"adam", "globex"}

    def _one(self, place, word):
        said = [{"role": "user", "content": f"My favourite flower is the {word}."}]
        self.mind.ingest(said, namespace=place, session_id="shared")
        return self.mind.remember(f"The {word} stands in the shed", namespace=place, tags=[word]).id

    def _all(self, place):
        return [memory.id for memory in self.mind.list(namespaces=[place]) if memory.namespace == place]

    def state(self, places):
        """The whole content of these namespaces."""
        rows = [memory for memory in self.mind.list(namespaces=list(places)) if memory.namespace in places]
        links = [link.to_dict() for memory in rows for link, _ in self.mind.neighbours(memory.id)]
        events = [event.id for memory in rows for event in self.mind.history(memory.id)]
        return json.dumps([[memory.to_dict() for memory in rows], sorted(map(str, links)), sorted(events)])


@pytest.fixture
def world(path):
    with Recollect(path, embedder="hashing") as mind:
        yield World(mind)


def by_place(place):
    """Calls that name a namespace."""
    yield "remember", {"text": "The shed is green", "namespace": place}
    yield "recall", {"query": "flower in the shed", "limit": 50, "namespace": place, "explain": True}
    yield "context", {"query": "flower in the shed", "namespace": place}
    yield "profile", {"namespace": place}
    yield "profile", {"subject": "hemlock", "namespace": place}
    yield "compare", {"query": "flower in the shed", "limit": 50, "namespace": place}
    yield "ingest", {"messages": [{"role": "user", "content": "I like flowers."}], "namespace": place}
    yield "list", {"namespace": place, "limit": 100}
    yield "stats", {"namespace": place}


def by_id(id, own, recall, own_recall):
    """Calls that name a memory or a recall."""
    yield "get", {"id": id, "links": True}
    yield "update", {"id": id, "text": "The shed is empty"}
    yield "update", {"id": id, "tier": "pinned"}
    yield "forget", {"id": id}
    yield "forget", {"id": id, "restore": True}
    yield "link", {"a": id, "b": own}
    yield "link", {"a": own, "b": id}
    yield "link", {"a": own, "b": id, "kind": "supports", "remove": True}
    yield "supersede", {"old": id, "text": "There is another flower"}
    yield "supersede", {"old": id, "new": own}
    yield "supersede", {"old": own, "new": id}
    yield "feedback", {"recall_id": recall, "used": [id], "outcome": "helped"}
    yield "feedback", {"recall_id": own_recall, "used": [id]}


INSIDE = [
    ("recall", {"query": "flower in the shed", "limit": 50, "include": ["superseded", "archived"]}),
    ("recall", {"query": "foxglove hemlock belladonna", "limit": 50}),
    ("recall", {"query": "favourite flower", "granularity": "session", "session_id": "shared", "explain": True}),
    ("recall", {"query": "flower", "tags": ["hemlock"]}),
    ("recall", {"query": "flower", "recipe": "memx", "limit": 50, "explain": True}),
    ("context", {"query": "favourite flower in the shed", "budget_tokens": 50_000}),
    ("compare", {"query": "foxglove hemlock belladonna", "limit": 50}),
    ("profile", {}),
    ("profile", {"subject": "hemlock"}),
    ("profile", {"as_of": "2100-01-01"}),
    ("stats", {}),
    ("remember", {"text": "The hemlock stands in the shed"}),
    ("remember", {"text": "The belladonna stands in the shed"}),
    (
        "ingest",
        {"messages": [{"role": "user", "content": "My favourite flower is the hemlock."}], "session_id": "shared"},
    ),
]


def asked(mind, role, calls):
    """What a caller of that role gets for each call, as text."""

    async def run():
        caller = Caller(name="key:test", scope=Scope(namespace=OWN, role=role))
        async with Client(build(Backend(lambda: mind, lambda ctx: caller))) as client:
            return [(name, arguments, await client.call_tool(name, arguments)) for name, arguments in calls]

    return asyncio.run(run())


def said(answer):
    return json.dumps([[block.text for block in answer.content], answer.structured_content], ensure_ascii=False)


def without(text, arguments):
    """The answer without the caller's own words."""
    for value in arguments.values():
        for word in value if isinstance(value, list) else [value]:
            text = text.replace(str(word), "…")
    return text


def test_the_calls_cover_every_tool():
    called = {name for name, _ in [*by_place(OWN), *by_id("", "", "", ""), *INSIDE]}
    assert called == TOOLS.keys() and len(TOOLS) <= 14


@pytest.mark.parametrize("where", OUTSIDE)
@pytest.mark.parametrize("role", ROLES)
def test_what_is_outside_answers_like_what_does_not_exist(role, where, world):
    place, own = OUTSIDE[where], world.ids[OWN]
    outside, inside = world.state(OUTSIDE.values()), world.state([OWN, BELOW])
    never, unheard = new_id(), new_id()
    real = [*by_id(world.ids[place], own, world.recalls[place], world.recalls[OWN]), *by_place(place)]
    twins = [*by_id(never, own, unheard, world.recalls[OWN]), *by_place(NOWHERE)]
    for got, twin in zip(asked(world.mind, role, real), asked(world.mind, role, twins), strict=True):
        assert got[2].is_error and twin[2].is_error, got
        assert without(said(got[2]), got[1]) == without(said(twin[2]), twin[1])
    assert world.state(OUTSIDE.values()) == outside
    if role == "read":
        assert world.state([OWN, BELOW]) == inside


@pytest.mark.parametrize("role", ROLES)
def test_answers_show_nothing_from_outside(role, world):
    outside = world.state(OUTSIDE.values())
    own = [call for id in (world.ids[OWN], world.ids[BELOW]) for call in _on_own(world, id)]
    for name, arguments, answer in asked(world.mind, role, [*own, *by_place(OWN), *by_place(BELOW), *INSIDE]):
        assert answer.is_error == (role == "read" and name not in READING), (name, arguments, said(answer))
        shown = without(said(answer), arguments)
        assert not [word for word in world.hidden if word in shown], (name, arguments, shown)
    assert world.state(OUTSIDE.values()) == outside


def _on_own(world, id):
    other = world.ids[BELOW if id == world.ids[OWN] else OWN]
    recall = next(recall for place, recall in world.recalls.items() if world.ids[place] == id)
    yield "get", {"id": id, "links": True}
    yield "link", {"a": id, "b": other}
    yield "link", {"a": id, "b": other, "remove": True}
    yield "feedback", {"recall_id": recall, "used": [id], "outcome": "helped"}
    yield "update", {"id": id, "importance": 0.9}
    yield "supersede", {"old": id, "text": "There is another flower now"}
    yield "forget", {"id": id}
    yield "forget", {"id": id, "restore": True}


def test_counts_cover_only_the_callers_namespace(world):
    counts = asked(world.mind, "read", [("stats", {})])[0][2].structured_content
    held = world.mind.list(namespace=OWN)
    assert counts["memories"] == len(held)
    for name in ("status", "kind", "tier", "granularity"):
        assert counts[f"by_{name}"] == Counter(getattr(memory, name) for memory in held)


def test_resources_and_the_prompt_stay_inside(world):
    async def read(role="read"):
        caller = Caller(name="key:test", scope=Scope(namespace=OWN, role=role))
        async with Client(build(Backend(lambda: world.mind, lambda ctx: caller))) as client:
            shown = [await client.read_resource("recollect://pinned")]
            shown += [await client.read_resource(f"recollect://memory/{world.ids[place]}") for place in (OWN, BELOW)]
            shown += [await client.get_prompt("recall-before-answering", {"question": "flower in the shed?"})]
            refusals = []
            for id in (*(world.ids[place] for place in OUTSIDE.values()), never):
                with pytest.raises(MCPError) as refused:
                    await client.read_resource(f"recollect://memory/{id}")
                refusals.append(str(refused.value).replace(id, "…"))
            return shown, refusals

    never = new_id()
    shown, refusals = asyncio.run(read())
    text = "".join(each.model_dump_json() for each in shown)
    assert WORDS[OWN] in text and not [word for word in world.hidden if word in text]
    assert len(set(refusals)) == 1


def test_another_tenant_does_not_change_a_score(path, tmp_path):
    alone, crowded = (_scores(tmp_path / name, crowd) for name, crowd in (("alone.db", 0), ("crowded.db", 50)))
    assert alone == crowded


def _scores(path, crowd):
    with Recollect(path, embedder="hashing") as mind:
        for number, word in zip(count(), WORDS.values(), strict=False):
            mind.remember(f"The {word} stands in shed {number}", namespace=OWN, at="2026-01-01T00:00:00Z")
        mind.remember_many([{"text": f"A shed of {n} hemlocks", "namespace": "globex"} for n in range(crowd)])
        found = asked(mind, "read", [("recall", {"query": "hemlock in the shed", "as_of": "2026-02-01"})])[0][2]
        hits = found.structured_content["hits"]
        return [hit["score"] for hit in hits], found.structured_content["confidence"]
