"""Lives: every column worked out by hand, and what is wrong with a file said in one line."""

from copy import deepcopy
from pathlib import Path

import pytest

from recollect import recipes
from recollect.bench import life_study
from recollect.bench.datasets.life import LifeQuestion, life_files, load, problems, read_life
from recollect.bench.replay import Found, Replay, Reply
from recollect.embedders.hashing import Hashing
from recollect.errors import InvalidInput
from recollect.text.moments import parse_moment

HASHING = Hashing()
TRAINING = sorted((Path(__file__).parents[2] / "training" / "lives").glob("*.json"))


def question(type="now", needs_all=False, evidence=("s2/0",), stale=("s1/0",)):
    at = parse_moment("2025-06-01")
    more = {"evidence": frozenset(evidence), "stale": frozenset(stale), "needs_all": needs_all, "answer": None}
    return LifeQuestion(id="q", type=type, text="where?", at=at, **more)


def reply(*keys, rejected=None):
    hits = tuple(Found(key=key, text=key, score=1.0) for key in keys)
    return Reply(recipe="default", hits=hits, rejected=rejected, confidence=0.5)


def replayed(path, *names, embedder=HASHING, **more):
    chosen = tuple(recipes.load(name) for name in names or ("bm25",))
    replay = Replay(recipes=chosen, embedder=embedder, limit=5, **more)
    return life_study.run([load(path)], replay)


@pytest.mark.parametrize(
    ("keys", "right_1", "right_5", "misled"),
    [
        (("s2/0", "s1/0"), 1, 1, 0),
        (("s1/0", "s2/0"), 0, 1, 1),
        (("s3/0", "s2/0", "s1/0"), 0, 1, 0),
        (("s3/0", "s1/0"), 0, 0, 1),
        (("s3/0",), 0, 0, 0),
        ((), 0, 0, 0),
    ],
)
def test_an_answer_is_right_if_evidence_comes_first_and_misled_if_what_is_stale_does(keys, right_1, right_5, misled):
    found = life_study.score(question(), reply(*keys))
    assert found == {"right@1": right_1, "right@5": right_5, "misled": misled, "wrongly refused": 0}


def test_a_question_that_needs_all_messages_is_right_at_5_only_with_all_of_them():
    asked = question("several", needs_all=True, evidence=("s1/0", "s2/0"), stale=())
    assert life_study.score(asked, reply("s1/0", "s1/0", "s3/0"))["right@5"] == 0
    assert life_study.score(asked, reply("s3/0", "s1/0", "s2/0"))["right@5"] == 1


def test_only_a_rejected_answer_is_wrongly_refused_but_no_hits_at_all_refuse_an_absent_question():
    assert life_study.score(question(), reply(rejected="weak"))["wrongly refused"] == 1
    absent = question("absent-near", evidence=())
    assert life_study.score(absent, reply()) == {"refused": 1}
    assert life_study.score(absent, reply(rejected="weak")) == {"refused": 1}
    assert life_study.score(absent, reply("s1/0")) == {"refused": 0}


def test_a_life_is_lived_in_the_order_of_time(file, life):
    """`early` is asked before the zeppelin moved: there is nothing else to find."""
    told = {one.question.id: one for one in replayed(file("tiny.json", life))}
    assert list(told) == ["early", "now", "both", "near", "far"]
    assert set(told["early"].reply.ranked) == {"s1/0"}
    assert told["now"].reply.ranked[0] == "s1/0" and "s2/0" in told["now"].reply.ranked
    assert set(told["both"].reply.ranked) == {"s3/0", "s3/2"}
    assert told["near"].reply.ranked and not told["far"].reply.ranked


