"""The inputs that fuzzing began with and that it found: none ends in anything but an error of recollect."""

import pytest
from fuzz.targets import CORPUS, TARGETS

KEPT = sorted(CORPUS.glob("*/*"))


def test_every_target_has_a_corpus():
    assert {path.parent.name for path in KEPT} == TARGETS.keys()


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_input_ends_in_a_result_or_an_error_of_recollect(path):
    TARGETS[path.parent.name](path.read_bytes())
