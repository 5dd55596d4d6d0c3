"""Every text of the page is in strings.json, in every language, and every text there is used."""

import json
import re
from importlib.resources import files

PAGE = files("recollect.serve") / "inspector"
STRINGS = json.loads((PAGE / "strings.json").read_text(encoding="utf-8"))
LANGUAGES = {"en", "zh"}
WORDINGS = {f"{section}.{key}": wordings for section, keys in STRINGS.items() for key, wordings in keys.items()}


def _scripts(folder):
    for each in folder.iterdir():
        if each.is_dir():
            yield from _scripts(each)
        elif each.name.endswith(".js"):
            yield each.name, each.read_text(encoding="utf-8")


def _code(text):
    return re.sub(r"/\*.*?\*/|^\s*//.*?$", "", text, flags=re.MULTILINE | re.DOTALL)


CODE = "\n".join(_code(text) for _, text in _scripts(PAGE))
NAMES = re.findall(r'"([a-z]+\.[a-z_][a-z_.0-9]*)"', CODE)
ASKED = {name for name in NAMES if name.partition(".")[0] in STRINGS}
SETS = {name for name in ASKED if any(key.startswith(f"{name}.") for key in WORDINGS)}
"""Beginnings of keys: the page adds a value, such as a status."""


def _texts(wording):
    return list(wording.values()) if isinstance(wording, dict) else [wording]


def test_every_text_is_there_in_every_language():
    for key, wordings in WORDINGS.items():
        assert set(wordings) == LANGUAGES, key
        for wording in wordings.values():
            assert not isinstance(wording, dict) or set(wording) == {"one", "other"}, key
            assert all(text.strip() for text in _texts(wording)), key


def test_the_languages_name_the_same_values():
    for key, wordings in WORDINGS.items():
        named = {frozenset(re.findall(r"\{(\w+)\}", _texts(each)[-1])) for each in wordings.values()}
        assert len(named) == 1, key


def test_every_text_that_the_page_asks_for_is_there():
    wanted = ASKED - SETS
    assert wanted - set(WORDINGS) == set()
    named = set(re.findall(r'\bnamed\(\s*"([a-z_.]+)"', CODE))
    assert named <= SETS


def test_no_text_is_left_that_the_page_does_not_use():
    used = ASKED | {key for key in WORDINGS if key.rpartition(".")[0] in SETS}
    assert set(WORDINGS) - used == set()
