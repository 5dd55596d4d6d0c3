"""Reports: JSON, a page that needs nothing else, pictures, and what changed."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from recollect.bench import league, report, svg
from recollect.bench.datasets import load
from recollect.bench.evaluate import Answer, Outcome
from recollect.bench.html_page import Picture, Table, page
from recollect.bench.run import Measured, measure
from recollect.errors import InvalidInput
from recollect.types import Signals


@pytest.fixture
def found(file, longmemeval, scenario, plan, tmp_path):
    wanted = plan("default", "bm25", "vector")
    sets = [load(file("s.json", longmemeval)), load(file("tiny.json", scenario))]
    return league.report(wanted, [measure(dataset, wanted, tmp_path / "out") for dataset in sets])


def test_the_report_is_json_without_nan(found, tmp_path):
    written = report.write(found, tmp_path / "out")
    text = written[0].read_text(encoding="utf-8")
    assert json.loads(text, parse_constant=pytest.fail) == found
    first = found["sets"][0]
    assert first["questions"] == 3 and first["answerable"] == 2
    assert set(first["recipes"]["bm25"]["abstention"]) >= {"auroc", "miss_empty", "miss_strict", "calibration_error"}
    assert set(first["recipes"]["bm25"]["latency_ms"]["total"]) == {"mean", "p50", "p95"}


def test_the_page_needs_nothing_from_outside(found, tmp_path):
    written = report.write(found, tmp_path / "out")
    html = next(path for path in written if path.suffix == ".html").read_text(encoding="utf-8")
    assert not re.search(r"<script|<link|src=|@import|url\(", html)
    assert set(re.findall(r'https?://[^"<\s]+', html)) == {"http://www.w3.org/2000/svg"}
    assert html.count("<svg") == len([path for path in written if path.suffix == ".svg"]) == 5


def test_pictures_are_well_formed_and_inside_their_frame(found, tmp_path):
    for path in report.write(found, tmp_path / "out"):
        if path.suffix == ".svg":
            root = ElementTree.parse(path).getroot()
            width, height = (float(part) for part in root.get("viewBox").split()[2:])
            for shape in root.iter():
                assert 0 <= float(shape.get("x", shape.get("cx", 0))) <= width, path
                assert 0 <= float(shape.get("y", shape.get("cy", 0))) <= height, path


def test_confidence_is_judged_over_all_sets_together(found):
    pooled, sets = found["pooled_confidence"]["bm25"], found["sets"]
    said = [each["recipes"]["bm25"]["abstention"] for each in sets]
    assert sum(b["count"] for b in pooled["reliability"]) == sum(len(each["said"]) for each in said) > 0
    assert pooled["five_fold"] is None  # too few to fit anything
    head, rows = league.confidence(found)
    assert [len(row) for row in rows] == [len(head)] * 3 and rows[1][-3:] == ["–", "–", "–"]


def test_the_five_fold_error_is_of_models_that_have_not_seen_the_question():
    """Each fold says what share of the other folds was there: by hand, with half of each question's two examples."""
    answer = Answer(ranked=(), rejected=None, confidence=0.9, signals=Signals())
    outcomes = tuple(
        Outcome(question=str(n), type="t", recipe="r", gold=("g",), answer=answer, without_gold=answer)
        for n in range(50)
    )
    pooled = league._pooled([Measured(setup=None, outcomes=outcomes)], "r")
    assert pooled["calibration_error"]["value"] == pytest.approx(0.4)  # 0.9 was said, half came true
    assert pooled["five_fold"]["calibration_error"]["value"] == pytest.approx(0.0, abs=1e-6)
    assert pooled["five_fold"]["auroc"] == 0.5


def test_text_can_not_break_out_of_the_page():
    table = Table(title="<b>", head=("a",), rows=(("<script>",),))
    shown = page("<i>", [table, Picture(title="x", svg=svg.bars("<u>", {"<k>": {"<s>": (0.5, 0.4, 0.6)}}))])
    assert not re.search(r"<(b|i|u|k|s|script)>", shown)


def test_the_table_is_sorted_by_its_main_number(found):
    names = [name for name, _ in league.rows(found["sets"][0])]
    values = [found["sets"][0]["recipes"][name]["overall"]["hit@5"]["value"] for name in names]
    assert values == sorted(values, reverse=True)
    assert all(len(cells) == len(league.headings(found["sets"][0])) for _, cells in league.rows(found["sets"][0]))


def test_a_run_compared_with_itself_has_not_changed(found):
    changes = league.compare(found, found)
    assert changes and {change["verdict"] for change in changes} == {"within noise"}


def test_a_real_change_is_told_from_noise(found):
    def scores(value):
        return {f"q{n}": dict.fromkeys(league.COMPARED, value) for n in range(20)}

    def run(value):
        return {"sets": [{"name": "s", "unit": "turn", "recipes": {"default": {"scores": scores(value)}}}]}

    assert {change["verdict"] for change in league.compare(run(0.0), run(1.0))} == {"better"}
    assert {change["verdict"] for change in league.compare(run(1.0), run(0.0))} == {"worse"}


def test_only_a_report_can_be_compared_with(file):
    for data in ({"hello": 1}, [], b"{"):
        with pytest.raises(InvalidInput, match=r"old\.json"):
            league.load(file("old.json", data))


def test_numbers_are_shown_as_in_papers():
    assert [league.number(value) for value in (0.0, 0.9134, 1.0, None, float("nan"))] == [
        ".000",
        ".913",
        "1.000",
        "–",
        "–",
    ]
    assert league.share({"value": 21 / 23, "low": 0.732, "high": 0.976, "n": 23}) == ".913 [73, 98]"


def test_an_empty_plot_is_still_a_plot():
    assert svg.curves("t", {}, x="x", y="y").startswith("<svg")
    assert "polyline" in svg.curves("t", {"a": [(10, 1), (1000, 100)]}, x="x", y="y", log=True)
