"""Another writer's statement does not replace what the owner has pinned."""


def test_an_agents_statement_contradicts_a_pinned_memory_of_the_owner_and_does_not_supersede_it(mind):
    held = mind.pin(mind.remember("I live in Porto").id)
    agent = mind.acting(actor="bot", trust="agent")
    new = agent.remember("I live in Lisbon now")
    assert mind.get(held.id).status == "active" and mind.get(new.id).status == "active"
    assert [link.kind for link, other in mind.neighbours(new.id) if other.id == held.id] == ["contradicts"]


def test_a_late_statement_of_an_agent_leaves_a_pinned_memory_active(mind):
    held = mind.pin(mind.remember("I live in Porto", at="2024-01-01").id)
    mind.acting(actor="bot", trust="agent").remember("I live in Lisbon now", at="2025-01-01")
    assert mind.get(held.id).status == "active"


def test_the_owner_still_replaces_a_pinned_memory(mind):
    held = mind.pin(mind.remember("I live in Porto").id)
    mind.remember("I live in Lisbon now")
    assert mind.get(held.id).status == "superseded"