def test_every_column_of_the_tiny_life_is_the_one_counted_by_hand(file, life):
    found = life_study.figures(replayed(file("tiny.json", life)))
    values = {kind: {name: f["value"] for name, f in each["bm25"].items()} for kind, each in found["types"].items()}
    assert values == {
        "all": {"right@1": 2 / 3, "right@5": 1, "misled": 1 / 3, "wrongly refused": 0, "refused": 1 / 2},
        "now": {"right@1": 0, "right@5": 1, "misled": 1, "wrongly refused": 0},
        "fact": {"right@1": 1, "right@5": 1, "misled": 0, "wrongly refused": 0},
        "several": {"right@1": 1, "right@5": 1, "misled": 0, "wrongly refused": 0},
        "absent-near": {"refused": 0},
        "absent-far": {"refused": 1},
    }
    assert found["types"]["all"]["bm25"]["right@1"]["n"] == 3 and found["types"]["all"]["bm25"]["refused"]["n"] == 2
    low, high = (found["types"]["absent-far"]["bm25"]["refused"][end] for end in ("low", "high"))
    assert (round(low, 3), round(high, 3)) == (0.207, 1.0)  # Wilson's for 1 of 1
    assert found["lives"]["tiny"] == found["types"]["all"]


def test_confidence_is_judged_against_near_and_far_questions_apart(file, life):
    told = replayed(file("tiny.json", life))
    sure = {"early": 0.9, "now": 0.4, "both": 0.9, "near": 0.5, "far": 0.1}
    changed = [_with_confidence(one, sure[one.question.id]) for one in told]
    found = life_study.confidence(changed)["bm25"]
    # answerable .9 .4 .9 against near .5: 2 of 3 pairs; against far .1: 3 of 3
    assert {name: each["value"] for name, each in found.items()} == {"all": 5 / 6, "near": 2 / 3, "far": 1}
    assert 0 <= found["all"]["low"] <= 5 / 6 <= found["all"]["high"] <= 1


def _with_confidence(one, confidence):
    from dataclasses import replace

    return replace(one, reply=replace(one.reply, confidence=confidence))


def test_recipes_stand_side_by_side_and_are_compared_in_pairs(file, life):
    told = replayed(file("tiny.json", life), "default", "bm25")
    tables = {part.title: part for part in life_study.parts(told, life_study.figures(told)) if hasattr(part, "head")}
    rows = tables["By type"].rows
    assert [row[:3] for row in rows[:4]] == [
        ("all", "default", "3 + 2"),
        ("all", "bm25", "3 + 2"),
        ("now", "default", "1"),
        ("now", "bm25", "1"),
    ]
    assert {row[1] for row in tables["default compared with the others"].rows} == {"default against bm25"}
    assert "By life" not in tables  # there is only one


def test_the_store_chooses_its_embedder_if_none_is_named(file, life):
    by_words, chosen = (
        life_study.figures(replayed(file("tiny.json", life), embedder=each)) for each in (HASHING, None)
    )
    assert by_words["types"]["all"]["bm25"] == chosen["types"]["all"]["bm25"]


def test_maintenance_may_run_between_the_sessions(file, life):
    more = [
        {"id": f"x{n}", "at": "2025-05-02T09:00:00Z", "messages": life["sessions"][0]["messages"]} for n in range(9)
    ]
    long = {**life, "sessions": [*life["sessions"], *more]}
    assert len(replayed(file("long.json", long), tends=True)) == 5


def test_speakers_of_a_group_chat_keep_their_names(file, life):
    life["sessions"][1]["messages"][0]["name"] = "Ada"
    told = {one.question.id: one for one in replayed(file("tiny.json", life))}
    assert any(hit.text.startswith("Ada: ") for hit in told["now"].reply.hits)


def test_a_question_answered_wrongly_is_shown_with_its_evidence(file, life):
    (shown,) = life_study.missed(replayed(file("tiny.json", life)), "now")
    assert shown["question"] == "tiny/now" and shown["right@1"] == 0
    assert shown["evidence"] == {"s2/0": "They pulled the zeppelin over to number nine."}
    assert shown["hits"][0]["message"] == "s1/0"
    assert [one["question"] for one in life_study.missed(replayed(file("tiny.json", life)), "absent")] == ["tiny/near"]


def test_two_lives_of_the_same_name_are_refused(file, life):
    path = file("tiny.json", life)
    with pytest.raises(InvalidInput, match="same name"):
        life_study.run([load(path), load(path)], Replay(recipes=(), embedder=Hashing(), limit=5))


