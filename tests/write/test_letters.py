"""Facts by a model: what it did not manage waits beside the store and is tried again."""

import pytest
from chat_server import ChatServer, answer, completion, said
from inspect_store import texts
from write.chat import facts, mind

from recollect import config
from recollect.errors import InvalidInput

AT = "2026-05-20T12:00:00Z"
SOON, LATER = "2026-05-20T12:00:00Z", "2099-01-01"
MOVED = [{"role": "user", "content": "I moved to Lyon, where my sister has a bakery."}]


@pytest.fixture
def server(monkeypatch):
    for name in ("RECOLLECT_OPENAI_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running = ChatServer()
    yield running
    running.close()


@pytest.fixture
def memories(server, path):
    settings = config.load(extractor=f"openai:small@{server.base}")
    with mind(path, settings=settings) as opened:
        yield opened


def nonsense(server):
    server.queued.append(completion("I am a teapot"))


def test_the_model_named_in_the_settings_reads_the_facts(memories, server):
    server.queued.append(answer(said("The user lives in Lyon."), said("The user's sister has a bakery.")))
    memories.ingest(MOVED, session_id="s", at=AT)
    assert texts(facts(memories)) == ["The user lives in Lyon.", "The user's sister has a bakery."]


def test_the_same_session_again_asks_nothing(memories, server):
    memories.ingest(MOVED, session_id="s", at=AT)
    memories.ingest(MOVED, session_id="s", at=AT)
    assert len(server.requests) == 1


def test_a_nonsense_answer_loses_nothing_and_tending_gets_the_facts_later(memories, server, path):
    nonsense(server)
    memories.ingest(MOVED, session_id="s", at=AT)
    by_rules = texts(facts(memories))
    assert any("Lyon" in text for text in by_rules)
    assert path.with_name("agent.db.letters.jsonl").exists()
    server.queued.append(answer(said("The user lives in Lyon."), said("The user's sister has a bakery.")))
    assert memories.tend(at=LATER, force=True).recovered == 1
    found = memories.list(granularity="fact", statuses=["active"])
    assert sorted(texts(found)) == ["The user lives in Lyon.", "The user's sister has a bakery."]
    assert {fact.session_id for fact in found} == {"s"} and {fact.turn for fact in found} == {0}
    assert {link.kind for link, _ in memories.neighbours(found[0].id)} >= {"extends"}
    assert memories.tend(at=LATER, force=True).recovered == 0


def test_a_letter_that_is_not_due_is_left_alone(memories, server):
    nonsense(server)
    memories.ingest(MOVED, session_id="s", at=AT)
    asked = len(server.requests)
    assert memories.tend(at="2020-01-01").recovered == 0
    assert memories.tend(at=LATER, preview=True).recovered == 0
    assert memories.tend(namespace="elsewhere", at=LATER, force=True).recovered == 0
    assert len(server.requests) == asked


def test_purging_a_turn_purges_its_letter(memories, server, path):
    nonsense(server)
    memories.ingest(MOVED, session_id="s", at=AT)
    memories.purge(session_id="s")
    assert b"Lyon" not in path.with_name("agent.db.letters.jsonl").read_bytes()
    assert memories.tend(at=LATER, force=True).recovered == 0


def test_the_budget_holds_for_all_that_is_ingested(server, path):
    settings = config.load(extractor=f"openai:small@{server.base}", extractor_budget_tokens=10_000)
    with mind(path, settings=settings) as memories:
        for n in range(30):
            memories.ingest([{"role": "user", "content": f"I have {n} brothers."}], session_id=str(n), at=AT)
        assert 0 < len(server.requests) < 12
        assert memories.stats().by_granularity["turn"] == 30


def test_without_a_model_no_file_is_left_beside_the_store(path):
    with mind(path) as memories:
        memories.ingest(MOVED, session_id="s", at=AT)
        memories.tend()
        memories.purge(session_id="s")
    assert not list(path.parent.glob("*.letters*"))


@pytest.mark.parametrize("value", ["-1", "many", "1.5", "true"])
def test_a_budget_must_be_a_whole_number(monkeypatch, value):
    monkeypatch.setenv("RECOLLECT_EXTRACTOR_BUDGET_TOKENS", value)
    with pytest.raises(InvalidInput, match="extractor_budget_tokens must be a whole number"):
        config.load()


def test_prices_come_from_the_settings(monkeypatch):
    monkeypatch.setenv("RECOLLECT_EXTRACTOR_INPUT_PRICE", "0.15")
    assert config.load().extractor_input_price == 0.15
