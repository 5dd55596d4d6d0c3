"""The commands, as a person types them."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect import Recollect, config
from recollect.cli.app import app
from recollect.embedders.hashing import Hashing
from recollect.keep.model_choice import Calibration, Quality, RefusedQuestion
from recollect.recipes.confidence import Confidence
from recollect.recipes.fitted import SETTING, Fitted, loads
from recollect.store.settings import setting

QUICK = ("--embedder", "hashing")
LIFE = json.loads((Path(__file__).parent / "little_life.json").read_text(encoding="utf-8"))
FITTED = Fitted(
    model=Confidence(bias=-1.0),
    fingerprint="hashing",
    tau=0.1,
    similarity_tau=None,
    auroc=0.9,
    calibration_error=0.1,
    examples=120,
)


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


def test_leave_one_out_and_granularity(run, file, scenario, longmemeval):
    tiny, talk = file("tiny.json", scenario), file("s.json", longmemeval)
    assert "without lexical" in done(run("bench", "ablation", "--how", "leave-one-out", "--data", tiny, *QUICK))
    assert "hybrid" in done(run("bench", "granularity", "--data", talk, *QUICK))


def test_memx_prints_what_differs_in_text_json_and_html(run, file, scenario, longmemeval, tmp_path):
    data = ("--data", file("tiny.json", scenario), "--data", file("s.json", longmemeval))
    shown = done(run("bench", "memx", *data, *QUICK, "--out", "out"))
    assert "What differs from the paper" in shown and "by rules, no LLM" in shown
    assert "Hit@5 printed" in shown and "Table 13" in shown and "Figure 2" in shown
    page = (tmp_path / "out" / "memx.html").read_text(encoding="utf-8")
    assert "by rules, no LLM" in page and "<svg" in page
    found = json.loads(done(run("bench", "memx", *data, *QUICK, "--out", "out", "--tau", 0.4, "--json")))
    assert found["tau"] == 0.4 and found["extractor"] == "rules"
    assert found["tables"][0]["title"] == "What differs from the paper"
    assert any(row["what"] == "facts" and "by rules" in row["here"] for row in found["tables"][0]["rows"])
    five = next(table for table in found["tables"] if table["title"].startswith("Table 5"))
    assert five["rows"][0]["Hit@1 printed"] == "14.8" and five["rows"][0]["n ours"] == "3"
    assert list((tmp_path / "out").glob("memx-figure-2-*.svg"))


def test_memx_uses_the_chinese_scenarios_of_the_package():
    from recollect.cli.bench_systems import chinese_scenarios

    assert [Path(path).stem for path in chinese_scenarios()] == ["default_zh", "high_confusion_zh"]


def test_openmem_plays_the_suite_or_a_file(run, file, tmp_path):
    shown = done(run("bench", "openmem", "--out", "out"))
    assert "needle in a haystack" in shown and "statements are as the document says" in shown
    assert (tmp_path / "out" / "openmem.html").exists()
    one = {"name": "one", "about": "…", "memories": [{"id": "a", "text": "The kiln is hot."}]}
    path = file("one.json", one | {"questions": [{"q": "kiln", "first": "a"}]})
    found = json.loads(done(run("bench", "openmem", path, "--out", "out", "--json")))
    assert found["tables"][-1]["rows"][0]["same"] == "yes"


def test_siestai_and_bm25_are_one_command_each(run, tmp_path):
    assert "Recency decay" in done(run("bench", "siestai", "--out", "out"))
    shown = done(run("bench", "bm25", *QUICK, "--out", "out"))
    assert "SQLite + FTS5 printed" in shown and "70–80" in shown
    assert {"siestai.json", "siestai.html", "bm25.json", "bm25.html"} <= {p.name for p in (tmp_path / "out").iterdir()}


def test_memsense_stores_in_one_mode_or_all(run, file, locomo):
    shown = done(run("bench", "memsense", "--mode", "all", "--data", file("l.json", locomo), *QUICK, "--out", "out"))
    assert "sessions + rounds" in shown and "Diversity step by step" in shown
    found = json.loads(done(run("bench", "memsense", *QUICK, "--limit-questions", 1, "--out", "out", "--json")))
    quality = next(table for table in found["tables"] if table["title"] == "Quality by mode")
    assert [row["mode"] for row in quality["rows"]] == ["hybrid"] and quality["rows"][0]["questions"] == "6"


def test_lives_are_printed_and_written(run, file, life, tmp_path):
    path = file("tiny.json", life)
    shown = done(run("bench", "lives", path, "--recipes", "default,bm25", *QUICK, "--out", "out", "--show", "now"))
    assert "right@1" in shown and "AUROC of confidence" in shown and "3 + 2" in shown
    assert "want       s2/0" in shown and "tiny/now (bm25, confidence" in shown
    assert (tmp_path / "out" / "lives.html").exists()
    written = json.loads((tmp_path / "out" / "lives.json").read_text(encoding="utf-8"))
    assert len(written["answers"]) == 10
    found = json.loads(done(run("bench", "lives", path, *QUICK, "--tend", "--json")))
    assert found["figures"]["types"]["all"]["default"]["right@1"]["n"] == 3 and "answers" not in found


def test_lives_are_checked_without_being_lived(run, file, life):
    good = file("good.json", life)
    assert "good.json: valid: 3 sessions, 6 messages, 5 questions" in done(run("bench", "lives", "--check", good))
    assert done(run("bench", "lives", "--check")).count(": valid: ") == 10
    life["questions"][0]["evidence"], life["questions"][1]["type"] = [["s1", 7]], "guess"
    bad, worse = file("bad.json", life), file("worse.json", b"[")
    result = run("bench", "lives", "--check", good, bad, worse)
    assert "2 of 3 files can't be used" in refused(result)
    assert "bad.json: question early: there is no message s1/7" in result.stdout
    assert "unknown type 'guess'" in result.stdout and "worse.json: not JSON" in result.stdout
    assert "there is no message s1/7 (and 1 more" in refused(run("bench", "lives", bad, *QUICK))


def test_lives_that_are_interrupted_write_nothing(run, file, life, tmp_path, monkeypatch):
    monkeypatch.setattr(Hashing, "embed", _interrupted)
    result = run("bench", "lives", file("tiny.json", life), *QUICK, "--out", "out")
    assert result.exit_code == 130 and "stopped" in result.stderr and not (tmp_path / "out").exists()


def _interrupted(*_):
    raise KeyboardInterrupt


def test_statebench_is_printed_and_written(run, file, timelines, tmp_path):
    path = file("dev.jsonl.gz", timelines)
    shown = done(run("bench", "statebench", path, "--recipes", "bm25,vector", *QUICK, "--out", "out"))
    assert "clean@1" in shown and "1 timelines of other tracks are left out" in shown
    assert (tmp_path / "out" / "statebench.html").exists()


def test_bad_input_is_one_line(run, file, longmemeval, scenario):
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
    assert "name is missing" in refused(run("bench", "lives", file("x.json", {"a": 1}), *QUICK))
    assert "unknown type 'then'" in refused(run("bench", "lives", "--show", "then", *QUICK))
    assert "--mode must be one of" in refused(run("bench", "memsense", "--mode", "both", *QUICK))
    tiny = file("tiny.json", scenario)
    assert "has no conversations" in refused(run("bench", "memsense", "--data", tiny, *QUICK))
    assert "unknown extractor" in refused(run("bench", "memx", "--extractor", "gpt", *QUICK))
    assert "memories is missing" in refused(run("bench", "openmem", file("x.json", {"a": 1})))
    assert "line 1.track is missing" in refused(run("bench", "statebench", file("y.json", {"a": 1}), *QUICK))


def test_calibrate_shows_both_models_and_what_would_be_refused(run, tmp_path):
    path = tmp_path / "agent.db"
    asked = ("calibrate", "--db", path, "--recipe", "default-fast")
    with Recollect(path, embedder="hashing") as mind:
        mind.remember_many({"text": text} for text in LIFE["memories"])
    shown = json.loads(done(run(*asked, "--preview", "--json")))
    assert shown["kept"] is shown["better"] is False and shown["sources"]["made from memories"] == 79
    assert {"auroc", "wrongly_refused", "rightly_refused"} <= shown["new"].keys() & shown["built_in"].keys()
    assert all({"question", "answerable", "fitted", "built_in"} == each.keys() for each in shown["refused"])
    drawn = done(run(*asked, "--preview"))
    assert "nothing was changed. The fitted model is not better: it " in drawn
    assert re.search(r"model +AUROC +answerable, refused +absent, refused\nbuilt-in +0\.\d+ +\d+ of 79 ", drawn)
    assert "the built-in model is used. The fitted model is not better" in done(run(*asked))
    with Recollect(path) as mind:
        assert loads(setting(mind._store, SETTING)) is None
    assert "built-in model" in done(run("calibrate", "--db", path, "--clear"))


def test_a_better_model_says_that_it_is_kept_and_what_it_refuses(capsys):
    from recollect.cli.calibrate import _draw

    refused = [RefusedQuestion(question=f"q{n}", answerable=n < 2, fitted=0.05, built_in=0.4) for n in range(3)]
    weak, strong = (
        Quality(auroc=auroc, wrongly_refused=wrong, answerable=60, rightly_refused=20, absent=60)
        for auroc, wrong in ((0.7, 9), (0.9, 2))
    )
    found = Calibration(
        better=True,
        reason="it is",
        fitted=FITTED,
        new=strong,
        built_in=weak,
        refused=tuple(refused),
        sources={"given": 60},
    )
    _draw(found, "hashing", False)
    shown = capsys.readouterr().out
    assert "the fitted model is kept in the store: it is; --clear removes it" in shown
    assert re.search(r"0\.05 +0\.40 +wrongly +q0\n", shown) and re.search(r"0\.05 +0\.40 +rightly +q2\n", shown)
    _draw(found, "hashing", True)
    assert "nothing was changed. The fitted model is better: it is" in capsys.readouterr().out


def test_calibrate_refuses_too_little(run, tmp_path):
    path = tmp_path / "agent.db"
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode in her editor")
    assert "needs 50" in refused(run("calibrate", "--db", path))
