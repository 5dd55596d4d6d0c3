"""What maintenance archived is still found when it answers best, in the default recipe with the default embedder."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import Recollect

CASES = [
    ("Ellen can't swim well", "Ellen called about the weather", "what can't Ellen do well?"),
    ("Marta is allergic to walnuts", "Marta wants to see the new museum", "what is Marta allergic to?"),
    ("The spare key hangs behind the boiler", "The boiler was repaired on Monday", "where is the spare key?"),
    ("Oskar plays the cello on Thursdays", "Oskar missed the bus this morning", "which instrument does Oskar play?"),
    ("Our landlord is called Mr Petersen", "The landlord raised the rent a little", "what is the landlord's name?"),
    ("My car is parked in level three of the garage", "The garage closes early today", "where is my car parked?"),
    ("Nadia studied chemistry in Vienna", "Nadia sent a postcard with a horse on it", "what did Nadia study?"),
    ("The code for the shed is in the blue folder", "The shed was painted twice", "where is the code for the shed?"),
    ("Tom is afraid of heights", "Tom bought a ladder for the shed", "what is Tom afraid of?"),
    (
        "The bakery on Mill Street closes on Wednesdays",
        "The bakery sells rye bread again",
        "when does the bakery close?",
    ),
    ("Grandmother was born in Trieste", "Grandmother asked for her glasses", "where was Grandmother born?"),
]
OTHERS = [
    "The train to the coast leaves at seven",
    "I watered the plants in the office",
    "The printer on the second floor is broken",
    "We had soup and bread for lunch",
    "The meeting was moved to the small room",
    "I read two chapters before going to bed",
    "The neighbours are away until the end of the month",
    "It rained all afternoon and the roof leaks",
]


def later(days):
    return datetime.now(UTC) + timedelta(days=days)


def say(mind, text, session, granularity):
    mind.ingest([{"role": "user", "content": text}], session_id=session, granularity=granularity)


@pytest.mark.parametrize("granularity", ["turn", "hybrid"])
@pytest.mark.parametrize(("told", "newer", "question"), CASES, ids=[case[2] for case in CASES])
def test_an_archived_message_is_found_when_it_answers_best(told, newer, question, granularity):
    with Recollect(":memory:") as mind:
        say(mind, told, "june", granularity)
        (archived,) = mind.tend(at=later(40)).archived
        for number, text in enumerate([*OTHERS, newer]):
            say(mind, text, f"today {number}", granularity)
        assert mind.get(archived).text == told
        assert mind.recall(question, at=later(41)).hits[0].memory.text == told


@pytest.mark.parametrize(("told", "newer", "question"), CASES[:3], ids=[case[2] for case in CASES[:3]])
def test_a_memory_is_not_archived_by_age_and_found(told, newer, question):
    with Recollect(":memory:") as mind:
        kept = mind.remember(told, at="2026-06-01")
        assert mind.tend(at=later(40)).archived == ()
        mind.remember_many([{"text": text} for text in (*OTHERS, newer)])
        assert mind.get(kept.id).tier == "searchable"
        assert mind.recall(question, at=later(41)).hits[0].memory.text == told
