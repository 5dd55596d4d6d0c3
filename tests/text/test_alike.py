"""Two short statements of the same form: is one another value of the same thing, or another thing?"""

import pytest

from recollect.text.alike import relation

DARK, LIGHT = "Ada prefers dark mode", "Ada prefers light mode"
FRONT, REAR = "tractor front tyres: 1.6 bar", "tractor rear tyres: 1.2 bar"


@pytest.mark.parametrize(
    ("own", "other", "question"),
    [
        (DARK, LIGHT, "which theme does Ada like?"),
        (DARK, LIGHT, "does Ada prefer dark mode?"),
        (DARK, LIGHT, "does Ada still prefer dark mode?"),
        (FRONT, REAR, "what pressure do the tyres of the tractor have?"),
        ("wifi password: pinecone77", "wifi password: loonlake-guest", "how do I get into the wifi?"),
        ("I take my tea with milk", "I take my tea black", "how do I drink tea?"),
        ("我喜欢深色模式", "我喜欢浅色模式", "我喜欢哪种主题？"),
    ],
)
def test_another_value_of_the_same_thing(own, other, question):
    assert relation(own, other, question) == "alike"


@pytest.mark.parametrize(
    ("own", "other", "question"),
    [
        (FRONT, REAR, "what pressure do the front tyres need?"),
        (DARK, LIGHT, "since when does she prefer dark mode?"),
        ("Tom's locker is 12", "Tim's locker is 31", "which locker does Tom have?"),
        ("my probation ends in August", "Elif's probation ends in November", "when is my probation over?"),
        ("给奶奶买的是钙片", "给爷爷买的是鱼油", "我给奶奶买了哪种药？"),
    ],
)
def test_the_question_names_what_only_one_of_them_has(own, other, question):
    assert relation(own, other, question) == "other thing"
    assert relation(other, own, question) is None


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (DARK, "Tom prefers light mode"),  # another person
        (DARK, "Ada moved to Porto"),
        (DARK, DARK),
        (DARK, "Does Ada prefer light mode?"),
        ("Ada: yes", "Ada: no"),  # a name in front says who speaks
        ("Tom lives in Leeds", "Ann lives in York"),
        (f"{DARK} {'and more ' * 20}", f"{LIGHT} {'and more ' * 20}"),
        ("", ""),
        ("👀", "👍"),
        (":", ": :"),
    ],
)
def test_not_sure(own, other):
    assert relation(own, other, "what does she like?") is None


@pytest.mark.parametrize(
    ("own", "other", "question"),
    [
        (FRONT, REAR, "which need more pressure, the front or the rear tyres?"),
        ("Ben has a PhD in law", "Ann has a PhD in physics", "who studied longer, Ben or Ann?"),
        ("我表姐身高164厘米", "我上司身高171厘米", "那42岁的人身高是多少？"),
        ("我同事是个警司", "我的下属是个警员", "同事现在是什么职位？"),
    ],
)
def test_neither_if_the_question_names_both_or_they_differ_in_two_places(own, other, question):
    assert relation(own, other, question) is None
