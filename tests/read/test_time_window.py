"""A question that names a time also looks among what happened then."""

from dataclasses import replace

import pytest

from recollect import Recollect, recipes
from recollect.recipes.recipe import TimeWindow

ASKED_AT = "2024-03-09T12:00:00Z"  # a Saturday


@pytest.fixture
def mind():
    with Recollect(":memory:", embedder="hashing", recipe="default") as made:
        yield made


def seen_then(mind, question, **bounds):
    """What the route alone saw, whether or not it goes on."""
    found = mind.recall(question, at=ASKED_AT, limit=20, **bounds)
    return {hit.memory.text for hit in found.hits if "time_window" in hit.routes}


def test_what_happened_in_the_named_time_is_seen_and_nothing_else(mind):
    mind.remember("the fence was painted green", at="2024-02-14T10:00:00Z")
    mind.remember("the fence was mended", at="2024-01-10T10:00:00Z")
    mind.remember("the fence fell down", at="2023-02-10T10:00:00Z")
    assert seen_then(mind, "what happened to the fence in February?") == {"the fence was painted green"}


@pytest.mark.parametrize(
    ("days", "inside"), [("2024-01-24", False), ("2024-01-26", True), ("2024-03-07", True), ("2024-03-08", False)]
)
def test_the_time_is_taken_with_a_week_on_either_side(mind, days, inside):
    mind.remember("the fence was painted green", at=f"{days}T12:00:00Z")
    assert bool(seen_then(mind, "what happened to the fence in February 2024?")) is inside


@pytest.mark.parametrize("question", ["what happened to the fence?", "what will happen to the fence next week?"])
def test_no_time_and_a_time_to_come_say_nothing(mind, question):
    mind.remember("the fence was painted green", at="2024-03-08T10:00:00Z")
    found = mind.recall(question, at=ASKED_AT)
    assert found.hits
    assert seen_then(mind, question) == set()
    assert next(step for step in found.trace if step.stage == "route time_window").note == (
        "the question names no past time"
    )


def test_the_callers_bounds_hold_as_well(mind):
    mind.remember("the fence was painted green", at="2024-02-05T10:00:00Z")
    mind.remember("the fence was painted red", at="2024-02-25T10:00:00Z")
    asked = "what happened to the fence in February?"
    assert seen_then(mind, asked, since="2024-02-20T00:00:00Z") == {"the fence was painted red"}
    assert seen_then(mind, asked, until="2024-02-20T00:00:00Z") == {"the fence was painted green"}
    assert seen_then(mind, asked, since="2024-03-08T00:00:00Z") == set()


def test_it_finds_what_the_other_routes_have_no_room_for(mind):
    """Three hundred memories are nearer in words and meaning; the one of that day has another wording."""
    mind.remember_many(
        {"text": f"aunt Ida gave a necklace to guest number {n}", "at": "2023-08-01T10:00:00Z", "dedup": False}
        for n in range(300)
    )
    wanted = mind.remember("Ida came by and left me her old silver ring", at="2024-03-02T18:00:00Z")
    question = "what did aunt Ida give me last Saturday, a necklace?"
    whole = replace(recipes.load("default-fast"), reject=None)
    assert wanted.id in {hit.memory.id for hit in mind.recall(question, at=ASKED_AT, recipe=whole).hits}
    routes = tuple(route for route in whole.routes if not isinstance(route, TimeWindow))
    fuse = replace(whole.fuse, routes={name: how for name, how in whole.fuse.routes.items() if name != "time_window"})
    without = replace(whole, routes=routes, fuse=fuse)
    assert wanted.id not in {hit.memory.id for hit in mind.recall(question, at=ASKED_AT, recipe=without).hits}


def test_what_a_part_of_the_store_says_is_no_sign_of_an_answer(mind):
    mind.remember("some neighbours came by for tea", at="2024-02-14T10:00:00Z")
    mind.remember("the fence was painted green", at="2022-02-14T10:00:00Z")
    found = mind.recall("which colour got the fence in February 2024?", at=ASKED_AT)
    assert [step.out for step in found.trace if step.stage == "route time_window"] == [1]
    assert found.signals.agreement == 1.0  # of words and meaning; `time_window` saw what the words did not


@pytest.mark.parametrize("at", ["0001-01-02T00:00:00Z", ASKED_AT, "9999-12-31T00:00:00Z"])
@pytest.mark.parametrize("when", ["on 0001-01-03", "in the year 0001", "in 9999", "yesterday", "5000 years ago"])
def test_the_ends_of_the_calendar_are_times_like_others(mind, when, at):
    kept = mind.remember("the fence was painted green", at="2024-02-14T10:00:00Z")
    ungated = replace(recipes.load("default"), reject=None)
    found = mind.recall(f"what happened to the fence {when}?", at=at, recipe=ungated)
    assert [hit.memory.id for hit in found.hits] == [kept.id]


def test_a_pasted_text_full_of_dates_costs_no_more_than_a_few_searches(mind, monkeypatch):
    mind.remember("the fence was painted green", at="2024-01-03T10:00:00Z")
    asked = []
    store = mind._store
    search = store.search_vector
    monkeypatch.setattr(store, "search_vector", lambda *a, **k: asked.append(a) or search(*a, **k))
    days = " and ".join(f"on 2024-01-{day:02d}" for day in range(1, 29))
    ungated = replace(recipes.load("default"), reject=None)
    found = mind.recall(f"what happened to the fence {days}, {days}?", at=ASKED_AT, recipe=ungated)
    assert found.hits[0].routes["time_window"] == 1
    assert len(asked) == 1 + 4  # all memories, and four of the twenty-eight days


def test_a_day_without_a_tense_may_be_the_last_one_or_the_next_one(mind):
    for day in ("2024-03-07", "2024-03-14", "2024-03-21"):  # Thursdays
        mind.remember(f"the fence man comes on {day}", at="2024-03-01", occurred_at=day)
    found = mind.recall("what about the fence on Thursday?", at=ASKED_AT, limit=5)
    boosted = {hit.memory.text[-10:] for hit in found.hits if hit.explanation.find("time_match").value > 1}
    assert boosted == {"2024-03-07", "2024-03-14"}
