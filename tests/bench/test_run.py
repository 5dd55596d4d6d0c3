"""Runs over small files: what is asked, counted, kept and taken up again."""

from dataclasses import replace

import pytest

from recollect import Recollect, recipes
from recollect.bench.build import Setup, build, gold_keys, parts, reopened
from recollect.bench.datasets import load
from recollect.bench.evaluate import Evaluator
from recollect.bench.results import Results
from recollect.bench.run import measure
from recollect.bench.score import summary
from recollect.embedders.hashing import Hashing


def built(setup, folder):
    build(setup, folder, lambda count: None)
    return reopened(setup, folder)


def setup_of(dataset, protocol="own", granularity="hybrid"):
    return Setup(dataset=dataset, protocol=protocol, granularity=granularity, embedder=Hashing())


@pytest.mark.parametrize("protocol", ["own", "pooled"])
def test_sessions_are_found_and_counted_once(file, longmemeval, plan, tmp_path, protocol):
    dataset = load(file("s.json", longmemeval))
    measured = measure(dataset, plan("bm25", "default", protocol=protocol), tmp_path / "out")
    found = summary(measured, "bm25")
    assert found["overall"]["hit@1"]["value"] == 1 and found["overall"]["hit@1"]["n"] == 2
    assert found["types"]["temporal-reasoning"]["mrr"]["value"] == 1
    for outcome in measured.of("bm25"):
        assert len(outcome.answer.ranked) == len(set(outcome.answer.ranked))


def test_own_sees_only_its_haystack_and_pooled_all(file, longmemeval, tmp_path):
    dataset = load(file("s.json", longmemeval))
    sessions = {
        protocol: [session.id for _, session in setup_of(dataset, protocol).contents()]
        for protocol in ("own", "pooled")
    }
    assert len(sessions["own"]) == 7 and len(sessions["pooled"]) == len(set(sessions["pooled"])) == 5


def test_labels_and_original_ids_are_not_in_the_store(file, longmemeval, tmp_path):
    with built(setup_of(load(file("s.json", longmemeval))), tmp_path / "out") as mind:
        held = [memory for place in mind.namespaces() for memory in mind.list(namespace=place)]
    shown = str([memory.to_dict() for memory in held])
    assert held and "answer_" not in shown and "has_answer" not in shown and "noise_" not in shown


def test_what_else_is_measured_does_not_change_an_answer(file, locomo, plan, tmp_path):
    other = [locomo[0], {**locomo[0], "qa": locomo[0]["qa"][:1]}]
    other[1]["conversation"] = {
        **locomo[0]["conversation"],
        "session_1": [{"speaker": "Cy", "dia_id": "D1:2", "text": "My pet iguana sleeps all day."}],
    }
    dataset = load(file("two.json", other))
    together = measure(dataset, plan("default"), tmp_path / "together").outcomes
    apart = [
        outcome
        for n, haystack in enumerate(dataset.haystacks)
        for outcome in measure(dataset.of([haystack]), plan("default"), tmp_path / f"apart{n}").outcomes
    ]
    assert [(o.question, o.answer.ranked, o.answer.signals, o.answer.confidence) for o in together] == [
        (o.question, o.answer.ranked, o.answer.signals, o.answer.confidence) for o in apart
    ]


def test_each_haystack_has_a_store_and_a_pool_one(file, longmemeval):
    dataset = load(file("s.json", longmemeval))
    assert [len(part.dataset.questions) for part in parts(setup_of(dataset))] == [1, 1, 1]
    assert [len(part.dataset.questions) for part in parts(setup_of(dataset, "pooled"))] == [3]


def test_a_fact_counts_as_its_turn(file, locomo, plan, tmp_path):
    dataset = load(file("locomo.json", locomo))
    for granularity in ("hybrid", "fact", "turn"):
        measured = measure(dataset, plan("bm25", granularity=granularity), tmp_path / granularity)
        pet = next(outcome for outcome in measured.outcomes if outcome.question == "c00-q000")
        assert pet.gold == ("c00-01/1",) and pet.answer.ranked[0] == "c00-01/1"


def test_stored_rounds_and_sessions_are_counted_as_such(file, locomo):
    dataset = load(file("locomo.json", locomo))
    haystack = dataset.haystacks[0]
    gold = frozenset({"c00-01/2", "c00-02/0"})
    assert gold_keys(gold, setup_of(dataset, granularity="session"), haystack) == {"c00-01", "c00-02"}
    assert gold_keys(gold, setup_of(dataset, granularity="round"), haystack) == {"c00-01/1", "c00-02/0"}
    assert gold_keys(gold, setup_of(dataset), haystack) == gold


def test_rounds_and_sessions_are_found(file, locomo, plan, tmp_path):
    dataset = load(file("locomo.json", locomo))
    for granularity in ("round", "session"):
        measured = measure(dataset, plan("bm25", granularity=granularity), tmp_path / granularity)
        assert summary(measured, "bm25")["overall"]["hit@1"]["value"] == 1


def test_every_format_runs(file, beam, memdaily, scenario, plan, tmp_path):
    for name, data in {"beam": beam, "memdaily": memdaily, "tiny": scenario}.items():
        measured = measure(load(file(f"{name}.json", data)), plan("braindb-keyword"), tmp_path / name)
        assert summary(measured, "braindb-keyword")["overall"]["hit@5"]["value"] == 1


