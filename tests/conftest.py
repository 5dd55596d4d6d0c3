"""Every test starts without the user's settings, and gets a small fresh memory when it asks for one."""

import os

import pytest
from hypothesis import settings

from recollect import Recollect, config

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch, tmp_path_factory):
    for name in [name for name in os.environ if name.startswith(config.PREFIX)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(f"{config.PREFIX}SYNCHRONOUS", "normal")  # no test cuts the power, and a sync takes long
    home = tmp_path_factory.getbasetemp()
    monkeypatch.setattr(config, "config_folder", lambda: home / "no-config")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


@pytest.fixture
def mind(path):
    with Recollect(path, embedder="hashing") as opened:
        yield opened
