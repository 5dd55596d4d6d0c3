"""Sweeps, ablations, granularities and the paper's tables."""

from dataclasses import replace

import pytest

from recollect import recipes
from recollect.bench import ablate, studies
from recollect.bench.datasets import load
from recollect.bench.html_page import Picture
from recollect.bench.memx import published
from recollect.bench.results import Results
from recollect.bench.run import measure
from recollect.bench.statistics import mean


@pytest.fixture
def lab(plan, tmp_path):
    def make(*paths):
        out = tmp_path / "lab"
        datasets = tuple(load(path) for path in paths)
        return studies.Lab(datasets=datasets, plan=plan(), out=out, results=Results(out))

    return make


def test_the_sweep_says_what_a_gated_run_does(file, scenario, plan, lab, tmp_path):
    path = file("tiny.json", scenario)
    gate = replace(recipes.load("memx").reject, tau=0.4, by_embedder={})
    gated = replace(recipes.load("memx"), reject=gate)
    asked = measure(load(path), replace(plan(), recipes=(gated,)), tmp_path / "gated")
    open_door = ablate.ungated(recipes.load("memx"))
    measured = lab(path).measure([open_door])[0]
    said = studies.gated(measured.of(open_door.name), gate, "hashing")
    hits = [float(o.answer.ranked[:1] != () and o.answer.ranked[0] in o.gold) for o in asked.outcomes if o.answerable]
    assert said["hit@1"] == mean(hits)
    assert said["miss empty"] == mean([float(not o.answer.ranked) for o in asked.outcomes if not o.answerable])


def test_the_sweep_holds_the_printed_thresholds(file, scenario, lab):
    table, picture = studies.sweep(lab(file("tiny.json", scenario)), recipes.load("memx"))
    marked = [row[0] for row in table.rows if row[-1]]
    assert marked == ["0.48", "0.50", "0.52", "0.64"] and isinstance(picture, Picture)
    rejected = [float(row[6]) for row in table.rows]
    assert rejected == sorted(rejected)


def test_memx_is_built_up_as_in_its_paper():
    v, vk, rejecting, full = ablate.memx_steps()
    assert [recipe.name for recipe in (v, vk, rejecting, full)] == list(published.TABLE_9)
    assert [len(recipe.routes) for recipe in (v, vk)] == [1, 2]
    assert v.reject is vk.reject is None and rejecting.reject == full.reject
    assert replace(full, name="memx") == recipes.load("memx")
    assert v.diversify == vk.diversify == rejecting.diversify == () and full.diversify
    assert v.factors == full.factors


@pytest.mark.parametrize("name", recipes.names())
def test_any_recipe_can_be_taken_apart(name):
    whole = recipes.load(name)
    steps = ablate.cumulative(whole)
    assert replace(steps[-1], name=name, routes=whole.routes, fuse=whole.fuse) == whole
    assert {route.name for route in steps[-1].routes} == {route.name for route in whole.routes}
    names = [recipe.name for recipe in ablate.leave_one_out(whole)]
    assert len(names) == len(set(names))
    assert names[-1] == ("with its gate" if whole.reject else names[-1])


def test_an_ablation_compares_row_by_row(file, scenario, lab):
    table = studies.ablation(lab(file("tiny.json", scenario)), ablate.memx_steps(), "memx")[0]
    assert [row[0] for row in table.rows] == ["V", "V+K", "V+K+Rej", "Full"]
    assert table.rows[0][-1] == "" and "p 1" in table.rows[-1][-1]


def test_granularities_stand_side_by_side(file, longmemeval, scenario, lab):
    work = lab(file("s.json", longmemeval), file("tiny.json", scenario))
    tables = studies.granularity(work, recipes.load("bm25"))
    assert len(tables) == 1
    assert [row[0] for row in tables[0].rows] == ["session", "round", "turn", "fact", "hybrid"]


def test_slices_show_recipes_by_type(file, scenario, lab):
    table, picture = studies.slices(lab(file("tiny.json", scenario)), [recipes.load("bm25"), recipes.load("vector")])
    assert table.head == ("type", "n", "bm25", "vector")
    assert [row[0] for row in table.rows] == ["keyword_exact", "miss", "multi_fact"]


def test_both_switches_of_the_dedup_rule_are_tried():
    vectors, *full = ablate.memx_dedup()
    assert vectors.diversify == () and vectors.reject is None
    assert [recipe.diversify[-1].exempt_untagged for recipe in full] == [True, False]
