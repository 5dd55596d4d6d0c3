"""Asking without the gold leaves the store as it was."""

from datetime import UTC, datetime

from recollect import Recollect
from recollect.bench.build import Setup
from recollect.bench.data import Dataset, Haystack, Message, Question, Session
from recollect.bench.evaluate import Evaluator
from recollect.recipes import load

AT = datetime(2026, 1, 2, tzinfo=UTC)
LATER = datetime(2026, 5, 2, tzinfo=UTC)


def test_the_gold_comes_back_with_its_facts_and_what_it_replaced(tmp_path):
    sessions = (
        Session(id="s1", at=AT, turns=(Message(role="user", text="I live in Porto. My cat is called Miso."),)),
        Session(id="s2", at=LATER, turns=(Message(role="user", text="I moved to Lyon last week. It rains a lot."),)),
    )
    question = Question(id="q", text="where do I live?", type="now", at=LATER, haystack="h", gold=frozenset({"s2/0"}))
    held = Haystack(name="h", pool="h", sessions=sessions)
    dataset = Dataset(name="d", form="locomo", unit="turn", digest="d", haystacks=(held,), questions=(question,))
    with Recollect(":memory:", embedder="hashing") as mind:
        setup = Setup(
            dataset=dataset, protocol="own", granularity="hybrid", embedder=mind._embedders.checked().embedder
        )
        place = setup.namespace(held)
        for session in sessions:
            messages = [turn.to_message() for turn in session.turns]
            mind.ingest(messages, session_id=session.id, at=session.at, namespace=place)

        def state():
            listed = mind.list(namespace=place, statuses=["active", "superseded", "forgotten"])
            return {memory.id: (memory.status, memory.valid_to) for memory in listed}

        before = state()
        assert {status for status, _ in before.values()} == {"active", "superseded"}
        (outcome,) = Evaluator(mind=mind, setup=setup, limit=5).ask(question, [load("default-fast")])
        assert "s2/0" in outcome.answer.ranked and "s2/0" not in outcome.without_gold.ranked
        assert state() == before
