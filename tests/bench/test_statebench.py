"""StateBench at retrieval level: only turns are stored, and every column is worked out by hand."""

import pytest

from recollect import recipes
from recollect.bench import state_study
from recollect.bench.data import Session
from recollect.bench.datasets.statebench import StateQuery, load, mentions
from recollect.bench.replay import Found, Replay, Reply
from recollect.embedders.hashing import Hashing
from recollect.errors import InvalidInput
from recollect.text.moments import parse_moment


def query(must=("orangery",), must_not=("boathouse",)):
    at = parse_moment("2025-04-01")
    said = ("It is the boathouse.", "It is the orangery.")
    return StateQuery(id="q", type="supersession", text="where?", at=at, must=must, must_not=must_not, said=said)


def reply(*texts):
    hits = tuple(Found(key="c/0", text=text, score=1.0) for text in texts)
    return Reply(recipe="bm25", hits=hits, rejected=None, confidence=0.5)


def test_only_what_was_said_before_a_query_is_stored(file, timelines):
    bench = load(file("dev.jsonl.gz", timelines))
    assert (len(bench.timelines), bench.left_out) == (2, 1)
    first, early, second, late = bench.timelines[0]
    assert [len(step.turns) for step in (first, second)] == [2, 3] and first.id == second.id
    assert [turn.at.minute for turn in second.turns] == [1, 2, 4]
    stored = " ".join(turn.text for step in bench.timelines[0] if isinstance(step, Session) for turn in step.turns)
    assert "pavilion" not in stored  # it stands in a write, which is a label
    assert (early.must, early.must_not) == (("boathouse",), ("orangery",))
    assert late.must == ("orangery|greenhouse",)  # nobody spoke of a rain plan


def test_a_phrase_is_found_in_any_case_and_in_any_of_its_wordings():
    assert mentions(["At the BOATHOUSE"], "boathouse")
    assert mentions(["in the greenhouse"], "orangery|greenhouse") and not mentions(["outside"], "orangery|greenhouse")


@pytest.mark.parametrize(
    ("texts", "clean_1", "mentions_1", "both_1", "clean_5", "mentions_5", "nothing"),
    [
        (("the orangery", "the boathouse"), 1, 1, 1, 0, 1, 0),
        (("the boathouse", "the orangery"), 0, 0, 0, 0, 1, 0),
        (("orangery, not boathouse",), 0, 1, 0, 0, 1, 0),
        (("something else", "more"), 1, 0, 0, 1, 0, 0),
        ((), 1, 0, 0, 1, 0, 1),
    ],
)
def test_every_column_is_the_one_worked_out_by_hand(texts, clean_1, mentions_1, both_1, clean_5, mentions_5, nothing):
    found = state_study.score(query(), reply(*texts))
    assert [found[name] for name in state_study.MEASURES] == [
        clean_1,
        mentions_1,
        both_1,
        clean_5,
        mentions_5,
        nothing,
    ]


def test_five_hits_must_mention_all_and_the_first_only_one_of_the_phrases():
    found = state_study.score(query(must=("orangery", "music")), reply("the orangery", "tea"))
    assert (found["mentions@1"], found["mentions@5"]) == (1, 0)


def test_where_nothing_is_to_be_mentioned_only_cleanness_counts():
    assert state_study.score(query(must=()), reply("the orangery")) == {
        "clean@1": 1,
        "clean@5": 1,
        "nothing returned": 0,
    }


def test_queries_are_asked_at_their_moment_and_counted_by_track(file, timelines):
    bench = load(file("dev.jsonl", timelines))
    answered = state_study.run(bench, Replay(recipes=(recipes.load("braindb-keyword"),), embedder=Hashing(), limit=5))
    found = state_study.figures(answered)
    assert list(found) == ["supersession", "hallucination_resistance"]
    # both queries of the first timeline find the turn with their word; the early one can't see the later turn
    moved = {name: each["value"] for name, each in found["supersession"]["braindb-keyword"].items()}
    assert moved == {name: 1 for name in state_study.MEASURES} | {"nothing returned": 0}
    assert found["hallucination_resistance"]["braindb-keyword"]["nothing returned"]["value"] == 1
    counted = state_study.measurable(bench)
    assert counted.rows == (("supersession", "2", "2", "2", "1"), ("hallucination_resistance", "1", "0", "0", "0"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "not JSON, or incomplete: .* at line 1"),
        (b"", "it has no timeline"),
        (b'{"id": "x", "track": "causality", "events": []}\n', "it has only causality; known tracks"),
        (b'{"id": "x", "track": "supersession"}\n\n', "line 1.events is missing"),
        (b'{"id": "x", "track": "supersession", "events": [{"type": "query"}]}', r"events\[0\] is a query before"),
        (b'{"id": "x", "track": "y", "events": []}\nzebra', "at line 2"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(file, data, said):
    with pytest.raises(InvalidInput, match=said):
        load(file("bad.jsonl", data))
