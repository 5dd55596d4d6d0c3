"""What follows from a change is said, can be looked at first, stays inside the caller's namespace and is bounded."""

import pytest
from inspect_store import everything, texts
from tend.tended import TEA, full

from recollect import Recollect
from recollect.errors import InvalidInput
from recollect.serve.access import Access
from recollect.serve.scope import Caller, Scope
from recollect.write.changes import purge

HOME = "I live in Porto. I work as a nurse."
FACTS = {"I live in Porto.", "I work as a nurse."}


def talk(mind, session, *messages, at="2026-01-10", **more):
    said = [{"role": "user", "content": message} for message in messages]
    mind.ingest(said, session_id=session, at=at, **more)


def turn(mind, session, number=0, **filters):
    (found,) = [m for m in mind.list(granularity="turn", session_id=session, **filters) if m.turn == number]
    return found


def fact(mind, text, **filters):
    (found,) = [m for m in mind.list(granularity="fact", **filters) if m.text == text]
    return found


@pytest.fixture
def home(mind):
    talk(mind, "a", HOME)
    return turn(mind, "a")


# What is said ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["forget", "purge"])
def test_a_preview_lists_all_that_would_go_and_changes_nothing(mind, path, home, call):
    before = everything(path)
    assert texts(getattr(mind, call)(home.id, preview=True))[0] == HOME
    assert set(texts(getattr(mind, call)(home.id, preview=True))) == {HOME, *FACTS}
    assert everything(path) == before
    assert {memory.text for memory in getattr(mind, call)(home.id)} == {HOME, *FACTS}


def test_a_preview_of_summaries_lists_them():
    filled = full(clusters=[TEA])
    (summary,) = filled.consolidate(at="2026-11-01")
    original = summary.metadata["consolidates"][0]
    assert {memory.id for memory in filled.purge(original, preview=True)} == {original, summary.id}
    assert [memory.status for memory in filled.forget(original)] == ["forgotten", "forgotten", "active", "active"]


def test_forgetting_lists_what_holds_again(mind):
    talk(mind, "a", "I live in Porto.")
    talk(mind, "b", "I moved to Lyon.", at="2026-06-10")
    changed = mind.forget(turn(mind, "b").id)
    assert [(m.text, m.status) for m in changed[:2]] == [("I moved to Lyon.", "forgotten")] * 2
    assert {(m.text, m.status, m.valid_to) for m in changed[2:]} == {("I live in Porto.", "active", None)}


def test_forgetting_a_turn_is_one_event_that_names_what_followed(mind, home):
    mind.forget(home.id)
    events = {mind.history(memory.id)[-1].id for memory in mind.list(statuses=["forgotten"])}
    event = mind.history(home.id)[-1]
    assert events == {event.id} and event.action == "forget"
    assert set(event.detail["followed"]) == {fact(mind, text, statuses=["forgotten"]).id for text in FACTS}


def test_restore_and_update_name_what_changed_with_a_memory(mind, home):
    ids = {fact(mind, text).id for text in FACTS}
    mind.forget(home.id)
    assert set(mind.restore(home.id).also_changed) == ids
    changed = mind.update(home.id, text="I live in Porto.")
    assert [mind.get(id).text for id in changed.also_changed] == ["I work as a nurse."]
    assert mind.get(home.id).also_changed == ()


def test_the_history_says_why_a_memory_holds_again(mind):
    talk(mind, "a", "I live in Porto.")
    talk(mind, "b", "I moved to Lyon.", at="2026-06-10")
    mind.purge(turn(mind, "b").id)
    back = mind.history(fact(mind, "I live in Porto.").id)[-1]
    assert (back.action, back.detail["why"], back.detail["automatic"]) == (
        "restore",
        "what replaced it was purged",
        True,
    )
    assert back.changes[0].before["status"] == "superseded"


def test_a_fact_that_stays_after_a_purge_says_nothing_about_the_purged_turn(mind, path):
    talk(mind, "secret-session", "I live in Porto.")
    talk(mind, "b", "I live in Porto.", at="2026-02-10")
    mind.purge(turn(mind, "secret-session").id)
    kept = fact(mind, "I live in Porto.")
    assert (kept.session_id, kept.turn, kept.valid_from) == ("b", 0, turn(mind, "b").valid_from)
    assert mind.history(kept.id)[-1].detail["why"] == "a turn that states it was purged"
    assert "secret-session" not in str(everything(path))


def test_nothing_of_a_purged_turn_its_facts_and_its_summary_is_left_in_any_file(path):
    rare = "I keep qzwxplomb with my sister in a green box behind the shed"
    with Recollect(path, embedder="hashing") as mind:
        mind.remember_many([{"text": f"{word} {word[::-1]} {n}"} for n, word in enumerate(["lamp", "tree"] * 12)])
        talk(mind, "a", f"{rare}.", f"{rare} of the garden.", f"{rare} of the garden at home.")
        assert len(mind.consolidate(at="2026-02-01")) == 1
        for found in mind.list(granularity="turn"):
            mind.purge(found.id)
        files = [file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name)]
        assert not any(b"qzwxplomb" in content for content in files)
        assert mind.check() == []


