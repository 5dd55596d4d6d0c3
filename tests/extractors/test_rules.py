import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.extractors.rules import Rules, extract
from recollect.types import When

# Written and labelled by hand before the rules were; rules were tuned on the half called dev only.
SENTENCES = [json.loads(line) for line in Path(__file__).with_name("facets.jsonl").read_text("utf-8").splitlines()]
REQUIRED_PRECISION, REQUIRED_RECALL = 0.9, 0.7
SAID_ON = datetime(2023, 5, 20, 10, tzinfo=UTC)


def facets_of(text):
    return {facet for statement in extract(text) for facet in statement.facets}


@pytest.mark.parametrize("half", ["dev", "held_out"])
def test_facets_agree_with_the_labels(half):
    right = found = labelled = 0
    for case in (case for case in SENTENCES if case["half"] == half):
        got, want = facets_of(case["text"]), set(case["facets"])
        right, found, labelled = right + len(got & want), found + len(got), labelled + len(want)
    assert right / found >= REQUIRED_PRECISION
    assert right / labelled >= REQUIRED_RECALL


def test_the_labelled_set_is_large_and_in_two_languages():
    assert len(SENTENCES) >= 200
    assert sum(not case["text"].isascii() for case in SENTENCES) >= 60


@pytest.mark.parametrize(
    "text",
    ["Where do I live?", "Can you help me", "Please write a poem", "Thanks!", "Okay.", "你能帮我吗？", "好的，谢谢", ""]
    + ["const x = f(1);", "| a | b | 1 |", "\x00\ud800"],
)
def test_questions_requests_small_talk_and_code_state_nothing(text):
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "value"),
    [
        ("I live in Oslo.", "user", "live in", "Oslo"),
        ("We moved to Lyon last month.", "user", "live in", "Lyon"),
        ("I work at Acme now", "user", "work at", "Acme"),
        ("My wife works at a museum.", "user's wife", "work at", "museum"),
        ("Ada lives in Leeds", "ada", "live in", "Leeds"),
        ("Ada's manager is Bob", "ada", "manager", "Bob"),
        ("the rate limit is 100", "rate limit", "is", "100"),
        ("The deadline has moved to Monday.", "deadline", "is", "Monday"),
        ("We changed the timeout to 60 seconds", "timeout", "is", "60 seconds"),
        ("My favourite colour is green", "user", "favorite color", "green"),
        ("My phone number is 555-0134.", "user", "phone number", "555-0134"),
        ("pool_mode is transaction", "pool_mode", "is", "transaction"),
        ("i live in oslo", "user", "live in", "oslo"),
        ("我住在上海", "user", "live in", "上海"),
        ("我去年三月搬到了杭州。", "user", "live in", "杭州"),
        ("我在银行工作", "user", "work at", "银行"),
        ("我的手机号是13800000000", "user", "手机号", "13800000000"),
        ("接口限制改为200", "接口限制", "is", "200"),
        ("我的下属今年34岁。", "user's 下属", "age", "34"),
    ],
)
def test_what_something_is_becomes_subject_attribute_and_value(text, subject, attribute, value):
    (statement,) = extract(text)
    assert (statement.subject, statement.attribute, statement.value) == (subject, attribute, value)


@pytest.mark.parametrize(
    "text",
    ["I used to live in Lyon", "I might move to Berlin", "I don't live in Oslo", "He lives in Rome", "I like tea"]
    + ["I want to work at Acme", "我想搬到北京", "我不住在上海", "他住在罗马"],
)
def test_the_past_wishes_denials_and_pronouns_give_no_value(text):
    assert all(statement.value is None for statement in extract(text))


def test_relative_dates_are_resolved_and_the_words_stay_as_they_were_said():
    (statement,) = extract("I saw Ben last Tuesday.", at=SAID_ON)
    assert statement.occurred_at == datetime(2023, 5, 16, tzinfo=UTC)
    assert statement.when == When(start=date(2023, 5, 16), end=date(2023, 5, 16))
    assert statement.text == "I saw Ben last Tuesday."
    assert statement.entities == ("Ben",)


def test_a_rhythm_has_no_first_moment():
    (statement,) = extract("I swim every Tuesday with Ben.", at=SAID_ON)
    assert statement.occurred_at is None
    assert statement.when == When(repeats="weekly", days=("tue",))


def test_the_speaker_is_named_where_they_speak_of_themselves():
    mine, theirs = extract("I live in Oslo. Bob lives in Rome.", speaker="Ada")
    assert (mine.text, mine.subject) == ("Ada: I live in Oslo.", "ada")
    assert theirs.text == "Bob lives in Rome."


def test_a_short_answer_is_kept_with_its_question():
    (statement,) = extract("Oslo.", asked="Where do you live?", speaker="Ada")
    assert statement.text == "Where do you live? Ada: Oslo."


def test_clauses_about_the_speaker_are_statements_of_their_own():
    texts = [statement.text for statement in extract("I live in Oslo, and I work at Acme.")]
    assert texts == ["I live in Oslo", "I work at Acme."]


def test_the_class_and_the_function_say_the_same():
    assert Rules().extract("I live in Oslo.") == extract("I live in Oslo.")
    assert Rules().name == "rules"


@given(st.text(alphabet=st.characters()))
def test_any_text_gives_the_same_statements_twice(text):
    assert extract(text, at=SAID_ON) == extract(text, at=SAID_ON)
