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
        lambda agent, id: agent.purge(id),
        lambda agent, id: agent.purge(tags=["rule"]),
        lambda agent, id: agent.move("default", "default/elsewhere", id=id),
        lambda agent, id: agent.change_many([id], "forget"),
        lambda agent, id: agent.change_many([id], "move", to="default/elsewhere"),
        lambda agent, id: agent.change_many([id], "tag", remove_tags=["rule"]),
        lambda agent, id: agent.supersede(id, agent.remember("Share the door code").id),
        lambda agent, id: agent.undo(agent.history(id)[-1].id),
    ],
    ids=[
        *("text", "metadata", "unpin", "forget", "forget by filter", "archive", "purge", "purge by filter", "move"),
        *("forget many", "move many", "tag many", "supersede", "undo"),
    ],
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


@pytest.fixture
def told(mind):
    """A turn of the owner, and the fact from it, which is pinned."""
    done = mind.ingest([{"role": "user", "content": "I live in Porto."}], session_id="talk")
    turn, fact = (next(m for m in done.added if m.granularity == kind) for kind in ("turn", "fact"))
    return turn, mind.pin(fact.id)


@pytest.mark.parametrize(
    "change",
    [
        lambda agent, id: agent.forget(id),
        lambda agent, id: agent.forget(session_id="talk"),
        lambda agent, id: agent.purge(id),
        lambda agent, id: agent.move("default", "default/elsewhere", id=id),
        lambda agent, id: agent.change_many([id], "forget"),
        lambda agent, id: agent.change_many([id], "move", to="default/elsewhere"),
        lambda agent, id: agent.update(id, text="I live in Lyon."),
        lambda agent, id: agent.update(id, status="forgotten"),
        lambda agent, id: [agent.undo(event.id) for event in agent.history(id)],
    ],
    ids=["forget", "forget by filter", "purge", "move", "forget many", "move many", "text", "status", "undo"],
)
def test_a_pinned_fact_does_not_go_with_its_turn(agent, mind, told, change):
    turn, fact = told
    with pytest.raises(Forbidden, match="pinned by the owner"):
        change(agent, turn.id)
    assert mind.list(granularity="fact") == [fact] and mind.get(turn.id).text == "I live in Porto."
    assert mind.check() == []
    mind.forget(turn.id)
    assert mind.list(granularity="fact") == []


def test_an_edited_message_leaves_a_pinned_fact(mind, told):
    agent = mind.acting(actor="helper", trust="agent")
    agent.ingest([{"role": "user", "content": "I live in Lyon."}], session_id="talk")
    assert told[1] in mind.list(granularity="fact") and mind.check() == []


def test_a_refusal_comes_before_the_first_page(agent, mind, monkeypatch):
    from recollect.write.changes import pages

    monkeypatch.setattr(pages, "PAGE", 2)
    made = mind.remember_many([{"text": f"Parcel {n} is on shelf {n}"} for n in range(6)])
    mind.pin(made[-1].id)
    for refused in (agent.forget, agent.purge, lambda **named: agent.move("default", "default/elsewhere", **named)):
        with pytest.raises(Forbidden, match="pinned by the owner"):
            refused(granularity="memory")
    assert len(mind.list()) == 6


def test_a_pinned_memory_with_a_date_expires_whoever_runs_maintenance(agent, mind):
    kept = mind.pin(mind.remember("The offer ends soon", expires_at="2026-12-01").id)
    agent.tend(at="2026-12-02")
    assert mind.get(kept.id).status == "expired"
