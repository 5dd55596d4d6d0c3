"""Arguments win over the environment, that over the project's file, that over the user's."""

import pytest

from recollect import Recollect, config
from recollect.errors import InvalidInput


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The user's and the project's settings file."""
    (tmp_path / "user").mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.setattr(config, "config_folder", lambda: tmp_path / "user")
    monkeypatch.delenv("RECOLLECT_SYNCHRONOUS")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "user" / config.FILE, tmp_path / "project" / config.FILE


def test_without_any_settings_the_defaults_hold(files):
    assert config.load() == config.Settings()


def test_the_stronger_source_wins(files, monkeypatch):
    user, project = files
    user.write_text('namespace = "user"\nactor = "user"\nrecipe = "bm25"\nembedder = "hashing"\n')
    project.write_text('namespace = "project"\nactor = "project"\nrecipe = "memx"\n')
    monkeypatch.setenv("RECOLLECT_NAMESPACE", "environment")
    monkeypatch.setenv("RECOLLECT_ACTOR", "environment")
    found = config.load(namespace="argument", recipe=None)
    assert (found.namespace, found.actor, found.recipe, found.embedder) == (
        "argument",
        "environment",
        "memx",
        "hashing",
    )


def test_the_memory_opens_as_the_settings_say(files, monkeypatch, tmp_path):
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "chosen.db"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    monkeypatch.setenv("RECOLLECT_NAMESPACE", "acme/ada")
    with Recollect() as mind:
        assert mind.remember("Ada prefers dark mode").namespace == "acme/ada"
        assert mind.url == str(tmp_path / "chosen.db")
    with Recollect(namespace="acme") as mind:
        assert len(mind.list()) == 1


@pytest.mark.parametrize("word", ["false", "0", "no", "False"])
def test_a_switch_takes_several_words(files, monkeypatch, word):
    monkeypatch.setenv("RECOLLECT_LOG_QUERIES", word)
    assert config.load().log_queries is False


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('nmespace = "x"', "'namespace'"),
        ("namespace = 3", "namespace"),
        ("log_queries = 'perhaps'", "log_queries"),
        ("namespace = ", "can't be read"),
        ("\xff", "can't be read"),
    ],
)
def test_a_settings_file_that_can_not_be_used_is_named(files, content, named):
    _, project = files
    project.write_bytes(content.encode("latin-1"))
    with pytest.raises(InvalidInput, match=named) as caught:
        config.load()
    assert config.FILE in str(caught.value)


def test_other_variables_with_our_prefix_are_left_alone(files, monkeypatch):
    monkeypatch.setenv("RECOLLECT_SOMETHING_ELSE", "x")
    assert config.load() == config.Settings()