def test_scenarios_count_topics(file, scenario, plan, tmp_path):
    measured = measure(load(file("tiny.json", scenario)), plan("bm25"), tmp_path / "out")
    found = summary(measured, "bm25")
    assert found["overall"]["coverage@5"]["value"] == 1
    assert found["abstention"]["miss_empty"]["value"] == 1
    assert found["with_abstention"]["right@1"] == {
        "value": 1.0,
        "low": pytest.approx(0.51, abs=0.01),
        "high": 1.0,
        "n": 4,
    }


def test_gold_is_taken_out_and_put_back(file, longmemeval, tmp_path):
    setup = setup_of(load(file("s.json", longmemeval)))
    with built(setup, tmp_path / "out") as mind:
        before = {place: {m.id: m.status for m in mind.list(namespace=place)} for place in mind.namespaces()}
        evaluator = Evaluator(mind=mind, setup=setup, limit=10)
        outcome = evaluator.ask(setup.dataset.questions[0], [recipes.load("bm25")])[0]
        after = {place: {m.id: m.status for m in mind.list(namespace=place)} for place in mind.namespaces()}
    assert outcome.gold[0] in outcome.answer.ranked and outcome.gold[0] not in outcome.without_gold.ranked
    assert before == after


def test_a_recall_leaves_no_trace(file, longmemeval, plan, tmp_path):
    measure(load(file("s.json", longmemeval)), plan("default"), tmp_path / "out")
    for path in (tmp_path / "out" / "stores").glob("*.db"):
        with Recollect(path, embedder="hashing") as mind:
            assert mind.stats().recalls == 0
            assert all(m.retrieval_count == 0 for place in mind.namespaces() for m in mind.list(namespace=place))


def test_stages_add_up_to_the_whole(file, scenario, plan, tmp_path):
    measured = measure(load(file("tiny.json", scenario)), plan("default"), tmp_path / "out")
    for outcome in measured.outcomes:
        spent = dict(outcome.answer.ms)
        total = spent.pop("total")
        assert sum(spent.values()) == pytest.approx(total) and "route lexical" in spent


class Interrupting(Hashing):
    """Ctrl-C after so many calls."""

    def __init__(self, calls):
        self.left = calls

    def embed(self, texts):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().embed(texts)


def answers(folder):
    return (folder / "answers.jsonl").read_text(encoding="utf-8")


def interrupted(dataset, plan, out):
    """Ctrl-C again and again until the run comes to its end; the answers kept at each stop."""
    while True:
        try:
            measure(dataset, replace(plan, embedder=Interrupting(3)), out)
            return
        except KeyboardInterrupt:
            yield answers(out) if (out / "answers.jsonl").exists() else ""


def test_an_interrupted_run_is_taken_up_where_it_was(file, longmemeval, plan, tmp_path):
    dataset, out = load(file("s.json", longmemeval)), tmp_path / "out"
    whole = measure(dataset, plan("default"), tmp_path / "whole")
    stops = [*interrupted(dataset, plan("default"), out), answers(out)]
    assert [len(stop.splitlines()) for stop in stops][-3:] == [1, 2, 3] and stops[0] == ""
    assert all(after.startswith(before) for before, after in zip(stops, stops[1:], strict=False))
    measured = measure(dataset, plan("default"), out)
    assert [(o.question, o.answer.ranked, o.answer.confidence) for o in measured.outcomes] == [
        (o.question, o.answer.ranked, o.answer.confidence) for o in whole.outcomes
    ]


def test_a_finished_run_asks_nothing_again(file, longmemeval, plan, tmp_path):
    dataset, out = load(file("s.json", longmemeval)), tmp_path / "out"
    measure(dataset, plan("default"), out)
    kept = answers(out)
    measured = measure(dataset, replace(plan("default"), embedder=Interrupting(0)), out)
    assert answers(out) == kept and len(measured.outcomes) == 3


def test_another_number_in_the_recipe_is_another_run(file, longmemeval, plan, tmp_path):
    dataset, out = load(file("s.json", longmemeval)), tmp_path / "out"
    measure(dataset, plan("default"), out)
    other = replace(recipes.load("default"), reject=None)
    measure(dataset, replace(plan(), recipes=(other,)), out)
    assert len(answers(out).splitlines()) == 6


def test_half_a_line_is_asked_again(file, longmemeval, plan, tmp_path):
    dataset, out = load(file("s.json", longmemeval)), tmp_path / "out"
    measure(dataset, plan("bm25"), out)
    whole = answers(out)
    (out / "answers.jsonl").write_text(whole[:-50], encoding="utf-8")
    assert len(measure(dataset, plan("bm25"), out).outcomes) == 3
    assert len(answers(out).splitlines()) == 3


def test_fresh_forgets_the_answers(file, longmemeval, plan, tmp_path):
    dataset, out = load(file("s.json", longmemeval)), tmp_path / "out"
    measure(dataset, plan("bm25"), out)
    assert Results(out, fresh=True).get("x", "y", "z") is None and not (out / "answers.jsonl").exists()


def test_gold_left_out_by_an_interrupt_comes_back(file, longmemeval, tmp_path):
    setup = setup_of(load(file("s.json", longmemeval)))
    with built(setup, tmp_path / "out") as mind:
        place = next(iter(mind.namespaces()))
        lost = mind.list(namespace=place)[0]
        mind.forget(lost.id)
    with built(setup, tmp_path / "out") as mind:
        assert lost.id in {memory.id for memory in mind.list(namespace=place)}