# What is wrong with a file ------------------------------------------------------------------------


def without(name):
    return lambda life: life.pop(name)


def changed(where, n, **values):
    return lambda life: life[where][n].update(values)


FORM = {
    "name is missing": without("name"),
    r"sessions\[1\]\.at must be a moment": changed("sessions", 1, at="in March"),
    r"sessions\[0\]\.messages\[0\]\.role must be one of user, assistant": lambda life: life["sessions"][0]["messages"][
        0
    ].update(role="system"),
    r"sessions\[2\]\.messages must be messages with some text": changed("sessions", 2, messages=[]),
    r"questions\[0\]\.evidence\[0\] must be a session and a message": changed("questions", 0, evidence=[["s1"]]),
    r"questions\[0\]\.evidence\[0\]\[1\] must be a whole number": changed("questions", 0, evidence=[["s1", "0"]]),
    r"questions\[0\]\.text must be text": changed("questions", 0, text=" "),
}
LABELS = {
    "question now: there is no message s2/1": changed("questions", 1, evidence=[["s2", 1]], answer=None),
    "question early: message s2/0 comes after the question": changed("questions", 0, stale=[["s2", 0]]),
    "question early: unknown type 'guess'; known: now, past": changed("questions", 0, type="guess"),
    "question now: message s1/0 is both evidence and stale": changed(
        "questions", 1, evidence=[["s2", 0], ["s1", 0]], answer=None
    ),
    "question early: it has no evidence": changed("questions", 0, evidence=[]),
    "question far: it is absent-far, but has evidence": changed("questions", 4, evidence=[["s1", 0]]),
    "question both: several without needs_all": changed("questions", 2, needs_all=False),
    "question both: needs_all takes 2 to 5 evidence messages, not 1": changed("questions", 2, evidence=[["s3", 0]]),
    "question early: no evidence message has the words 'hangar six'": changed("questions", 0, answer="hangar six"),
    "question early: the question holds its answer 'zeppelin'": changed("questions", 0, answer="zeppelin"),
    "two questions have the id now": changed("questions", 0, id="now"),
    "two sessions have the id s1": changed("sessions", 1, id="s1"),
    "session s2 is earlier than s1": changed("sessions", 1, at="2024-12-01T09:00:00Z"),
    "it has no questions": lambda life: life["questions"].clear(),
}


@pytest.mark.parametrize("said", FORM)
def test_a_wrong_form_is_refused_with_its_place(file, life, said):
    FORM[said](life)
    with pytest.raises(InvalidInput, match=f"bad.json: {said}"):
        read_life(file("bad.json", life))


@pytest.mark.parametrize("said", LABELS)
def test_a_wrong_label_is_refused(file, life, said):
    LABELS[said](life)
    path = file("bad.json", life)
    assert any(problem.startswith(said) for problem in problems(read_life(path)))
    with pytest.raises(InvalidInput, match=r"bad\.json: "):
        load(path)


def test_the_first_of_several_problems_is_said_and_the_others_counted(file, life):
    bad = deepcopy(life)
    for asked in bad["questions"][:3]:
        asked["evidence"] = []
    with pytest.raises(InvalidInput, match=r"question early: it has no evidence \(and \d more: recollect bench lives"):
        load(file("bad.json", bad))


# Ours ---------------------------------------------------------------------------------------------


def test_ten_lives_come_with_the_package():
    assert len(life_files()) == 10


@pytest.mark.parametrize("path", TRAINING, ids=lambda path: path.stem)
def test_a_life_to_train_on_is_valid(path):
    life = load(path)
    assert life.name == path.stem and len(life.questions) >= 50


@pytest.mark.parametrize("path", life_files(), ids=lambda path: path.stem)
def test_a_life_of_the_package_is_valid_and_measures_what_is_stale(path):
    life = load(path)
    assert life.name == path.stem and len(life.questions) >= 80
    assert all(asked.stale for asked in life.questions if asked.type in ("now", "past", "confusable"))
    assert all(asked.answer for asked in life.questions if asked.answerable and asked.type not in ("advice", "several"))