def test_stating_a_fact_again_in_an_update_does_not_raise_its_importance(mind, home):
    before = fact(mind, "I live in Porto.")
    mind.update(home.id, text="I live in Porto. I work as a teacher.")
    assert mind.get(before.id).importance == before.importance


def test_similar_links_of_a_former_text_are_removed_and_come_back_with_undo(mind):
    one, other = (
        mind.remember(text)
        for text in ("Ada waters the red roses in the garden", "Ada waters the white roses in the garden")
    )
    mind.link(one.id, other.id, "related")
    mind.tend()

    def kinds():
        return {link.kind for link, _ in mind.neighbours(one.id)}

    assert kinds() == {"similar", "related"}
    mind.update(one.id, text="The printer is out of paper")
    assert kinds() == {"related"}
    mind.undo(mind.history(one.id)[-1].id)
    assert kinds() == {"similar", "related"}


# Whose it is ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["forget", "purge"])
def test_what_follows_stays_inside_the_callers_namespace(mind, call):
    old = mind.remember("Bob prefers dark mode", namespace="acme/bob")
    new = mind.remember("Ada prefers light mode", namespace="acme/ada")
    mind.supersede(old.id, new.id)
    ada = Access(mind, Caller(name="key:ada", scope=Scope(namespace="acme/ada", role="admin"), trust="user"))
    assert [memory.id for memory in getattr(ada, call)(new.id)] == [new.id]
    assert mind.get(old.id).status == "superseded"


def test_undoing_inside_a_namespace_changes_nothing_outside(mind):
    old = mind.remember("Bob prefers dark mode", namespace="acme/bob")
    ada = Access(mind, Caller(name="key:ada", scope=Scope(namespace="acme/ada", role="admin"), trust="user"))
    new = ada.remember("Ada prefers light mode")
    mind.supersede(old.id, new.id)
    ada.undo(mind.history(new.id)[0].id)
    assert (mind.get(new.id).status, mind.get(old.id).status) == ("forgotten", "superseded")


def test_a_move_of_some_memories_needs_them_to_be_there(mind, home):
    with pytest.raises(InvalidInput, match="not in 'acme'"):
        mind.move("acme", "other", id=home.id)
    with pytest.raises(InvalidInput, match="leave out"):
        mind.move("default", "other", namespace="default")
    assert mind.move("default", "other", session_id="none") == 0
    assert mind.move("default", "other", session_id="a") == 3


# How much it takes ----------------------------------------------------------------------------------


CHANGES = {
    "forget": lambda mind, memory: mind.forget(memory.id),
    "restore": lambda mind, memory: (mind.forget(memory.id), mind.restore(memory.id)),
    "update": lambda mind, memory: mind.update(memory.id, text="I live in Nantes. I work as a pilot."),
    "undo": lambda mind, memory: (mind.forget(memory.id), mind.undo(mind.history(memory.id)[-1].id)),
    "move": lambda mind, memory: mind.move("default", "other", id=memory.id),
    "purge": lambda mind, memory: mind.purge(memory.id),
}


def statements(mind, change, memory):
    """How many statements a change takes that are not only reads outside of the transaction."""
    seen = []
    writer = mind.store._db._writer
    writer.exec_trace = lambda cursor, sql, bindings: seen.append(sql) is None
    try:
        change(mind, memory)
    finally:
        writer.exec_trace = None
    return len(seen)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_takes_as_many_statements_in_a_large_store(tmp_path, change):
    counted = []
    for crowd in (10, 800):
        with Recollect(tmp_path / f"{crowd}.db", embedder="hashing") as mind:
            words = [f"word{n}a word{n}b word{n}c" for n in range(crowd)]
            mind.remember_many([{"text": text, "granularity": "turn"} for text in words])
            talk(mind, "a", HOME)
            counted.append(statements(mind, change, turn(mind, "a")))
    assert counted[0] == counted[1]


def test_purging_many_turns_works_in_pages_with_some_statements_for_each(mind, monkeypatch):
    monkeypatch.setattr(purge, "PAGE", 50)
    for n in range(20):
        talk(mind, f"s{n}", *(f"I visited Town{n}x{m} with my brother." for m in range(10)))
    writer = mind.store._db._writer
    seen = []
    writer.exec_trace = lambda cursor, sql, bindings: seen.append(sql.split(" ", 1)[0]) is None
    gone = mind.purge(granularity="turn")
    writer.exec_trace = None
    assert len(gone) == 400 and mind.list() == []
    assert seen.count("COMMIT") == 4 + 1  # one for each page, and one that notes that no trace is left
    assert len(seen) < 25 * len(gone)
    assert mind.check() == []


def test_five_thousand_turns_are_purged_with_their_facts(mind):
    said = [{"role": "user", "content": f"I visited Town{n} with my brother."} for n in range(5_000)]
    parts = [{"messages": said[n : n + 50], "session_id": f"s{n}", "at": "2026-01-10"} for n in range(0, 5_000, 50)]
    mind.ingest_many(parts[:10])
    mind.ingest_many(parts[10:], granularity="turn")
    assert len(mind.purge(granularity="turn", preview=True)) == 5_500
    assert len(mind.purge(granularity="turn")) == 5_500
    assert mind.stats().memories == 0
