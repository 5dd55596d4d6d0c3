import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.text.comparisons import comparison_sides


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
            "Which came first this year, my daughter's result or my father moving in?",
            ("my daughter's result", "my father moving in"),
        ),
        (
            "Which happened first — the kitchen remodel or the roof repair?",
            ("the kitchen remodel", "the roof repair"),
        ),
        (
            "Which tests run first, the unit tests or the browser tests, before merging to main?",
            ("the unit tests", "the browser tests"),
        ),
        (
            "Put these in order: the old mill, the stone bridge, the chapel of Ana",
            ("the old mill", "the stone bridge", "the chapel of Ana"),
        ),
        (
            "How long had I been learning Welsh when I sat the exam?",
            ("learning Welsh", "I sat the exam"),
        ),
    ],
)
def test_a_question_that_compares_has_sides(question, found):
    assert comparison_sides(question) == found


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
        "What did I order last time, the spicy noodles or the fried rice?",
        "Who called me after the party, my brother Max or his roommate Leo?",
        "What is the most common error, a null pointer or a missing env variable?",
        "Which environment did we deploy to last night, the staging cluster or the canary cluster?",
        "What did we decide last week about the API contract between the mobile app and the billing service?",
        "In order to deploy, what do I need, a service account or an admin token?",
        "Which function is called before save(), validate_input() or normalize_fields()?",
        "How many microservices did we split between the backend team and the platform team?",
        "What's my best friend's name, and does she prefer red wine or white wine?",
        "How long after the second vaccine dose is given should I rest at home?",
        "How long before my passport renewal is due next year?",
        "Which meeting did I leave early, the budget review or the design review?",
        "What time is the call between the sales team and the design team?",
        "How many days between , and what?",
        "How long is the drive between Porto city centre and Lisbon airport?",
        "How many miles are there between Porto city centre and Lisbon airport?",
        "What were the days like between the Porto marathon and the long weekend in Reykjavik?",
        "Which order: " + ", ".join(f"old thing {n}" for n in range(7)),  # a pasted list
        "which is older, the red barn or " + "the very old mill " * 40,
        "金融论坛和徒步之旅哪个活动的持续时间更长？",
    ],
)
def test_a_question_for_one_thing_has_none(question):
    assert comparison_sides(question) == ()


@given(st.text(max_size=200))
def test_any_text_has_no_side_or_several(text):
    found = comparison_sides(text)
    assert len(found) != 1
    assert all(side and side in " ".join(text.split()) for side in found)


WORDS = ("which", "first", ",", "between", "and", "or", ":", "the old mill", "when", "how many")


@example(["first", "between", ",", "and", "which"])
@given(st.lists(st.sampled_from(WORDS)))
def test_the_words_that_matter_in_any_order(words):
    assert all(side in " ".join(words) for side in comparison_sides(" ".join(words)))
