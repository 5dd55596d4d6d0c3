"""Dates as people type them in options."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from recollect.cli.dates import typed_moment
from recollect.errors import InvalidInput

NOW = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-20", "2026-05-20T00:00:00+00:00"),
        ("2026-05-20T07:34:00+02:00", "2026-05-20T07:34:00+02:00"),
        ("2026-06", "2026-06-01T00:00:00+00:00"),
        ("2025", "2025-01-01T00:00:00+00:00"),
        ("now", "2026-11-18T15:00:00+00:00"),
        ("today", "2026-11-18T00:00:00+00:00"),
        ("Yesterday", "2026-11-17T00:00:00+00:00"),
        ("last March", "2026-03-01T00:00:00+00:00"),
        ("last week", "2026-11-09T00:00:00+00:00"),
        ("three days ago", "2026-11-15T00:00:00+00:00"),
        ("gestern", "2026-11-17T00:00:00+00:00"),
    ],
)
def test_a_date_is_understood(text, expected):
    assert typed_moment("since", text, UTC, NOW).isoformat() == expected


def test_a_day_begins_in_the_users_time_zone():
    assert typed_moment("since", "today", ZoneInfo("Asia/Tokyo"), NOW).isoformat() == "2026-11-19T00:00:00+09:00"


def test_a_month_without_a_year_is_the_last_one_unless_something_expires():
    assert typed_moment("since", "in March", UTC, NOW).year == 2026
    assert typed_moment("expires_at", "in March", UTC, NOW).year == 2027


@pytest.mark.parametrize("text", ["soon", "2026-13", "", "yesterday or today maybe", "Ada moved yesterday"])
def test_anything_else_is_refused_with_examples(text):
    with pytest.raises(InvalidInput, match="--as-of: .*last March"):
        typed_moment("as_of", text, UTC, NOW)
