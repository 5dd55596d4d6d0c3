import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.sides import sides


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which came first, the new desk or the brass lamp?", ("the new desk", "the brass lamp")),
        (
            "Which did I buy earlier, the tent for Ida, the green stove or the new boots?",
            ("the tent for Ida", "the green stove", "the new boots"),
        ),
        (
            "Before I order: which wine did I like more, the red one from Porto or the white one from Bilbao?",
            ("the red one from Porto", "the white one from Bilbao"),
        ),
        (
            "Which plant needs more water, the old fern or the tall cactus, and how often?",
            ("the old fern", "the tall cactus"),
        ),
        (
            "In what order did these happen: the flat tyre, the job interview, and Ana's wedding?",
            ("the flat tyre", "the job interview", "Ana's wedding"),
        ),
        (
            "How many days lie between buying bread and flour and buying the new oven?",
            ("buying bread and flour", "buying the new oven"),
        ),
        ("weeks between the first lesson and the recording day", ("the first lesson", "the recording day")),
        (
            "Between the street carnival and the harvest festival, which one came first?",
            ("the street carnival", "the harvest festival"),
        ),
        (
            "How many days before the meeting I was preparing did I see the dentist about my crown?",
            ("the meeting I was preparing", "I see the dentist about my crown"),
        ),
        ("How long after the broken window was the glazier at work?", ("the broken window", "the glazier at work")),
        (
            "How many weeks had passed since I sold the old van when the new car came?",
            ("I sold the old van", "the new car came"),
        ),
        (
            "How long had I been learning Welsh when I sat the exam?",
            ("learning Welsh", "I sat the exam"),
        ),
    ],
)
def test_a_question_that_compares_has_sides(question, found):
    assert sides(question) == found


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Where is the spare key?",
        "Do I drink tea or coffee?",
        "Last week, did I buy red apples or green pears?",
        "Which is better, tea or coffee?",  # a single word says too little
        "Where was I between 11 May and the 15th of May 2023?",
        "How many meetings were there between March and June?",
        "What did the sales team and the design team agree on?",
        "What came out of the talk between my sister and her old landlord?",
        "In what order did I visit the old mill, the stone bridge and the chapel?",  # where the list begins is open
        "Any more ideas for the trip, city museums or long hikes?",
        "which is older, the red barn or " + "the very old mill " * 40,
        "金融论坛和徒步之旅哪个活动的持续时间更长？",
    ],
)
def test_a_question_for_one_thing_has_none(question):
    assert sides(question) == ()


@given(st.text(max_size=200))
def test_any_text_has_no_side_or_several(text):
    found = sides(text)
    assert len(found) != 1
    assert all(side and side in text for side in found)


WORDS = ("which", "first", ",", "between", "and", "or", ":", "the old mill", "when", "how many")


@given(st.lists(st.sampled_from(WORDS)))
def test_the_words_that_matter_in_any_order(words):
    assert all(side in " ".join(words) for side in sides(" ".join(words)))
