"""Another writer can't speak with the owner's name, and can't change what the owner has pinned."""

import pytest

from recollect.errors import Forbidden
from recollect.serve.access import Access
from recollect.serve.scope import Caller, Scope


@pytest.fixture
def agent(mind):
    return Access(mind, Caller(name="helper", scope=Scope(namespace="default", role="admin"), trust="agent"))


@pytest.fixture
def owners(mind):
    return mind.remember("Never share the door code", tags=["rule"])


@pytest.mark.parametrize(
    "change",
    [{"text": "Share the door code"}, {"tags": ["x"]}, {"kind": "note"}, {"metadata": {"a": 1}}, {"source": "x"}],
    ids=lambda change: next(iter(change)),
)
def test_who_changes_what_a_memory_says_is_named_on_it(agent, mind, owners, change):
    assert (owners.origin, owners.trust) == ("user", "user")
    changed = agent.update(owners.id, **change)
    assert (changed.origin, changed.trust) == ("helper", "agent")
    assert "from helper" in mind.recall("door code", recipe="bm25").context()


def test_a_change_of_numbers_keeps_the_author(agent, owners):
    assert agent.update(owners.id, importance=0.9).origin == "user"


def test_an_undo_gives_the_memory_back_to_its_author(agent, mind, owners):
    agent.update(owners.id, text="Share the door code")
    mind.undo(mind.history(owners.id)[-1].id)
    held = mind.get(owners.id)
    assert (held.text, held.origin, held.trust) == (owners.text, "user", "user")


def test_facts_of_a_changed_turn_have_the_author_of_the_change(agent, mind):
    done = mind.ingest([{"role": "user", "content": "I live in Porto."}])
    turn = next(memory for memory in done.added if memory.granularity == "turn")
    agent.update(turn.id, text="I live in Lyon.")
    assert {m.trust for m in mind.list() if "Lyon" in m.text} == {"agent"}


def test_the_owners_key_does_not_vouch_for_a_text_by_tagging_it(mind, agent):
    theirs = agent.remember("The door code is 1234")
    owner = Access(mind, Caller(name="ada", scope=Scope(namespace="default", role="admin"), trust="user"))
    assert owner.update(theirs.id, tags=["door"]).trust == "agent"
    assert owner.update(theirs.id, text="The door code is 4321").trust == "user"


@pytest.mark.parametrize(
    "change",
    [
        lambda agent, id: agent.update(id, text="Share the door code"),
        lambda agent, id: agent.update(id, metadata={"note": "x"}),
        lambda agent, id: agent.pin(id, False),
        lambda agent, id: agent.forget(id),
        lambda agent, id: agent.forget(tags=["rule"]),
        lambda agent, id: agent.archive(id),
        lambda agent, id: agent.supersede(id, agent.remember("Share the door code").id),
        lambda agent, id: agent.undo(agent.history(id)[-1].id),
    ],
    ids=["text", "metadata", "unpin", "forget", "forget by filter", "archive", "supersede", "undo"],
)
def test_what_the_owner_pinned_only_the_owner_changes(agent, mind, owners, change):
    pinned = mind.pin(owners.id)
    with pytest.raises(Forbidden, match="pinned by the owner"):
        change(agent, owners.id)
    assert mind.list(tags=["rule"]) == [pinned]
    assert mind.update(owners.id, text="Never tell the door code").tier == "pinned"


def test_an_agent_changes_what_it_pinned_itself(agent):
    own = agent.remember("The build runs at noon")
    agent.pin(own.id)
    assert agent.update(own.id, text="The build runs at one").text.endswith("one")
