"""The demo, with the small embedder."""

import pytest

from recollect import Recollect, demo


@pytest.fixture(scope="module")
def year():
    with Recollect(":memory:", namespace=demo.namespace(), embedder="hashing", recipe="default") as mind:
        yield mind, demo.load(mind)


def test_the_year_is_loaded_with_links_updates_and_a_contradiction(year):
    mind, ids = year
    assert len(set(ids.values())) == len(ids) == mind.stats().memories
    assert mind.stats().by_status["superseded"] == 2
    kinds = {link.kind for id in ids.values() for link, _ in mind.neighbours(id)}
    assert {"caused_by", "supersedes", "contradicts"} <= kinds
    assert mind.check() == []


def test_plain_words_identifiers_updates_and_chinese_are_found_first(year):
    mind, ids = year
    for question in demo.questions():
        if len(question.expect) == 1 and question.expect[0] in ("m23", "m09", "m12", "m36", "m39", "m13", "m08"):
            assert demo.ask(mind, question).hits[0].memory.id == ids[question.expect[0]], question.text


def test_what_the_year_does_not_hold_is_rejected(year):
    mind, _ = year
    strange = [question for question in demo.questions() if not question.expect]
    assert strange and all(demo.ask(mind, question).rejected for question in strange)


def test_one_question_is_explained():
    assert sum(question.explained for question in demo.questions()) == 1


def test_the_demo_answers_explains_rejects_and_says_how_to_go_on(shell):
    shown = shell.done("demo", "--embedder", "hashing")
    for question in demo.questions():
        assert f"? {question.text}" in shown
    assert "└──" in shown and "not in memory: " in shown
    assert "probably not in memory; nearest:\n 1. " in shown
    assert f"recollect stats --db {shell.db} --namespace demo" in shown


def test_the_demo_on_a_store_that_has_it_only_asks(shell):
    shell.done("demo", "--embedder", "hashing")
    before = shell.json("stats")["memories"]
    again = shell.json("demo", "--embedder", "hashing")
    assert len(again["questions"]) == len(demo.questions())
    assert shell.json("stats")["memories"] == before


def test_what_the_demo_suggests_works(shell):
    import shlex

    shown = shell.done("demo", "--embedder", "hashing")
    suggested = [shlex.split(line)[1:] for line in shown[shown.index("Try more") :].splitlines() if line[:2] == "  "]
    for command in suggested[:-1]:
        assert shell(*command).exit_code == 0, command
    assert suggested[-1] == ["serve", "--db", str(shell.db), "--namespace", "demo"]  # it would not end


def test_a_demo_without_a_place_makes_a_temporary_one(tmp_path, monkeypatch):
    import tempfile

    from typer.testing import CliRunner

    from recollect.cli.app import app

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    result = CliRunner().invoke(app, ["demo", "--embedder", "hashing"])
    [folder] = tmp_path.iterdir()
    assert (folder / "demo.db").exists()
    assert result.stdout.endswith(f"The store stays until you remove it: rm -r {folder}\n")


def test_the_demo_names_a_command_that_can_be_typed(monkeypatch, tmp_path):
    import os
    import sys
    from pathlib import Path

    from recollect.cli import demo

    folder = Path(sys.executable).parent
    script = folder / "recollect"
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(folder.parent)
    assert demo.typed_program() == f"{folder.name}/recollect"
    monkeypatch.chdir(tmp_path)
    assert demo.typed_program() == str(script)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/nowhere")
    assert demo.typed_program() == "recollect"
