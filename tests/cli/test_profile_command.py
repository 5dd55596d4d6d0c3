"""profile: what holds now, and the commands that correct it."""

import shlex

import pytest


@pytest.fixture
def moved(shell, add):
    add("I live in Tartu", "--at", "2026-01-10")
    add("I moved to Utrecht", "--at", "2026-06-08")
    add("Ada prefers dark mode", "--kind", "preference", "--at", "2026-02-01", "--source", "chat")
    return shell


def _corrections(shown):
    return [shlex.split(line)[1:] for line in shown.splitlines() if line.strip().startswith("recollect ")]


def test_it_shows_subjects_headings_dates_sources_and_what_was_before(moved):
    result = moved("profile")
    lines = result.stdout.splitlines()
    assert lines[:3] == ["user", "  Home", "    I moved to Utrecht"]
    assert lines[3].startswith("      told 2026-06-08 · from user · ")
    assert lines[4] == "      was: I live in Tartu (2026-01-10 to 2026-06-08)"
    assert lines[5].startswith("           event ")
    assert lines[6:10] == ["", "Ada", "  Likes", "    Ada prefers dark mode"]
    assert "recollect update ID --text TEXT" in result.stderr


def test_each_entry_of_one_subject_has_the_command_lines_that_correct_it(moved):
    undo, update, forget = _corrections(moved.done("profile", "me"))
    assert [line[0] for line in (undo, update, forget)] == ["undo", "update", "forget"]
    assert all(line[-2:] == ["--db", str(moved.db)] for line in (undo, update, forget))
    moved.done(*undo[:-2])
    assert moved.done("profile", "me").count("told ") == 2
    moved.done(*forget[:-2])
    texts = [
        each["text"] for group in moved.json("profile", "me")["subjects"][0]["groups"] for each in group["statements"]
    ]
    assert texts == ["I live in Tartu"]


def test_an_entry_can_be_rewritten(moved):
    *_, update, _ = _corrections(moved.done("profile", "me"))
    moved.done(*[("I moved to Arnhem" if word == "TEXT" else word) for word in update[:-2]])
    assert "I moved to Arnhem" in moved.done("profile")


def test_as_of_shows_what_held_then(moved):
    then = moved.json("profile", "--as-of", "2026-03-01")
    assert [each["name"] for each in then["subjects"]] == ["user", "Ada"]
    assert then["subjects"][0]["groups"][0]["statements"][0]["text"] == "I live in Tartu"


def test_a_message_is_named_with_its_session_and_turn(shell, tmp_path):
    chat = tmp_path / "chat.json"
    chat.write_text('[{"role": "user", "content": "I play the cello in Ghent since 3 May 2026."}]')
    shell.done("ingest", str(chat), "--session", "s1", "--at", "2026-06-01")
    assert "told 2026-06-01 · on 2026-05-03 · session s1, turn 0 · from user" in shell.done("profile", "user")


def test_namespaces_below_are_named(moved):
    moved.done("add", "Bob bakes sourdough bread", "--namespace", "default/kitchen")
    assert " · default/kitchen · " in moved.done("profile")
    assert moved.done("profile", "--namespace", "default/kitchen").splitlines()[0] == "Bob"


def test_nobody_known_by_that_name_ends_with_status_1(moved):
    assert "nothing is known about Zoe" in moved.refused(1, "profile", "Zoe")
    assert "nothing is known yet" in moved.refused(1, "profile", "--namespace", "elsewhere")
    moved.refused(2, "profile", "--as-of", "soon")


def test_no_text_controls_the_terminal(shell, add):
    add("Ada prints \x1b[2J\x1b[31m red letters", "--at", "2026-01-10")
    assert "\x1b" not in shell.done("profile", "Ada")


def test_a_brief_shows_what_a_session_told_and_replaced(moved, add):
    add("I live in Arnhem now", "--session", "s1", "--at", "2026-09-01")
    lines = moved.done("brief", "s1").splitlines()
    assert lines[0] == "Session s1 · 2026-09-01 · 0 turns"
    assert lines[1:] == ["Told:", "- I live in Arnhem now", "Replaced:", "- I moved to Utrecht → I live in Arnhem now"]
    assert [each["text"] for each in moved.json("brief", "s1")["told"]] == ["I live in Arnhem now"]
    assert "nowhere" in moved.refused(1, "brief", "nowhere")


def test_a_brief_without_the_summary_that_was_asked_for_says_so(moved, add):
    add("I live in Arnhem now", "--session", "s1")
    result = moved("brief", "s1", "--extractor", "openai:m")  # api.openai.com without a key
    assert result.exit_code == 0 and "Told:" in result.stdout
    assert "the model gave no summary" in result.stderr and "OPENAI_API_KEY" in result.stderr
