"""The commands, as a person types them."""

import json

import pytest
from typer.testing import CliRunner

from recollect import Recollect, config
from recollect.cli.app import app
from recollect.recipes.fitted import SETTING, loads
from recollect.store.settings import setting

QUICK = ("--embedder", "hashing")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(config, "files", lambda: [])
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")

    def typed(*words):
        return CliRunner().invoke(app, [str(word) for word in words], prog_name="recollect")

    return typed


def done(result):
    assert result.exit_code == 0, (result.stdout, result.stderr, result.exception)
    return result.stdout


def refused(result):
    assert result.exit_code == 2, (result.stdout, result.stderr, result.exception)
    assert len(result.stderr.strip().splitlines()) == 1 and "Traceback" not in result.output
    return result.stderr


def test_quality_prints_a_table_and_writes_a_report(run, file, locomo, tmp_path):
    path = file("locomo.json", locomo)
    shown = done(run("bench", "quality", "--data", path, "--recipes", "default,bm25,vector", *QUICK, "--out", "out"))
    assert "recall@5" in shown and "bm25" in shown and "2 + 1 questions" in shown
    assert {"report.json", "report.html", "answers.jsonl"} <= {path.name for path in (tmp_path / "out").iterdir()}
    again = done(run("bench", "quality", "--data", path, *QUICK, "--out", "out", "--compare", "out/report.json"))
    assert "within noise" in again


def test_quality_answers_in_json(run, file, longmemeval):
    path = file("s.json.gz", longmemeval)
    words = ("--data", path, "--protocol", "pooled", "--granularity", "turn", "--limit-questions", 2, *QUICK)
    found = json.loads(done(run("bench", "quality", *words, "--json")))
    assert found["protocol"] == "pooled" and found["sets"][0]["questions"] == 2


@pytest.mark.parametrize("study", ["sweep", "ablation", "slices"])
def test_a_study_writes_its_page(run, file, scenario, tmp_path, study):
    path = file("tiny.json", scenario)
    assert done(run("bench", study, "--data", path, *QUICK, "--out", "out"))
    assert (tmp_path / "out" / f"{study}.html").exists()


def test_leave_one_out_and_granularity_and_memx(run, file, scenario, longmemeval):
    tiny, talk = file("tiny.json", scenario), file("s.json", longmemeval)
    assert "without lexical" in done(run("bench", "ablation", "--how", "leave-one-out", "--data", tiny, *QUICK))
    assert "hybrid" in done(run("bench", "granularity", "--data", talk, *QUICK))


def test_bad_input_is_one_line(run, file, longmemeval):
    path = file("s.json", longmemeval)
    assert "unknown format" in refused(run("bench", "quality", "--data", file("x.json", {"a": 1}), *QUICK))
    assert "nowhere.json" in refused(run("bench", "quality", "--data", "nowhere.json", *QUICK))
    assert "--protocol" in refused(run("bench", "quality", "--data", path, "--protocol", "mine", *QUICK))
    assert "--granularity" in refused(run("bench", "quality", "--data", path, "--granularity", "word", *QUICK))
    assert "unknown recipe" in refused(run("bench", "quality", "--data", path, "--recipes", "best", *QUICK))
    assert "unknown embedder" in refused(run("bench", "quality", "--data", path, "--embedder", "grant"))
    assert "--recipes is empty" in refused(run("bench", "quality", "--data", path, "--recipes", ",", *QUICK))
    assert "needs conversations" in refused(run("bench", "granularity", *QUICK))
    assert "report" in refused(run("bench", "quality", "--data", path, "--compare", path, *QUICK))


def test_calibrate_fits_and_keeps(run, tmp_path):
    path = tmp_path / "agent.db"
    with Recollect(path, embedder="hashing") as mind:
        mind.remember_many({"text": f"Crate {n} holds {n * 3} bolts for engine {n * 11}"} for n in range(60))
    shown = json.loads(done(run("calibrate", "--db", path, "--preview", "--json")))
    assert shown["kept"] is False and shown["examples"] == 120
    assert "kept in the store" in done(run("calibrate", "--db", path))
    assert "built-in model" in done(run("calibrate", "--db", path, "--clear"))
    with Recollect(path) as mind:
        assert loads(setting(mind._store, SETTING)) is None
    assert "--clear removes it" in done(run("calibrate", "--db", path))


def test_calibrate_refuses_too_little(run, tmp_path):
    path = tmp_path / "agent.db"
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode in her editor")
    assert "needs 50" in refused(run("calibrate", "--db", path))
