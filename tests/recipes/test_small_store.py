"""What a newcomer sees first: three memories and the real model."""

import pytest

from recollect import Recollect


@pytest.fixture(scope="module")
def small():
    with Recollect(":memory:") as mind:
        mind.remember("Ada prefers dark mode", kind="preference", tags=["ui"])
        mind.ingest(
            [
                {"role": "user", "content": "I moved to Lyon last week. What should I see first?"},
                {"role": "assistant", "content": "Start with the old town, then the two rivers."},
            ],
            session_id="s1",
        )
        yield mind


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("where do I live?", "Lyon"),
        ("which theme does Ada like?", "dark mode"),
        ("what colours does she want on screen?", "dark mode"),
    ],
)
def test_what_is_there_is_not_refused(small, question, answer):
    found = small.recall(question, track=False)
    assert found.rejected is None
    assert answer in found.hits[0].memory.text


def test_what_is_far_off_is_refused(small):
    assert small.recall("how many moons orbit Saturn?", track=False).hits == ()
