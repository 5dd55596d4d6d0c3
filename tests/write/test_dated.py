"""A statement that was corrected names the time of its new words."""

from datetime import UTC, datetime

import pytest

TOLD = datetime(2026, 11, 3, 8, tzinfo=UTC)
SECOND = "My dentist appointment is on 2 December."


@pytest.fixture
def said(mind):
    def tell(text):
        mind.ingest([{"role": "user", "content": text}], session_id="talk", at=TOLD)
        (fact,) = mind.list(granularity="fact")
        (turn,) = mind.list(granularity="turn")
        return fact, turn

    return tell


def day(memory):
    return memory.metadata.get("when", {}).get("start")


def test_a_corrected_day_is_the_day_of_the_statement(mind, said):
    fact, _ = said(SECOND)
    assert (day(fact), fact.occurred_at) == ("2026-12-02", datetime(2026, 12, 2, tzinfo=UTC))
    mind.update(fact.id, text="My dentist appointment is on 3 December.")
    now = mind.get(fact.id)
    assert (day(now), now.occurred_at) == ("2026-12-03", datetime(2026, 12, 3, tzinfo=UTC))
    mind.undo(mind.history(fact.id)[-1].id)
    assert (day(mind.get(fact.id)), mind.get(fact.id).occurred_at) == (day(fact), fact.occurred_at)


def test_a_statement_without_its_day_happened_when_it_was_told_and_may_get_one_again(mind, said):
    fact, turn = said(SECOND)
    mind.update(fact.id, text="My dentist appointment was cancelled.")
    assert (day(mind.get(fact.id)), mind.get(fact.id).occurred_at) == (None, TOLD)
    assert day(mind.get(turn.id)) == "2026-12-02"
    mind.update(fact.id, text="My dentist appointment is on 9 December.")
    assert (day(mind.get(fact.id)), mind.get(fact.id).occurred_at) == ("2026-12-09", datetime(2026, 12, 9, tzinfo=UTC))


def test_a_message_that_was_changed_names_its_new_day_with_its_facts(mind, said):
    _, turn = said(SECOND)
    mind.update(turn.id, text="My dentist appointment is on 3 December.")
    assert {day(memory) for memory in mind.list()} == {"2026-12-03"}


def test_a_day_that_somebody_set_stays(mind, said):
    fact, _ = said(SECOND)
    mind.update(
        fact.id,
        occurred_at="2026-12-24",
        metadata={**fact.metadata, "when": {"start": "2026-12-24", "end": "2026-12-24"}},
    )
    mind.update(fact.id, text="My dentist appointment is on 3 December.")
    assert (day(mind.get(fact.id)), mind.get(fact.id).occurred_at.day) == ("2026-12-24", 24)
