"""Official files are read as they are; labels never reach what is indexed; what is wrong is said in one line."""

import json
from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from recollect.bench.datasets import load, scenario_files
from recollect.errors import InvalidInput


def indexed(dataset):
    """Everything that is handed to the store, as text."""
    return json.dumps([asdict(haystack) for haystack in dataset.haystacks], default=str, ensure_ascii=False)


def test_longmemeval_is_read_with_ids_of_our_own(file, longmemeval):
    dataset = load(file("s.json.gz", longmemeval))
    assert (dataset.form, dataset.unit) == ("longmemeval", "session")
    assert [len(haystack.sessions) for haystack in dataset.haystacks] == [3, 2, 2]
    assert "answer_" not in indexed(dataset) and "has_answer" not in indexed(dataset)
    first, second, third = dataset.questions
    assert first.gold == {dataset.haystacks[0].sessions[1].id}
    assert first.at == datetime(2024, 2, 1, 10, tzinfo=UTC)
    assert dataset.haystacks[0].sessions[2].at == first.at  # it had no date
    assert second.answerable and not third.answerable and third.gold == frozenset()


def test_a_session_in_two_haystacks_has_one_id(file, longmemeval):
    first, second, _ = load(file("s.json", longmemeval)).haystacks
    assert first.sessions[0].id == second.sessions[0].id
    assert first.sessions[0].at == second.sessions[0].at


def test_locomo_turns_carry_speaker_and_caption_and_skip_what_is_empty(file, locomo):
    dataset = load(file("locomo.json", locomo))
    first = dataset.haystacks[0].sessions[0]
    assert [(turn.role, turn.text) for turn in first.turns] == [
        ("Ana", "Hello Ben!"),
        ("Ben", "I adopted a greyhound called Pixel."),
        ("Ana", "Look at this. [a red kayak on a lake]"),
    ]
    pet, lake, cat = dataset.questions
    assert pet.gold == {f"{first.id}/1"}
    assert lake.gold == {f"{first.id}/2", f"{dataset.haystacks[0].sessions[1].id}/0"}  # `D1:4; D:2:1`
    assert cat.type == "adversarial" and not cat.answerable
    assert dataset.notes == ("1 questions without usable evidence skipped",)
    assert pet.at == datetime(2023, 6, 2, 9, 5, tzinfo=UTC)


def test_beam_gold_is_flat_and_the_makers_mark_is_gone(file, beam):
    dataset = load(file("beam.json", beam))
    session = dataset.haystacks[0].sessions[0]
    assert session.turns[0].text == "I study Basque."
    by_type = {question.type: question for question in dataset.questions}
    assert by_type["temporal_reasoning"].gold == {f"{session.id}/0", f"{session.id}/2"}
    assert not by_type["abstention"].answerable
    assert "preference_following" not in by_type and len(dataset.notes) == 1


def test_memdaily_is_pooled_by_file(file, memdaily):
    dataset = load(file("memdaily.json", memdaily))
    assert dataset.haystacks[0].pool == "01_simple"
    assert dataset.questions[0].gold == {"01_simple-000/1"}
    assert dataset.questions[0].at == datetime(2024, 4, 4, 7, 42, tzinfo=UTC)


def test_memdaily_has_places_where_no_question_was_made(file, memdaily):
    asked = memdaily["01_simple"][0]["question_list"]
    asked.append({**asked[0], "qid": 9, "question": "[ERRORQ]"})
    dataset = load(file("memdaily.json", memdaily))
    assert all(question.text != "[ERRORQ]" for question in dataset.questions) and dataset.questions
    assert dataset.notes == ("1 questions that are only [ERRORQ] skipped",)


def test_memdaily_may_be_nested_once_more(file, memdaily):
    assert load(file("memdaily.json", {"simple": memdaily})).haystacks[0].pool == "simple_01_simple"


def test_a_scenario_stores_as_many_wordings_as_its_scale(file, scenario):
    dataset = load(file("tiny.json", scenario))
    assert len(dataset.haystacks[0].records) == 8
    assert {record.topic for record in dataset.haystacks[0].records} == {"deploy", "rollback", "coffee", "budget"}
    assert [question.answerable for question in dataset.questions] == [True, True, True, False]


@pytest.mark.parametrize("name", scenario_files())
def test_our_own_scenarios_can_be_read(name):
    dataset = load(scenario_files()[name])
    assert dataset.name == name and dataset.questions


