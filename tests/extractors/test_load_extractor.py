import pytest
from inspect_store import python

from recollect.errors import InvalidInput, UnknownName
from recollect.extractors import DEFAULT, load, names
from recollect.extractors.dead_letters import DeadLetterList
from recollect.extractors.limits import Limits


@pytest.mark.parametrize("name", ["rules", "openai:org/m:latest@http://one:1/v1", "openai:m@https://api.openai.com/v1"])
def test_the_name_can_be_loaded_again(name):
    assert load(load(name).name).name == name


def test_the_default_is_one_of_the_names():
    assert DEFAULT in names()


def test_a_model_without_an_address_is_openai_s():
    assert load("openai:gpt-5-mini").name == "openai:gpt-5-mini@https://api.openai.com/v1"


@pytest.mark.parametrize("name", ["rule", "", "Rules ", "open-ai:model", "ollama:m@http://h/v1"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(UnknownName, match="unknown extractor"):
        load(name)


def test_a_misspelt_name_is_answered_with_the_nearest_one():
    with pytest.raises(UnknownName, match="did you mean 'rules'"):
        load("rule")


@pytest.mark.parametrize("spec", ["openai:", "openai:m@localhost:1/v1", "openai:m@ftp://h/v1", "openai:@http://h/v1"])
def test_a_spec_that_cannot_be_read_is_not_sent_to_openai_but_answered_with_the_right_forms(spec):
    with pytest.raises(InvalidInput, match="openai:MODEL@http"):
        load(spec)


def test_limits_and_letters_reach_the_extractor():
    limits, letters = Limits(tries=1), DeadLetterList()
    loaded = load("openai:m@http://one:1/v1", limits=limits, letters=letters)
    assert (loaded.limits, loaded.letters) == (limits, letters)


def test_importing_loads_no_client():
    script = """
import sys
import recollect.extractors
print([name for name in ("recollect.extractors.openai", "httpx2", "urllib.request", "numpy") if name in sys.modules])
"""
    assert python(script).strip() == "[]"
