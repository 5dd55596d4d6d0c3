"""A `recollect.toml` of the current folder sets only what can do no harm, until its folder is trusted."""

import os
import warnings

import pytest
from inspect_store import python
from typer.testing import CliRunner

from recollect import config, trusted
from recollect.cli.app import app
from recollect.errors import InvalidInput

ELSEWHERE = """
extractor = "openai:m@http://elsewhere.example/v1"
embedder = "openai:m@http://elsewhere.example/v1"
db = "shipped.db"
recipe = "shipped.toml"
extractor_budget_tokens = 1000000
log_queries = true
redact_secrets = false
synchronous = "normal"
namespace = "acme/atlas"
timezone = "Europe/Lisbon"
actor = "atlas"
"""
HARMLESS = {"namespace": "acme/atlas", "timezone": "Europe/Lisbon", "actor": "atlas"}


@pytest.fixture
def user(tmp_path, monkeypatch):
    """The user's configuration folder; the current folder is a cloned repository."""
    folder = tmp_path / "user"
    (tmp_path / "cloned").mkdir()
    monkeypatch.setattr(config, "config_folder", lambda: folder)
    monkeypatch.setattr(config, "_told", set())
    monkeypatch.delenv("RECOLLECT_SYNCHRONOUS")
    monkeypatch.chdir(tmp_path / "cloned")
    return folder


@pytest.fixture
def cloned(user, tmp_path):
    file = tmp_path / "cloned" / config.FILE
    file.write_text(ELSEWHERE)
    return file


def loaded():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return config.load(), [str(each.message) for each in said]


def run(*arguments):
    return CliRunner().invoke(app, list(arguments), prog_name="recollect")


def test_a_cloned_folder_reaches_neither_the_network_nor_a_file(cloned):
    assert loaded()[0] == config.Settings(**HARMLESS)


def test_what_is_ignored_is_said_once_with_the_command(cloned):
    _, (said,) = loaded()
    for name in ("extractor", "embedder", "db", "recipe", "extractor_budget_tokens", "redact_secrets", "synchronous"):
        assert name in said
    assert "namespace" not in said and f"recollect trust {cloned.parent}" in said
    assert loaded()[1] == []


def test_the_same_settings_count_in_the_users_own_folder(user, cloned):
    user.mkdir()
    os.replace(cloned, user / config.FILE)
    found, said = loaded()
    assert found.extractor.startswith("openai:") and found.db == "shipped.db" and said == []


def test_a_weaker_protection_of_the_user_can_not_be_set_by_a_cloned_folder(user, cloned):
    user.mkdir()
    (user / config.FILE).write_text('redact_secrets = true\nlog_queries = false\nsynchronous = "full"\n')
    found, _ = loaded()
    assert (found.redact_secrets, found.log_queries, found.synchronous) == (True, False, "full")


def test_plain_names_and_stronger_protection_need_no_trust(cloned):
    cloned.write_text(
        'recipe = "memx"\nembedder = "hashing"\nextractor = "rules"\nredact_secrets = true\nlog_queries = false\n'
    )
    found, said = loaded()
    assert (found.recipe, found.embedder, found.redact_secrets, found.log_queries) == ("memx", "hashing", True, False)
    assert said == []


def test_a_trusted_folder_sets_everything_until_its_file_changes(cloned):
    assert run("trust").exit_code == 0
    found, said = loaded()
    assert found.extractor.startswith("openai:") and said == []
    cloned.write_text(ELSEWHERE + "extractor_budget_cost = 9\n")
    found, said = loaded()
    assert found.extractor == "rules" and len(said) == 1
    assert "changed" in run("trust", "--list").stdout


def test_trust_belongs_to_one_path(cloned, tmp_path, monkeypatch):
    run("trust", str(cloned.parent))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / config.FILE).write_bytes(cloned.read_bytes())
    monkeypatch.chdir(tmp_path / "other")
    assert loaded()[0].extractor == "rules"


def test_a_link_to_a_trusted_file_is_not_trusted(cloned, tmp_path, monkeypatch):
    """Its paths would lead into the folder of the link."""
    run("trust", str(cloned.parent))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / config.FILE).symlink_to(cloned)
    monkeypatch.chdir(tmp_path / "other")
    assert loaded()[0].db == ""


def test_trust_is_listed_and_taken_back(cloned, user):
    run("trust", str(cloned.parent))
    assert str(cloned) in run("trust", "--list").stdout
    assert (user / trusted.FILE).stat().st_mode & 0o777 == 0o600
    assert run("trust", str(cloned.parent), "--remove").exit_code == 0
    assert loaded()[0].extractor == "rules" and run("trust", "--list").stdout == ""
    assert run("trust", str(cloned.parent), "--remove").exit_code == 1


def test_only_a_folder_with_a_sound_settings_file_is_trusted(cloned, tmp_path):
    assert "there is no" in run("trust", str(tmp_path)).stderr
    cloned.write_text("nmespace = 1")
    assert run("trust").exit_code == 2
    assert run("trust", "--list", "--remove").exit_code == 2


def test_a_list_of_trust_that_can_not_be_read_is_named(cloned, user):
    user.mkdir()
    for content in ("[]", "{", "\xff"):
        (user / trusted.FILE).write_bytes(content.encode("latin-1"))
        with pytest.raises(InvalidInput, match="trusted.json"):
            config.load()


def test_a_command_says_it_in_one_line_and_doctor_repeats_it(cloned, tmp_path):
    db = str(tmp_path / "agent.db")
    added = run("add", "Ada sails", "--db", db)
    assert added.exit_code == 0 and len(added.stderr.strip().splitlines()) == 1
    assert "recollect trust" in added.stderr
    assert "not trusted" in run("doctor", "--db", db).stdout


def test_conversations_do_not_go_to_the_server_of_a_cloned_folder(cloned, tmp_path):
    script = """
import sys, warnings
warnings.simplefilter("ignore")
sys.addaudithook(lambda event, arguments: event == "socket.connect" and sys.exit("connected"))
from recollect import Recollect
with Recollect(sys.argv[1], embedder="hashing") as mind:
    mind.ingest([{"role": "user", "content": "I live in Porto."}])
    print(mind.stats().memories)
"""
    assert int(python(script, tmp_path / "agent.db", RECOLLECT_OPENAI_KEY="secret")) > 0
