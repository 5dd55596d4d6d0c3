from dataclasses import replace

import pytest
from several_topics import ONE, OTHERS, SEVERAL
from topic_domains import MEMORIES, PARTLY
from topic_domains import SEVERAL as IN_DOMAINS

from recollect import Recollect, recipes
from recollect.text.topics import question_topics


@pytest.mark.parametrize("question", SEVERAL)
def test_a_question_with_several_topics_is_taken_apart(question):
    assert len(question_topics(question)) == len(SEVERAL[question])


@pytest.mark.parametrize("question", ONE)
def test_a_question_about_one_thing_stays_whole(question):
    assert question_topics(question) == ()


def test_the_topics_are_as_written():
    asked = "What do you know about my diet, my allergies and what the doctor said?"
    assert question_topics(asked) == ("my diet", "my allergies", "what the doctor said")
    assert question_topics("Tell me about my a, b, c, d, e and f") == ()  # too many
    assert question_topics("my diet and my allergies, " * 20) == ()  # a pasted text


@pytest.fixture(scope="module")
def told():
    with Recollect(":memory:") as mind:
        texts = [*OTHERS, *(text for question in ENGLISH for text in SEVERAL[question])]
        mind.remember_many([{"text": text, "dedup": False} for text in texts])
        yield mind


ENGLISH = [question for question in SEVERAL if question.isascii()]
UNTOLD = [
    "What is my bank's name, the colour of my bike and who painted the fence?",
    "Tell me about my piano lessons, my parrot and the marathon",
    "What are my grandmother's maiden name and my son's teacher?",
]


def covered(mind, question, recipe):
    """The share of the topics whose memory is among the first five."""
    found = mind.recall(question, recipe=recipe, limit=5, track=False)
    texts = {hit.memory.text for hit in found.hits or found.nearest}
    return sum(text in texts for text in SEVERAL[question]) / len(SEVERAL[question])


@pytest.mark.parametrize("recipe", ["default", "default-fast"])
def test_f14_every_topic_is_covered_within_the_limit(told, recipe):
    whole = replace(recipes.load(recipe), name="whole", split_topics=False)
    apart, together = ({question: covered(told, question, name) for question in ENGLISH} for name in (recipe, whole))
    assert sum(apart.values()) / len(apart) >= 0.98
    assert all(apart[question] >= together[question] for question in ENGLISH)


@pytest.fixture(scope="module")
def domains():
    with Recollect(":memory:") as mind:
        mind.remember_many([{"text": text, "dedup": False} for text in MEMORIES])
        yield mind


@pytest.mark.parametrize(("recipe", "least"), [("default", 0.97), ("default-fast", 0.95)])
def test_topics_are_covered_among_memories_that_are_near_to_one_of_them(domains, recipe, least):
    covered = {}
    for question, topics in IN_DOMAINS.items():
        found = " ".join(hit.memory.text for hit in domains.recall(question, recipe=recipe, limit=5, track=False).hits)
        covered[question] = sum(topic in found for topic in topics) / len(topics)
    assert sum(covered.values()) / len(covered) >= least, covered


@pytest.mark.parametrize("question", PARTLY)
def test_a_question_is_answered_if_one_of_its_topics_was_told(domains, question):
    hits = domains.recall(question, track=False).hits
    assert all(any(topic in hit.memory.text for hit in hits) for topic in PARTLY[question])


def test_a_question_is_not_refused_if_its_topics_are_not_refused(told):
    """As a whole it was refused: what answers one of its halves is far from both."""
    assert told.recall("How old is my daughter and which school does she attend?", track=False).rejected is None


KNOWN_FAULT = pytest.mark.xfail(strict=True, reason="the reader takes the accountant's name for the bank's")


@pytest.mark.parametrize("question", [pytest.param(UNTOLD[0], marks=KNOWN_FAULT), *UNTOLD[1:]])
def test_taking_topics_apart_answers_nothing_that_was_never_told(told, question):
    assert told.recall(question, track=False).hits == ()


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Where do I live now, and where did I work before?", "I work at Shell", "I moved to Bath last week"),
        ("Where did I live before, and where do I work now?", "I live in Leeds", "I work at BP now"),
    ],
)
def test_each_of_two_questions_asks_about_its_own_time(question, first, second):
    with Recollect(":memory:") as mind:
        for text, at in (
            ("I live in Leeds", "2026-01-05"),
            ("I work at Shell", "2026-01-06"),
            ("I moved to Bath last week", "2026-06-05"),
            ("I work at BP now", "2026-07-06"),
        ):
            mind.remember(text, at=at)
        hits = mind.recall(question, at="2026-08-01", limit=2, track=False).hits
    assert {hit.memory.text for hit in hits} == {first, second}


def test_a_topic_without_candidates_counts_as_not_told():
    default = recipes.load("default")
    fuse = replace(default.fuse, routes={"lexical": default.fuse.routes["lexical"]})
    by_words = replace(default, name="words", routes=default.routes[:1], fuse=fuse)
    with Recollect(":memory:") as mind:
        mind.remember("My shoe size is 43")
        one = mind.recall("What is my shoe size?", recipe=by_words, track=False)
        two = mind.recall("What is my shoe size and where is the xylophone?", recipe=by_words, track=False)
    assert two.confidence == pytest.approx(one.confidence / 2, abs=0.05)


def test_an_unknown_code_refuses_a_question_only_if_every_topic_names_one(told):
    half = told.recall("What is my shoe size, and where is order QX-99812?", track=False)
    assert "My shoe size is 43" in [hit.memory.text for hit in half.hits]
    both = told.recall("What is the status of order QX-99813, and where is order QX-99812?", track=False)
    assert both.hits == () and "occur" in both.rejected


def test_the_trace_and_the_explanations_name_the_topics(told):
    found = told.recall("Tell me about Ana's new job and Tom's surgery", recipe="default-fast", track=False)
    assert [step.note for step in found.trace if step.stage == "topic"] == ["Ana's new job", "Tom's surgery"]
    assert "asked for: " in found.hits[0].explanation.note
