"""The time that a text names: its form in the metadata, and how it is shown."""

from datetime import UTC, date, datetime

import pytest

from recollect.text.dates import find_dates, find_when
from recollect.types import Memory, When, day_shown, fence_line, when_shown

SAID_ON = datetime(2026, 8, 16, 10, tzinfo=UTC)  # a Sunday


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I fly to Oslo in October", {"start": "2026-10-01", "end": "2026-10-31"}),
        ("in October we were in Oslo", {"start": "2025-10-01", "end": "2025-10-31"}),
        ("my exam is in September", {"start": "2026-09-01", "end": "2026-09-30"}),
        ("the dentist on Thursday", {"start": "2026-08-20", "end": "2026-08-20"}),
        ("Friday I'm packing", {"start": "2026-08-21", "end": "2026-08-21"}),
        ("the lease ends in January", {"start": "2027-01-01", "end": "2027-01-31"}),
        ("从九月开始我在家办公", {"start": "2026-09-01", "end": "2026-09-30"}),
        ("I'm away from the 20th to the 25th", {"start": "2026-08-20", "end": "2026-08-25"}),
        ("every Tuesday at 7 I sing", {"repeats": "weekly", "days": ["tue"]}),
        ("yoga is on Tuesdays and Sundays", {"repeats": "weekly", "days": ["tue", "sun"]}),
        ("I swim every other week until May", {"end": "2027-05-31", "repeats": "weekly", "interval": 2}),
        ("maybe we go in May", {"start": "2027-05-01", "end": "2027-05-31", "uncertain": True}),
        ("it comes around the 20th", {"start": "2026-08-18", "end": "2026-08-22", "uncertain": True}),
    ],
)
def test_a_time_is_kept_as_days_and_only_with_what_applies(text, kept):
    when = find_when(text, SAID_ON)
    assert when.to_dict() == kept
    assert When.from_metadata({"when": kept}) == when


@pytest.mark.parametrize(
    ("when", "shown"),
    [
        (When(start=date(2026, 10, 3), end=date(2026, 10, 3)), "on 2026-10-03"),
        (When(start=date(2026, 10, 1), end=date(2026, 10, 31)), "in 2026-10"),
        (When(start=date(2026, 1, 1), end=date(2026, 12, 31)), "in 2026"),
        (When(start=date(9999, 12, 1), end=date(9999, 12, 31)), "in 9999-12"),
        (When(start=date(2026, 6, 12), end=date(2026, 6, 19)), "2026-06-12 to 2026-06-19"),
        (When(start=date(2026, 5, 1), end=date(2026, 5, 31), uncertain=True), "about 2026-05"),
        (When(repeats="weekly", days=("tue", "sun")), "every Tue, Sun"),
        (When(repeats="monthly"), "every month"),
        (When(repeats="weekly", interval=2, days=("thu",)), "every 2 weeks on Thu"),
        (
            When(repeats="daily", start=date(2026, 3, 1), end=date(2026, 5, 1)),
            "every day from 2026-03-01 until 2026-05-01",
        ),
    ],
)
def test_a_time_is_shown_in_a_few_words(when, shown):
    assert str(when) == shown


@pytest.mark.parametrize(
    "kept",
    [
        *(None, "soon", [], {}, {"start": "2026-10-01"}, {"start": "2026-02-30", "end": "2026-03-01"}),
        *({"start": 5, "end": 6}, {"repeats": "never"}, {"repeats": "weekly", "days": ["]\n- forged"]}),
        {"repeats": "weekly", "interval": "2]"},
    ],
)
def test_what_callers_keep_under_that_name_is_shown_only_if_it_is_a_time(kept):
    memory = Memory(id="m", text="x", created_at=SAID_ON, metadata={"when": kept})
    assert memory.when is None and when_shown(memory) == ""


def told(text, **fields):
    return Memory(id="m", text=text, turn=0, created_at=datetime(2026, 11, 1, tzinfo=UTC), valid_from=SAID_ON, **fields)


def test_a_line_of_a_prompt_shows_when_it_was_said_and_beside_it_the_time_it_names():
    october = {"start": "2026-10-01", "end": "2026-10-31"}
    plan = told("I fly to Oslo in October", metadata={"when": october}, occurred_at=datetime(2026, 10, 1, tzinfo=UTC))
    assert fence_line(plan) == "- [2026-08-16 · fact · from user · in 2026-10] I fly to Oslo in October"
    assert day_shown(plan) == "2026-08-16"


def test_a_date_that_an_extractor_gave_without_its_days_is_shown_too():
    assert when_shown(told("He leaves", occurred_at=datetime(2026, 10, 1, tzinfo=UTC))) == "on 2026-10-01"


def test_the_day_on_which_it_was_said_is_not_shown_twice():
    today = {"start": "2026-08-16", "end": "2026-08-16"}
    assert when_shown(told("I'm tired today", metadata={"when": today}, occurred_at=SAID_ON)) == ""
    assert when_shown(told("I'm tired", occurred_at=SAID_ON)) == ""


def test_an_unclear_date_is_past_in_a_question_if_that_is_the_default():
    (past,) = find_dates("the dentist on Thursday", SAID_ON, "past")
    assert past.start.date() == date(2026, 8, 13)
    (future,) = find_dates("the dentist next Thursday", SAID_ON, "past")
    assert future.start.date() == date(2026, 8, 20)
