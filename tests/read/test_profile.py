"""Whom a statement is about, and under which heading it belongs."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.read.profile.former import messages, replaced
from recollect.read.profile.subjects import about, asked_for
from recollect.read.profile.topics import heading
from recollect.types import Link, Memory

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = AT + timedelta(days=30)


def memory(text, id="m", **fields):
    return Memory(id=id, text=text, **{"created_at": AT, "valid_from": AT, **fields})


@pytest.mark.parametrize(
    ("text", "role", "subject", "key"),
    [
        ("I live in Tartu", None, "user", "user/live in"),
        ("my rent is 700 euros", None, "user", "user/rent"),
        ("Mirjam: I live in Tartu", "Mirjam", "Mirjam", "mirjam/live in"),
        ("Mirjam lives in Tartu", None, "Mirjam", "mirjam/live in"),
        ("My sister Clara lives in Tartu", None, "user", "user's sister clara/live in"),
        ("The rate limit is 50", None, "user", "rate limit/is"),
        ("Jonas plays the cello with me", None, "Jonas", None),
        ("We play the cello with Jonas", None, "user", None),
        ("The user plays the cello", None, "user", None),
        ("The user lives in Tartu", None, "user", "user/live in"),
        ("I moved to Ghent yesterday. (2026-02-28)", "user", "user", "user/live in"),
        ("张伟住在杭州", None, "张伟", "张伟/live in"),
    ],
)
def test_the_subject_is_who_the_sentence_is_about(text, role, subject, key):
    found = about(memory(text, role=role))
    assert (found.subject, found.key) == (subject, key)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [("Zoë  Maartens", "zoe maartens"), ("me", "user"), ("I", "user"), ("my sister", "sister"), ("Theo", "theo")],
)
def test_a_name_is_asked_for_in_any_form(asked, wanted):
    assert asked_for(asked) == wanted


@pytest.mark.parametrize(
    ("text", "wanted", "fields"),
    [
        ("I live in Tartu", "Home", {}),
        ("I work at Heron Labs", "Work and study", {}),
        ("My manager is Owen", "Work and study", {}),
        ("I am 34", "Personal", {}),
        ("My name is Mirjam", "Personal", {}),
        ("My favourite colour is green", "Likes", {}),
        ("I drive a van", "Things and settings", {}),
        ("The build runs as FERRY-4711", "Things and settings", {}),
        ("Mirjam is allergic to walnuts", "Health and diet", {}),
        ("My sister Clara works at Heron Labs", "People", {}),
        ("Never deploy on a Friday", "Things and settings", {"kind": "constraint"}),
        ("No walnuts in the kitchen, Mirjam is allergic", "Health and diet", {"kind": "constraint"}),
        ("Jonas wants to run a marathon", "Plans and dates", {"kind": "goal"}),
        ("Jonas went sailing", "What happened", {"kind": "event"}),
        ("Jonas sails", "Other", {}),
        ("Tea in the garden", "Plans and dates", {"kind": "event", "occurred_at": NOW + timedelta(days=1)}),
        ("The deadline is 3 April", "Plans and dates", {"occurred_at": NOW}),
        ("Tea in the garden", "What happened", {"kind": "event", "occurred_at": NOW - timedelta(days=1)}),
        ("I like to row", "Likes", {"metadata": {"facets": ["preferences"]}}),
        ("Jonas sails", "Other", {"metadata": {"facets": "preferences"}}),
    ],
)
def test_the_heading_follows_attribute_date_kind_and_words(text, wanted, fields):
    each = memory(text, **fields)
    assert heading(each, about(each), NOW) == wanted


def test_a_circle_of_replacements_ends():
    links = [Link(a="b", b="a", kind="supersedes"), Link(a="a", b="b", kind="supersedes")]
    held = {id: memory(f"Ada lives at {id}", id=id, status="superseded") for id in "ab"}
    assert [each.id for each in replaced(["b"], links, held, {})["b"]] == ["a"]


def test_the_message_of_a_statement_is_the_one_of_its_own_session_and_turn():
    fact = memory("I live in Tartu", id="f", granularity="fact", session_id="s", turn=2)
    turns = {
        id: memory("I live in Tartu", id=id, granularity="turn", session_id="s", turn=n)
        for id, n in (("t1", 1), ("t2", 2))
    }
    links = [Link(a="f", b=id, kind="extends") for id in ("t1", "t2", "gone")]
    assert messages([fact], links, turns) == {"f": "t2"}
