"""What is derived follows its source, on both stores."""

import pytest
from changes.changing import LEAVING, MOVING, SUMMARIES, UPDATING
from changes.going import FORGETTING, PURGING, REPLACED
from changes.stories import World, check

from recollect import Recollect

pytest_plugins = ["server_fixtures"]

STORIES = [
    *((f"purging: {story.name}", story) for story in PURGING),
    *((f"forgetting: {story.name}", story) for story in FORGETTING),
    *((f"replaced: {story.name}", story) for story in REPLACED),
    *((f"summaries: {story.name}", story) for story in SUMMARIES),
    *((f"updating: {story.name}", story) for story in UPDATING),
    *((f"leaving: {story.name}", story) for story in LEAVING),
    *((f"moving: {story.name}", story) for story in MOVING),
]


@pytest.fixture(params=["sqlite", "postgres"])
def mind(request, tmp_path):
    url = tmp_path / "agent.db" if request.param == "sqlite" else request.getfixturevalue("database")
    with Recollect(url, embedder="hashing") as opened:
        yield opened


@pytest.mark.parametrize("story", [story for _, story in STORIES], ids=[name for name, _ in STORIES])
def test_what_is_derived_follows_its_source(mind, story, tmp_path):
    world = World(mind)
    world.do([*story.told, *story.done])
    check(world, story.then, tmp_path)
