from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.text.moments import add_days, parse_moment


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2023-05-20T07:34:00Z", datetime(2023, 5, 20, 7, 34, tzinfo=UTC)),
        ("2023-05-20T07:34:00", datetime(2023, 5, 20, 7, 34, tzinfo=UTC)),
        ("2023-05-20 07:34", datetime(2023, 5, 20, 7, 34, tzinfo=UTC)),
        ("2023-05-20", datetime(2023, 5, 20, tzinfo=UTC)),
        (" 2023-05-20 ", datetime(2023, 5, 20, tzinfo=UTC)),
        ("2023-05-20T07:34:00.250+00:00", datetime(2023, 5, 20, 7, 34, 0, 250_000, tzinfo=UTC)),
        ("2023/05/20 (Sat) 07:34", datetime(2023, 5, 20, 7, 34, tzinfo=UTC)),
        ("2023/05/20 07:34:10", datetime(2023, 5, 20, 7, 34, 10, tzinfo=UTC)),
        ("2023/05/20", datetime(2023, 5, 20, tzinfo=UTC)),
    ],
)
def test_usual_timestamps_are_read_and_default_to_utc(written, meant):
    assert parse_moment(written) == meant


def test_a_zone_is_kept_as_it_was_given():
    moment = parse_moment("2023-05-20T07:34:00+08:00")
    assert moment.utcoffset() == timedelta(hours=8)


def test_a_naive_datetime_is_taken_as_utc():
    assert parse_moment(datetime(2023, 5, 20)) == datetime(2023, 5, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    ["", "yesterday", "20/05/2023", "2023-13-01", "2023/02/30", "2023-05-20T25:00", "1684568040", "\ud800"],
)
def test_anything_else_is_refused_with_the_accepted_forms(written):
    with pytest.raises(InvalidInput, match="accepted: ISO 8601"):
        parse_moment(written)


def test_a_number_is_refused():
    with pytest.raises(InvalidInput):
        parse_moment(1684568040)  # type: ignore[arg-type]


def test_a_moment_that_does_not_exist_in_utc_is_refused():
    with pytest.raises(InvalidInput):
        parse_moment("0001-01-01T00:00:00+10:00")


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),
    st.integers(min_value=-14 * 60, max_value=14 * 60),
)
def test_iso_text_reads_back_as_the_same_moment(naive, offset):
    moment = naive.replace(tzinfo=timezone(timedelta(minutes=offset)))
    assert parse_moment(moment.isoformat()) == moment


@given(st.text())
def test_no_text_raises_anything_but_invalid_input(text):
    try:
        parse_moment(text)
    except InvalidInput:
        pass


@pytest.mark.parametrize(
    ("moment", "days", "expected"),
    [
        (datetime(2024, 2, 28, tzinfo=UTC), 2, datetime(2024, 3, 1, tzinfo=UTC)),
        (datetime(2024, 3, 1, 12, tzinfo=UTC), -0.5, datetime(2024, 3, 1, tzinfo=UTC)),
        (datetime(9999, 12, 31, tzinfo=UTC), 1, datetime.max.replace(tzinfo=UTC)),
        (datetime(1, 1, 1, tzinfo=UTC), -1, datetime.min.replace(tzinfo=UTC)),
        (datetime(2024, 1, 1, tzinfo=UTC), 1e15, datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_days_lead_no_further_than_the_calendar(moment, days, expected):
    assert add_days(moment, days) == expected
