"""MemX's experiments by the paper's protocol, on a few conversations and memories of our own."""

from dataclasses import replace

import pytest
from chat_server import ChatServer, answer, completion, said

from recollect.bench.datasets import load
from recollect.bench.html_page import Picture, Table
from recollect.bench.memx import latency, longmemeval, profiles, published, rejection, scenarios
from recollect.bench.memx.facts import Facts, passages
from recollect.bench.memx.like_scan import LikeScan
from recollect.bench.memx.paper import Paper
from recollect.bench.memx.records import as_records
from recollect.bench.memx.tables import tables
from recollect.bench.results import Results
from recollect.bench.studies import Lab
from recollect.recipes import load as recipe
from recollect.write.conversations.messages import turns


@pytest.fixture
def paper(plan, tmp_path):
    def make(*paths, **changes):
        out = tmp_path / "lab"
        datasets = tuple(load(path) for path in paths)
        return Paper(lab=Lab(datasets=datasets, plan=plan(), out=out, results=Results(out)), **changes)

    return make


@pytest.fixture
def server(monkeypatch):
    for name in ("RECOLLECT_OPENAI_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running = ChatServer()
    yield running
    running.close()


def rows_of(table):
    return [dict(zip(table.head, row, strict=True)) for row in table.rows]


# Records ------------------------------------------------------------------------------------------


def test_every_session_is_stored_once_and_the_abs_question_has_gold(file, longmemeval):
    talk = load(file("s.json", longmemeval))
    stored = as_records(talk, "session")
    (haystack,) = stored.haystacks
    assert len(haystack.records) == 5  # soup is in all three haystacks, and one session is empty
    assert {question.id: len(question.gold) for question in stored.questions} == {"q1": 1, "q2": 1, "q3_abs": 1}
    assert not next(question for question in talk.questions if question.id == "q3_abs").answerable
    assert {record.tags for record in haystack.records} == {()} and {r.kind for r in haystack.records} == {"semantic"}
    assert "user: Give me a recipe for lentil soup.\nassistant: Simmer lentils with cumin." == haystack.records[0].text


def test_a_round_is_a_question_with_its_answer(file, longmemeval):
    longmemeval[0]["haystack_sessions"][1] += [
        {"role": "user", "content": "It has four strings."},
        {"role": "assistant", "content": "As violins do."},
    ]
    (haystack,) = as_records(load(file("s.json", longmemeval)), "round").haystacks
    violin = [record for record in haystack.records if "violin" in record.text]
    assert [record.text for record in violin] == [
        "user: My violin is a Guarneri copy from Cremona.\nassistant: What a fine instrument!",
        "user: It has four strings.\nassistant: As violins do.",
    ]
    assert len({record.topic for record in violin}) == 1


def test_records_are_ranked_and_not_sessions(file, longmemeval, paper):
    longmemeval[0]["haystack_sessions"][1] += [
        {"role": "user", "content": "Where does the violin varnish come from?"},
        {"role": "assistant", "content": "From Cremona, too."},
    ]
    run = paper(file("s.json", longmemeval))
    measured = run.asked_of(run.talks[0], "round", [run.recipe])
    found = next(outcome for outcome in measured.outcomes if outcome.question == "q1")
    (gold,) = found.gold
    assert found.answer.ranked.count(gold) == 2
    assert len(found.answer.ranked) <= published.LIMIT


def test_a_store_is_only_used_again_for_the_same_records(file, longmemeval, tmp_path):
    talk = load(file("s.json", longmemeval))
    facts, others = Facts.load("rules", tmp_path), Facts.load("rules", tmp_path)
    facts.extract(talk)
    assert as_records(talk, "fact", facts).digest != as_records(talk, "fact", others).digest
    assert as_records(talk, "session").digest == as_records(talk, "session").digest
    assert as_records(talk, "session").digest != as_records(talk.sample(1), "session").digest


# Facts --------------------------------------------------------------------------------------------


def test_facts_by_rules_come_from_the_user(file, longmemeval, tmp_path):
    talk = load(file("s.json", longmemeval))
    facts = Facts.load("rules", tmp_path)
    facts.extract(talk)
    texts = [text for haystack in talk.haystacks for session in haystack.sessions for text in facts.of(session)]
    assert "My violin is a Guarneri copy from Cremona." in texts and not facts.by_model
    assert not any("Simmer" in text for text in texts)
    assert not Facts.load("rules", tmp_path).known  # rules change with the code, so their facts are not kept


def test_a_model_reads_each_session_once(file, longmemeval, server, tmp_path):
    talk = load(file("s.json", longmemeval))
    name = f"openai:small@{server.base}"
    server.queued = [answer(said(text=f"Fact {n} is told.")) for n in range(5)]
    facts = Facts.load(name, tmp_path)
    facts.extract(talk)
    assert len(server.requests) == 5 and facts.by_model and not facts.passages_by_rules
    assert sorted(text for held in facts.known.values() for text in held) == [f"Fact {n} is told." for n in range(5)]
    assert "assistant: What a fine instrument!" in str(server.requests)
    again = Facts.load(name, tmp_path)
    again.extract(talk)
    assert len(server.requests) == 5 and again.known == facts.known


def test_a_session_that_the_model_could_not_read_is_read_again(file, longmemeval, server, tmp_path):
    talk = load(file("s.json", longmemeval))
    name = f"openai:small@{server.base}"
    server.queued = [completion("no JSON")]
    facts = Facts.load(name, tmp_path)
    facts.extract(talk)
    assert facts.passages_by_rules == 1 and len(facts.known) == 5
    assert len(Facts.load(name, tmp_path).known) == 4


def test_long_sessions_are_read_in_passages():
    told = [{"role": "user", "content": "a" * 12}, {"role": "assistant", "content": "b"}]
    said_there = turns(told, at=None)
    assert list(passages(said_there, most=15)) == ["user: aaaaaaaaa", "aaa", "assistant: b"]
    assert list(passages(said_there, most=100)) == ["user: aaaaaaaaaaaa\nassistant: b"]


# Tables -------------------------------------------------------------------------------------------


def test_every_table_is_there_with_printed_and_measured_columns(file, scenario, longmemeval, paper):
    parts = tables(paper(file("tiny.json", scenario), file("s.json", longmemeval)))
    found = [part for part in parts if isinstance(part, Table)]
    assert found[0].title == "What differs from the paper"
    numbers = [table.title.split(":")[0].split(" as ")[0] for table in found[1:]]
    assert list(dict.fromkeys(numbers)) == [
        *(f"Table {n}" for n in range(3, 9)),
        "Figure 2",
        *(f"Table {n}" for n in range(9, 14)),
    ]
    for table in found[1:]:
        if table.title.startswith(("Table 12", "Table 11: rules on each")):
            continue
        assert "printed" in str(table.head) and "ours" in str(table.head), table.title
    assert [part.title for part in parts if isinstance(part, Picture)] == ["Figure 2: vector and keyword latency, s"]


def test_without_longmemeval_only_the_printed_numbers_are_shown(file, scenario, paper):
    found = {part.title: part for part in tables(paper(file("tiny.json", scenario))) if isinstance(part, Table)}
    five = found["Table 5: granularity"]
    assert five.notes[0] == longmemeval.NEEDS_DATA
    assert rows_of(five)[4]["Hit@5 printed"] == "51.6" and rows_of(five)[4]["Hit@5 ours"] == "–"
    eight = {row["scenario"]: row for row in rows_of(found["Table 8: latency"])}
    assert eight["Round (LIKE)"]["keyword printed"] == "3,305" and eight["Round (LIKE)"]["keyword ours"] == "–"
    default = [eight["Default"][f"{part} printed"] for part in ("records", "vector", "keyword", "total", "P95")]
    assert default == ["1,014", "545", "2.2", "538", "679"]  # with the digits of the paper
    differs = {row["what"]: row["here"] for row in rows_of(found["What differs from the paper"])}
    assert "tables 5 to 7 are not measured" in differs["LongMemEval"]
    assert differs["keyword search"].startswith("all content words") and "0.3" in differs["candidates"]


def test_what_differs_says_who_made_the_facts_and_how_many_questions(file, scenario, longmemeval, server, paper):
    paths = file("tiny.json", scenario), file("s.json", longmemeval)
    differs = {row["what"]: row["here"] for row in rows_of(tables(paper(*paths))[0])}
    assert "by rules, no LLM" in differs["facts"]
    assert "s: 3 questions (2 without `_abs`) of 5 sessions" in differs["LongMemEval"]
    assert "not fitted to hashing" in differs["rejection threshold"]
    by_model = paper(*paths, extractor=f"openai:small@{server.base}", tau=0.4)
    differs = {row["what"]: row["here"] for row in rows_of(tables(by_model)[0])}
    assert "made from whole sessions by openai:small@" in differs["facts"]
    assert "0.4, set with --tau" in differs["rejection threshold"]


def test_table_5_counts_all_questions_and_those_without_abs(file, longmemeval, paper):
    run = paper(file("s.json", longmemeval))
    five, six, *_ = longmemeval_tables(run)
    counts = [(row["granularity"], row["questions"], row["n printed"], row["n ours"]) for row in rows_of(five)]
    assert counts[:2] == [("session", "all", "500", "3"), ("session", "without `_abs`", "–", "2")]
    assert rows_of(five)[0]["records ours"] == "5"
    extraction = [row for row in rows_of(six) if row["ability"] == "information extraction"]
    assert {row["n ours"] for row in extraction} == {"2"}


def longmemeval_tables(run):
    return longmemeval.tables(run, run.talks[0])


def test_if_untagged_facts_share_one_signature_one_fact_is_returned(file, longmemeval, paper):
    run = paper(file("s.json", longmemeval))
    seven = longmemeval_tables(run)[-1]
    rows = {(row["configuration"], row["questions"]): row for row in rows_of(seven)}
    one = rows["Full, untagged share one signature", "all"]
    assert one["Hit@1 ours"] == one["Hit@5 ours"]
    assert rows["V", "all"]["Hit@5 printed"] == "56.6" and rows["V", "without `_abs`"]["Hit@5 printed"] == "–"


def test_table_3_has_the_counts_and_table_4_the_printed_thresholds(file, scenario, paper):
    run = paper(file("tiny.json", scenario))
    three = {row["metric"]: row for row in rows_of(scenarios.table_3(run))}
    assert three["Queries (rel / miss)"]["tiny ours"] == "3 / 1" and three["Records"]["tiny ours"] == "8"
    assert three["Hit@1"]["tiny printed"] == "–"
    four = {row["tau"]: row for row in rows_of(scenarios.table_4(run))}
    assert four["0.64"]["Avg Hit@1 printed"] == "87.0" and four["0.70"]["Avg Hit@1 printed"] == "–"
    nine = scenarios.table_9(run)
    assert "printed 37 + 6, ours 3 + 1" in nine.notes[0]


def test_the_threshold_is_the_printed_one_whatever_the_embedder_is(file, scenario, paper):
    run = paper(file("tiny.json", scenario))
    assert run.gate.threshold("recollect-30m") == run.gate.threshold("granite") == 0.5
    assert run.strict == pytest.approx(0.6)
    assert [step.reject and step.reject.tau for step in paper(tau=0.7).steps()] == [None, None, 0.7, 0.7]


def test_the_rules_decide_the_printed_queries_as_printed(file, scenario, paper):
    run = paper(file("tiny.json", scenario))
    printed, counts, per_query = rejection.table_11(run)
    assert [row["same"] for row in rows_of(printed)] == ["yes"] * 4
    assert [row["FN printed (of 21)"] for row in rows_of(counts)] == ["0", "1", "18", "19", "1"]
    assert len(per_query.rows) == 4 and per_query.rows[3][0].endswith("zeppelin")
    ten = rejection.table_10(run)
    between = [row["no keyword, v_max 0.52: ours"] for row in rows_of(ten)]
    assert between == ["accepted", "accepted", "rejected", "rejected", "rejected"]


def test_the_worked_example_of_table_13_is_reproduced():
    table = profiles.table_13(recipe("memx"))
    assert len(table.rows) == 8 and {row["same"] for row in rows_of(table)} == {"yes"}
    other = replace(recipe("memx"), factors=replace(recipe("memx").factors, add=recipe("memx").factors.add[::-1]))
    assert {row["same"] for row in rows_of(profiles.table_13(other))} == {"yes"}


def test_latency_ratios_come_from_the_printed_numbers():
    assert latency._ratio(latency.PRINTED, "Round (LIKE)", "Round (FTS5)", "keyword") == "1,139.7×"
    assert latency._ratio({}, "Round (LIKE)", "Round (FTS5)", "keyword") == "–"
    assert latency._share(latency.PRINTED["Round (LIKE)"]) == "94.9%"


def test_a_scan_takes_some_time():
    scan = LikeScan(["Ada prefers dark mode", "深圳"])
    assert scan.search_ms("which mode?") > 0
    scan.close()
