"""A question about one of several speakers is seldom answered by what another one says of themselves."""

import pytest

from recollect import Recollect
from recollect.read.reject import USUAL_SPEAKER, USUAL_SPEAKER_EVIDENCE, confidence
from recollect.recipes.confidence import Confidence
from recollect.types import Signals

TALK = [
    {"role": "user", "name": "Ann", "content": "I started pottery classes in May, on Tuesdays."},
    {"role": "user", "name": "Ben", "content": "Nice! I'm learning the cello at the moment."},
    {"role": "user", "name": "Ann", "content": "My sister visits on Sunday."},
    {"role": "user", "name": "Ben", "content": "My car is in the garage, the gearbox is broken."},
]


@pytest.fixture(scope="module")
def friends():
    with Recollect(":memory:") as mind:
        mind.ingest(TALK, session_id="a", at="2026-05-10")
        yield mind


@pytest.mark.parametrize(
    ("who_did", "who_did_not"),
    [
        ("which instrument is Ben learning?", "which instrument is Ann learning?"),
        ("what is broken on Ben's car?", "what is broken on Ann's car?"),
    ],
)
def test_confidence_is_lower_if_only_another_speaker_says_it(friends, who_did, who_did_not):
    right, wrong = (friends.recall(question, at="2026-06-01") for question in (who_did, who_did_not))
    assert right.signals.read_speaker == 4.0 and wrong.signals.read_speaker == -4.0
    assert wrong.confidence < right.confidence / 2


@pytest.mark.parametrize("question", ["who learns the cello?", "what do Ann and Ben learn?"])
def test_a_question_that_names_no_speaker_or_several_has_no_such_signal(friends, question):
    assert friends.recall(question, at="2026-06-01").signals.read_speaker is None


def test_the_usual_difference_leaves_the_confidence_as_it_is():
    model = Confidence(bias=0.5, speaker=0.45, speaker_evidence=6.0)
    assert confidence(Signals(), model) == pytest.approx(0.6225, abs=1e-4)
    usual = Signals(read_speaker=USUAL_SPEAKER, evidence=USUAL_SPEAKER_EVIDENCE)
    assert confidence(usual, model) == pytest.approx(0.6225, abs=1e-4)
    assert confidence(Signals(read_speaker=-4.0, evidence=0.76), model) == pytest.approx(0.03277, abs=1e-4)


def test_a_question_that_names_a_speaker_has_the_bias_added():
    model = Confidence(bias=0.5, speaker=0.45, speaker_bias=0.5, speaker_evidence=6.0)
    usual = Signals(read_speaker=USUAL_SPEAKER, evidence=USUAL_SPEAKER_EVIDENCE)
    assert confidence(usual, model) == pytest.approx(0.7311, abs=1e-4)
    assert confidence(Signals(), model) == pytest.approx(0.6225, abs=1e-4)
