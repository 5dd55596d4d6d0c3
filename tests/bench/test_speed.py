"""`recollect bench speed`, on a store of a few hundred memories. What it prints, not how fast it is."""

import json

import pytest
from typer.testing import CliRunner

from recollect import config
from recollect.bench.speed import bars, sentences, vectors
from recollect.bench.speed.clock import Spread
from recollect.bench.speed.figures import Figure, Sized, exponent
from recollect.cli.app import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(config, "files", lambda: [])
    return lambda *words: CliRunner().invoke(app, ["bench", "speed", *words], prog_name="recollect")


def test_every_kind_of_work_is_timed_and_written(run, tmp_path):
    done = run("--sizes", "200,400", "--recipes", "default-fast,bm25", "--vectors", "dense,sparse", "--out", "out")
    assert done.exit_code == 0, (done.output, done.exception)
    found = json.loads((tmp_path / "out" / "speed.json").read_text(encoding="utf-8"))
    assert [(each["size"], each["vectors"]) for each in found["measured"]] == [
        (200, "dense"), (400, "dense"), (200, "sparse"), (400, "sparse"),
    ]  # fmt: skip
    for each in found["measured"]:
        works = {figure["work"] for figure in each["figures"]}
        assert works >= {
            "batch add, from empty", "remember", "remember, without dedup", "ingest, one by one",
            "ingest, many at once", "recall default-fast", "recall bm25", "recall in 1,000 of the store",
            "recall in 1,000 alone", "stats", "profile", "assemble", "export", "tend",
        }  # fmt: skip
        assert each["recall_at_10"] == 1.0 and each["file_mb"] > 0 and each["opened"]["memory_mb"] > 0
        assert each["scan"]["cpu_p50"] > 0 and all(figure["of_scan"]["p50"] >= 0 for figure in each["figures"])
        assert {"route lexical", "route vector"} <= set(each["stages"][0]["ms"])
    assert "exponent" in done.stdout and "of scan" in done.stdout
    page = (tmp_path / "out" / "speed.html").read_text(encoding="utf-8")
    assert "Growth, sparse vectors" in page and "<svg" in page
    assert not list((tmp_path / "out").glob("store-*"))


@pytest.mark.parametrize("wrong", [("--sizes", "7"), ("--sizes", "2k"), ("--vectors", "thick"), ("--recipes", "none")])
def test_a_wrong_option_is_refused_in_one_line(run, wrong):
    refused = run(*wrong)
    assert refused.exit_code == 2 and len(refused.stderr.strip().splitlines()) == 1


def test_the_same_number_is_the_same_sentence_and_few_are_equal():
    texts = sentences.sentences(0, 5_000)
    assert texts == sentences.sentences(0, 5_000)
    assert len(set(texts)) > 4_900
    assert all(sentences.question(n, 5_000).endswith("?") for n in range(50))
    assert sentences.conversation(3)["messages"] == sentences.conversation(3)["messages"]


def test_given_vectors_are_near_for_texts_that_share_words():
    one, same, other = vectors.Dense().embed(
        ["Ada moved the kitchen meeting", "Ada moved the kitchen meeting, as Ben said", "Error E00017 in the parser"]
    )
    assert one @ same > 0.7 > 0.5 > one @ other > 0.1


def test_the_growth_law_is_the_slope_of_the_logarithms():
    assert exponent([(10, 2.0), (1_000, 20.0)]) == pytest.approx(0.5)
    assert exponent([(10, 2.0)]) is None


def test_a_bar_says_whether_it_is_met():
    spread = Spread(calls=1, mean=2.0, p50=2.0, p95=9.0, cpu_mean=2.0, cpu_p50=2.0, cpu_p95=9.0)
    scan = Spread(calls=1, mean=10.0, p50=10.0, p95=10.0, cpu_mean=10.0, cpu_p50=10.0, cpu_p95=10.0)
    figures = [Figure(work=work, spread=spread) for work in ("recall default-fast", "recall vector", "recall memx")]
    rows = {
        row[0]: row[2:] for row in bars.table([Sized(size=220_000, vectors="dense", scan=scan, figures=figures)]).rows
    }
    assert rows["recall default-fast, p50"] == ("≤ 0.30 × scan", "0.20 × scan", "yes")
    assert rows["recall vector, p50"] == ("≤ 0.15 × scan", "0.20 × scan", "no")
    assert rows["recall memx, p95"][-1] == "yes" and rows["stats"][-1] == "–"