def test_a_sample_is_spread_and_takes_only_its_haystacks(file, longmemeval):
    dataset = load(file("s.json", longmemeval)).sample(2)
    assert [question.id for question in dataset.questions] == ["q1", "q2"]
    assert {haystack.name for haystack in dataset.haystacks} == {"q1", "q2"}
    assert "2 of 3 questions" in dataset.notes[-1]


def refused(path):
    with pytest.raises(InvalidInput) as error:
        load(path)
    message = str(error.value)
    assert str(path) in message and "\n" not in message
    return message


def test_a_file_cut_in_half_is_refused(file, longmemeval):
    whole = json.dumps(longmemeval).encode()
    assert "cut" in refused(file("half.json", whole[: len(whole) // 2]))
    path = file("half.json.gz", longmemeval)
    path.write_bytes(path.read_bytes()[:-40])
    assert "cut" in refused(path)


def test_what_is_no_benchmark_is_refused(file, tmp_path):
    assert "unknown format" in refused(file("a.json", {"hello": 1}))
    assert "unknown format" in refused(file("b.json", []))
    assert "unknown format" in refused(file("c.json", "text"))
    assert "UTF-8" in refused(file("d.json", b"\xff\xfe\x00"))
    assert "can't be read" in refused(tmp_path / "nowhere.json")


def spoilt(data, way, value):
    """A deep copy with one field changed, or removed for None."""
    copy = json.loads(json.dumps(data))
    inner = copy
    for step in way[:-1]:
        inner = inner[step]
    if value is None:
        del inner[way[-1]]
    else:
        inner[way[-1]] = value
    return copy


@pytest.mark.parametrize(
    ("way", "value", "named"),
    [
        ((0, "answer_session_ids"), None, "[0].answer_session_ids is missing"),
        ((0, "answer_session_ids"), [], "[0].answer_session_ids is empty"),
        ((1, "answer_session_ids"), ["elsewhere"], "[1].answer_session_ids[0] names 'elsewhere'"),
        ((0, "question"), 7, "[0].question must be text"),
        ((0, "question_date"), "soon", "[0].question_date is not a date"),
        ((0, "haystack_dates"), [], "[0].haystack_sessions has 3 entries"),
        ((0, "haystack_sessions", 0), {"role": "user"}, "[0].haystack_sessions[0] must be a list"),
        ((0, "haystack_sessions", 0, 0, "content"), None, "[0].haystack_sessions[0][0].content is missing"),
    ],
)
def test_longmemeval_errors_name_the_field(file, longmemeval, way, value, named):
    assert named in refused(file("s.json", spoilt(longmemeval, way, value)))


@pytest.mark.parametrize(
    ("way", "value", "named"),
    [
        ((0, "qa", 0, "evidence"), None, "[0].qa[0].evidence is missing"),
        ((0, "qa", 0, "category"), "four", "[0].qa[0].category must be a whole number"),
        ((0, "conversation", "session_1_date_time"), None, "[0].conversation.session_1_date_time is missing"),
        ((0, "conversation", "session_1", 0, "dia_id"), None, "session_1[0].dia_id is missing"),
    ],
)
def test_locomo_errors_name_the_field(file, locomo, way, value, named):
    assert named in refused(file("locomo.json", spoilt(locomo, way, value)))


def test_the_other_formats_name_the_field_too(file, beam, memdaily, scenario):
    gone = spoilt(beam, ("1", "probing_questions", "temporal_reasoning", 0, "source_chat_ids"), None)
    assert "temporal_reasoning[0].source_chat_ids is missing" in refused(file("b.json", gone))
    far = spoilt(beam, ("1", "probing_questions", "temporal_reasoning", 0, "source_chat_ids"), [99])
    assert "names the turn 99" in refused(file("b.json", far))
    far = spoilt(memdaily, ("01_simple", 0, "question_list", 0, "target_step_id"), [9])
    assert "names the message 9" in refused(file("m.json", far))
    none = spoilt(memdaily, ("01_simple", 0, "question_list", 0, "target_step_id"), [])
    assert "target_step_id is empty" in refused(file("m.json", none))
    strange = spoilt(scenario, ("queries", 0, "topics"), ["cheese"])
    assert "queries[0].topics[0] names the topic 'cheese'" in refused(file("t.json", strange))
