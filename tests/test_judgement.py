"""What is merged, hidden or consolidated adds no word, number, name, negation or direction to what stays."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect import Recollect
from recollect.extractors.judgement import adds_nothing, judge

NOW = "2026-11-01T12:00:00Z"
EVERY = ["active", "superseded", "contradicted", "consolidated"]
PAIRS = {
    "My {} is short": ["answer", "letter", "report", "visit"],
    "The lamp in the {} is broken": ["kitchen", "bedroom", "cellar", "attic"],
    "Ada painted the door {}": ["red", "blue", "green", "white"],
    "The order is for {} chairs": ["2", "12", "20", "twelve hundred"],
    "The client {} the weekly report": ["wants", "dreads", "wanted", "does not want"],
    "{} owes me ten euros": ["Ben", "Ada", "Carla", "The bank"],
    "The {} stairs are steep": ["upper", "lower", "old", "new"],
    "{}": ["Ben owes me ten euros", "I owe Ben ten euros", "I owe Ada ten euros", "Ben owes me no euros"],
    "I prefer {}": ["tea to coffee", "coffee to tea", "tea", "coffee"],
    "The boy is {} than his sister": ["older", "younger", "taller", "shorter"],
    "我的房间是{}": ["红色的", "蓝色的", "楼上的", "楼下的"],
}
STATEMENTS = st.sampled_from([pattern.format(word) for pattern, words in PAIRS.items() for word in words])
FILLERS = st.sampled_from(["{}", "{}.", "By the way, {}", "Well, {}!", "{}, you know"])
SAID = st.lists(st.builds(lambda text, how: how.format(text), STATEMENTS, FILLERS), min_size=2, max_size=6)
OTHERS = [f"{word} {word[::-1]} {word * 2}" for word in "anchor bramble candle dynamo ember falcon glacier".split()]
SMALL_WORDS = {"by", "the", "way", "well", "you", "know", "a", "an"}


def words(text):
    """Independent of the product: what a reader sees, in order."""
    found = re.findall(r"[^\W_]+|[\u4e00-\u9fff]", text.lower())
    return [word for word in found if word not in SMALL_WORDS]


def holds_all(text, part):
    """Whether the words of the part stand side by side in the text."""
    longer, shorter = words(text), words(part)
    return any(longer[n : n + len(shorter)] == shorter for n in range(len(longer) - len(shorter) + 1))


@settings(max_examples=40, deadline=None)
@given(SAID)
def test_what_is_merged_when_writing_adds_nothing(said):
    with Recollect(":memory:", embedder="hashing") as mind:
        for text in said:
            made = mind.remember(text)
            if made.merged_into:
                assert holds_all(mind.get(made.merged_into).text, text), (text, mind.get(made.merged_into).text)
        assert {" ".join(words(text)) for text in said} == {" ".join(words(m.text)) for m in mind.list(statuses=EVERY)}


@settings(max_examples=25, deadline=None)
@given(SAID, st.data())
def test_what_results_leave_out_adds_nothing_to_what_they_show(said, data):
    asked = data.draw(st.sampled_from(said))
    with Recollect(":memory:", embedder="hashing") as mind:
        mind.remember_many([{"text": text, "dedup": False} for text in said])
        shown = [hit.memory.text for hit in mind.recall(asked, limit=50, recipe="default", track=False).hits]
        every = [hit.memory.text for hit in mind.recall(asked, limit=50, recipe="bm25", track=False).hits]
        for text in every:
            assert any(holds_all(better, text) for better in shown), (text, shown)


@settings(max_examples=15, deadline=None)
@given(SAID)
def test_what_is_consolidated_adds_nothing_to_its_summary(said):
    with Recollect(":memory:", embedder="hashing") as mind:
        mind.remember_many([{"text": text, "dedup": False, "at": NOW} for text in [*OTHERS * 3, *said * 2]])
        for summary in mind.consolidate(at=NOW):
            for id in summary.metadata["consolidates"]:
                assert holds_all(summary.text, mind.get(id).text)


@given(STATEMENTS, STATEMENTS)
def test_only_what_is_the_same_word_for_word_is_judged_the_same(one, other):
    assert (judge(one, other) == "same") == (words(one) == words(other))
    assert adds_nothing(one, other) <= holds_all(other, one)


@given(STATEMENTS, st.sampled_from(["red", "not", "12", "Ada", "never", "upstairs"]), st.integers(0, 6))
def test_another_word_anywhere_adds_something(text, word, place):
    written = text.split()
    longer = " ".join([*written[:place], word, *written[place:]])
    assert judge(text, longer) != "same" and not adds_nothing(longer, text)
