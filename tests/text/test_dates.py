import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.dates import find_dates, find_when
from recollect.text.moments import parse_moment
from recollect.types import When

# Labelled by hand. A meaning is a day, `first..last` with both inside, several joined by a comma, or
# nothing; unless a case says otherwise it was said on this Saturday. `asked` marks a question, whose dates are past.
SAID_ON = "2023-05-20T10:00:00+00:00"
CASES = [json.loads(line) for line in Path(__file__).with_name("dates.jsonl").read_text("utf-8").splitlines()]
REQUIRED_ACCURACY = 0.95


def read(case):
    """The spans found, written as in dates.jsonl."""
    spans = []
    default = "past" if case.get("asked") else "future"
    for span in find_dates(case["text"], parse_moment(case.get("said_on", SAID_ON)), default):
        first, last = span.start.date(), (span.end - timedelta(days=1)).date()
        spans.append(f"{first}" if first == last else f"{first}..{last}")
    return ", ".join(spans)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hand_labelled_dates_are_read_as_people_mean_them(language):
    cases = [case for case in CASES if case["language"] == language]
    wrong = [(case["text"], case["meant"], got) for case in cases if (got := read(case)) != case["meant"]]
    assert 1 - len(wrong) / len(cases) >= REQUIRED_ACCURACY, wrong


def test_a_page_full_of_dates_is_read_in_linear_time():
    assert len(find_dates("on 2 May 2023, " * 2_000, parse_moment(SAID_ON))) >= 1_900


def test_spans_are_in_the_speakers_zone():
    at = datetime(2023, 5, 20, 1, tzinfo=timezone(timedelta(hours=8)))
    (span,) = find_dates("yesterday", at)
    assert span.start.isoformat() == "2023-05-19T00:00:00+08:00"
    assert span.end.isoformat() == "2023-05-20T00:00:00+08:00"


@pytest.mark.parametrize(
    ("text", "kind"), [("20 May 2023", "absolute"), ("in March", "partial"), ("two days ago", "relative")]
)
def test_a_span_says_how_it_was_written(text, kind):
    (span,) = find_dates(f"It was {text}.", parse_moment(SAID_ON))
    assert (span.kind, span.text) == (kind, text)


def test_a_naive_moment_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        find_dates("yesterday", datetime(2023, 5, 20))  # noqa: DTZ001


TIME_WORDS = st.lists(
    st.sampled_from(
        "last next this in May March 3 20th 2023 week month Tuesday days ago two a few the of on 5/20 "
        "Christmas Q3 summer 上周 二 月 三 天 前 号 年 去年 后 的 周末 will was to or around every until after".split()
    ),
    max_size=12,
).map(" ".join)
OTHER_WORDS = st.lists(
    st.sampled_from(
        "el lunes que viene pasado hace dos semanas del 3 al 14 de mayo 2023 o entre y mañana cada fin | "
        "am 3. bis Oktober nächsten Freitag vor zwei Wochen oder zwischen und heute ab morgen Ende Monats erste | "
        "le lundi prochain il y a deux semaines du 5 au mai 2023 ou entre et demain fin mois dernier premier de".split()
    ),
    max_size=12,
).map(" ".join)


CHINESE_WORDS = st.text(
    "零〇一二两三四五六七八九十百0123年月日号周末上下个前后的初中底第到、半天每季度春大去明", max_size=10
)


def test_two_months_in_a_row_are_a_range():
    (span,) = find_dates("三四月我们去了青岛", parse_moment(SAID_ON))
    assert (span.start.date().isoformat(), span.end.date().isoformat()) == ("2023-03-01", "2023-05-01")


@given(TIME_WORDS | OTHER_WORDS | CHINESE_WORDS, st.datetimes(min_value=datetime(1, 1, 1)))
def test_any_time_words_at_any_moment_give_ordered_spans(text, at):
    spans = find_dates(text, at.replace(tzinfo=UTC))
    assert all(span.start < span.end for span in spans)
    edges = [(span.position, span.position + len(span.text)) for span in spans]
    assert all(end <= start for (_, end), (start, _) in zip(edges, edges[1:], strict=False))
    assert all(text[span.position :].startswith(span.text) for span in spans)


@given(st.text() | TIME_WORDS | OTHER_WORDS, st.datetimes(min_value=datetime(1, 1, 1)))
def test_arbitrary_text_never_fails(text, at):
    when = find_when(text, at.replace(tzinfo=UTC))
    assert when is None or When.from_metadata({"when": when.to_dict()}) == when
    assert str(when)
