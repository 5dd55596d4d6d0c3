"""The poisoning suite: what untrusted writers and readers try, and what becomes of it (docs/poisoning.md)."""

import re
from collections import Counter
from pathlib import Path

import poisoning
import pytest
from poisoning import MARKED, QUARANTINED, STOPPED, THROUGH

from recollect import Recollect

PAGE = Path(__file__).parents[1] / "docs" / "poisoning.md"
DATES = ("2099-01-01", "2030-01-01", "2026-06-01", "1990-01-01")
TEXTS = list(poisoning.stored_attacks())


@pytest.fixture
def agent(mind):
    return mind.acting(actor="helper", trust="agent")


def outcomes():
    """(family, outcome) → how often."""
    found = Counter()
    for attack in TEXTS:
        with Recollect(":memory:", embedder="hashing") as mind:
            agent = mind.acting(actor="helper", trust="agent")
            found[attack.family, poisoning.outcome_of_text(agent, attack)] += 1
    return found


@pytest.mark.parametrize("attack", TEXTS, ids=lambda attack: f"{attack.family} {attack.name} {attack.text[:12]!a}")
def test_no_text_of_an_untrusted_writer_comes_through(agent, attack):
    assert poisoning.outcome_of_text(agent, attack) in (QUARANTINED, MARKED)


@pytest.mark.parametrize("attack", TEXTS, ids=lambda attack: f"{attack.family} {attack.name} {attack.text[:12]!a}")
def test_an_order_is_quarantined_however_it_is_disguised(agent, attack):
    if attack.family not in ("forged fences", "other words", "words that no pattern was written for"):
        assert poisoning.outcome_of_text(agent, attack) == QUARANTINED


@pytest.mark.parametrize("text", poisoning.HARMLESS)
def test_what_people_say_about_rules_and_instructions_is_stored(agent, text):
    assert agent.remember(text).status == "active"


def test_orders_in_questions_are_never_stored_as_memories(mind, agent):
    mind.remember("The owner approves invoices on Fridays")
    assert poisoning.outcome_of_questions(agent, mind) == STOPPED


def test_a_flood_is_shown_with_its_writer(mind, agent):
    assert poisoning.outcome_of_flood(agent, mind) == MARKED


@pytest.mark.parametrize("at", DATES)
def test_a_forged_date_does_not_replace_what_the_owner_pinned(mind, agent, at):
    assert poisoning.outcome_of_forged_date(agent, mind, at) == STOPPED


def test_the_page_has_the_measured_figures():
    rows = dict(re.findall(r"^\| ([^|]+?) \| (\d+ \| \d+ \| \d+ \| \d+ \| \d+) \|$", PAGE.read_text(), re.MULTILINE))
    found = outcomes()
    for family in dict.fromkeys(attack.family for attack in TEXTS):
        numbers = [found[family, outcome] for outcome in (STOPPED, QUARANTINED, MARKED, THROUGH)]
        assert rows[family] == " | ".join(map(str, [sum(numbers), *numbers])), family
