"""A question that names a code which no memory contains is refused, and the reason names the code."""

from dataclasses import replace

import pytest

from recollect import Recollect, recipes
from recollect.read.reject import reject
from recollect.recipes.recipe import Gate
from recollect.types import Signals

TOLD = (
    "FERRY-E209 means that the ramp is stuck",
    "The checkout fails with ERR_4031 when the basket is empty",
    "Order 48213 is the walnut desk, it comes on a Friday",
    "We run v2.3.2 in the harbour office since May",
    "The blue van has the plate KX21 ZPB",
    "Call the plumber at +44 20 7946 0812",
    "OPS-18 is about the slow backup",
    "I swim at 7:15 and paid 45 euros for the season",
    "In 2023 I picked 3 kg of cherries at my aunt's",
    "The invoice of the roofer has the number 2210-17",
)


@pytest.fixture(scope="module")
def mind():
    with Recollect(":memory:", embedder="hashing") as made:
        made.remember_many({"text": text} for text in TOLD)
        yield made


def because_of_a_code(mind, question):
    reason = mind.recall(question, track=False).rejected or ""
    return reason if "in no memory" in reason else None


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("what is FERRY-E208?", "FERRY-E208"),
        ("what does ferry-e299 mean?", "ferry-e299"),
        ("when does ERR_4032 come?", "ERR_4032"),
        ("where is order 48231?", "48231"),
        ("where is order #77120?", "77120"),
        ("since when do we run v2.3.1?", "v2.3.1"),
        ("which car has the plate KX21 ZPD?", "KX21 ZPD"),
        ("who has the number +44 20 7946 0813?", "+44 20 7946 0813"),
        ("what is OPS-17 about?", "OPS-17"),
        ("did invoice 2210-18 come?", "2210-18"),
    ],
)
def test_a_code_that_occurs_nowhere_is_a_reason_to_refuse(mind, question, code):
    assert because_of_a_code(mind, question) == f"{code} occurs in no memory"


@pytest.mark.parametrize(
    "question",
    [
        "what is FERRY-E209?",
        "what does Ferry E209 mean?",
        "and ferry_e209?",
        "what about E209?",
        "when does err-4031 come?",
        "where is order 48213?",
        "where is ORDER-48213?",
        "since when do we run 2.3.2?",
        "since when version 2.3.2?",
        "which car has the plate kx21zpb?",
        "which car is KX21-ZPB?",
        "who has the number 020 7946 0812?",
        "what is OPS18 about?",
        "did invoice 2210-17 come?",
    ],
)
def test_a_code_that_is_there_is_no_reason_however_it_is_written(mind, question):
    assert because_of_a_code(mind, question) is None


@pytest.mark.parametrize(
    "question",
    [
        "what do I do at 18:30?",
        "what did I pick in 2025?",
        "did I pick 2 kg of cherries?",
        "who won 3.5 million?",
        "what did I do on 12/05?",
        "what cost 49.90 euros?",
        "did the season cost €1,250?",
        "when is the 2026-06-01 meeting?",
        "who can swim 1500m?",
        "what happened in the 1990s?",
    ],
)
def test_numbers_that_are_no_codes_never_refuse(mind, question):
    assert because_of_a_code(mind, question) is None


def test_two_unknown_codes_are_both_named(mind):
    assert because_of_a_code(mind, "are OPS-41 and OPS-42 the same?") == "OPS-41 and OPS-42 occur in no memory"


def test_a_refused_code_lowers_the_confidence_and_shows_what_is_near(mind):
    known, unknown = (mind.recall(f"what is FERRY-E20{n}?", track=False) for n in (9, 8))
    assert unknown.confidence < known.confidence
    assert unknown.hits == () and unknown.nearest[0].memory.text.startswith("FERRY-E209")
    assert unknown.signals.unknown_codes == ("FERRY-E208",) and known.signals.unknown_codes == ()


def test_a_code_of_another_namespace_or_of_a_forgotten_memory_does_not_count(mind):
    with Recollect(":memory:", embedder="hashing", namespace="acme/ada") as store:
        store.remember("GATE-711 opens the garden", namespace="acme/bob")
        store.remember("the garden is watered at night")
        gone = store.remember("LOCK-552 opens the shed")
        assert because_of_a_code(store, "which garden does GATE-711 open?")
        assert not because_of_a_code(store, "which shed does LOCK-552 open?")
        store.forget(gone.id)
        assert because_of_a_code(store, "which shed does LOCK-552 open?")


def test_the_gate_decides_whether_codes_count(mind):
    signals = Signals(unknown_codes=("FERRY-E208",))
    assert reject(signals, 1.0, Gate(rule="confidence", refuse_unknown_codes=True), None)
    assert reject(signals, 1.0, Gate(rule="confidence"), None) is None
    default = recipes.load("default")
    lenient = replace(default, reject=replace(default.reject, refuse_unknown_codes=False))
    assert "no memory" not in (mind.recall("what is FERRY-E208?", recipe=lenient, track=False).rejected or "")
