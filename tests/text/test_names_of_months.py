"""Names of people that are months too, in questions about two people."""

import pytest

from recollect.text.whose import means_other


@pytest.mark.parametrize(
    ("own", "other", "question"),
    [
        ("Anna called Jan on Monday.", "Jan called Anna on Friday.", "When did Anna call Jan?"),
        ("Jan called Anna on Friday.", "Anna called Jan on Monday.", "When did Jan call Anna?"),
        ("June lent Tom a drill.", "Tom lent June a ladder.", "What did June lend Tom?"),
        ("April owes May ten pounds.", "May owes April six pounds.", "What does April owe May?"),
        ("August teaches Tom French.", "Tom teaches August chess.", "What does August teach Tom?"),
    ],
)
def test_a_person_named_like_a_month_is_a_person(own, other, question):
    assert means_other(own, other, question)


@pytest.mark.parametrize(
    "question",
    [
        "What did Anna lend Tom in June?",
        "What has Tom lent Anna since May?",
        "What did Anna lend Tom on 3 May?",
        "What did Anna lend Tom last August?",
        "What did Anna lend Tom before April 4?",
        "What did Anna lend Tom in early Jan 2026?",
    ],
)
def test_a_month_is_not_a_third_person(question):
    asked_tom = "Tom lent" in question or "has Tom" in question
    own, other = "Anna lent Tom a drill.", "Tom lent Anna a ladder."
    assert means_other(other, own, question) if asked_tom else means_other(own, other, question)
