"""Words such as "yesterday" mean days of the time zone in the settings, in questions and in what is ingested."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recollect import Recollect, config, recipes
from recollect.config import Settings
from recollect.errors import InvalidInput
from recollect.recipes.recipe import TimeWindow

EVENING = "2024-03-09T20:00:00Z"  # in Tokyo it is Sunday the 10th, 05:00
TOKYO = "Asia/Tokyo"


def opened(timezone):
    default = recipes.load("default")
    routes = tuple(replace(route, slack_days=0) if isinstance(route, TimeWindow) else route for route in default.routes)
    recipe = replace(default, routes=routes, pack=replace(default.pack, above=None))  # all that the routes find
    return Recollect(":memory:", embedder="hashing", recipe=recipe, settings=Settings(timezone=timezone))


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


def seen_in_time(mind, question, at):
    """What was found among the memories of the time that the question names."""
    return {hit.memory.text for hit in mind.recall(question, at=at, limit=20).hits if "time_window" in hit.routes}


@pytest.mark.parametrize(
    ("timezone", "found"), [("UTC", {"the fence fell", "the fence was mended"}), (TOKYO, {"the fence was mended"})]
)
def test_today_in_a_question_is_the_day_where_the_user_is(timezone, found):
    with opened(timezone) as mind:
        mind.remember("the fence fell", at="2024-03-09T10:00:00Z")
        mind.remember("the fence was mended", at="2024-03-09T19:00:00Z")  # the 10th, 04:00, in Tokyo
        assert seen_in_time(mind, "what happened to the fence today?", EVENING) == found


@pytest.mark.parametrize(
    ("timezone", "day", "start"),
    [
        ("UTC", "2024-03-08", utc(2024, 3, 8)),
        (TOKYO, "2024-03-09", utc(2024, 3, 8, 15)),
        ("America/Los_Angeles", "2024-03-08", utc(2024, 3, 8, 8)),
    ],
)
def test_yesterday_in_a_conversation_is_the_day_before_where_the_user_is(timezone, day, start):
    said = [{"role": "user", "content": "I saw a heron at the lake yesterday."}]
    with opened(timezone) as mind:
        turn, *facts = mind.ingest(said, session_id="s1", at=EVENING).added
        assert [fact.text for fact in facts] == ["I saw a heron at the lake yesterday."]
        assert turn.metadata["when"] == facts[0].metadata["when"] == {"start": day, "end": day}
        assert [fact.occurred_at for fact in facts] == [start]
        assert facts[0].occurred_at.tzinfo is UTC
        assert mind.get(facts[0].id).occurred_at == start


def test_a_day_is_as_long_as_the_clock_says_when_it_changes():
    with opened("Europe/Paris") as mind:
        mind.remember("the fence was painted green", at="2024-03-30T23:30:00Z")  # the 31st, which has 23 hours
        mind.remember("the fence was painted red", at="2024-03-31T22:30:00Z")  # the 1st of April
        asked = "what happened to the fence on 31 March?"
        assert seen_in_time(mind, asked, "2024-04-02T12:00:00Z") == {"the fence was painted green"}


def test_the_end_of_the_calendar_is_no_reason_to_fail():
    for timezone in (TOKYO, "America/Los_Angeles"):
        with opened(timezone) as mind:
            mind.remember("the fence was painted green")
            for at in ("0001-01-01T00:00:00Z", "9999-12-31T23:00:00Z"):
                mind.recall("what happened to the fence yesterday and today?", at=at)
                mind.ingest([{"role": "user", "content": "I saw a heron today."}], at=at)


class Noting:
    """An extractor that notes the moments it is told."""

    name = "noting"

    def __init__(self):
        self.told = []

    def extract(self, text, *, speaker=None, at=None, asked=None):
        self.told.append(at)
        return []


@pytest.mark.parametrize(("timezone", "hour"), [("UTC", 20), (TOKYO, 5)])
def test_an_extractor_is_told_the_local_time(timezone, hour):
    noting = Noting()
    with opened(timezone) as mind:
        mind.ingest([{"role": "user", "content": "I saw a heron."}], at=EVENING, extractor=noting)
    assert [at.hour for at in noting.told] == [hour] and noting.told[0] == utc(2024, 3, 9, 20)


@pytest.mark.parametrize("name", ["Mars/Olympus", "Europe", "../../etc/passwd", "tokyo?", "\0"])
def test_an_unknown_zone_is_refused_with_an_example(name, tmp_path, monkeypatch):
    with pytest.raises(InvalidInput, match="Europe/Paris"):
        Recollect(":memory:", settings=Settings(timezone=name))
    file = tmp_path / config.FILE
    file.write_text(f"timezone = {name!r}\n" if "\0" not in name else 'timezone = "\\u0000"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=f"{config.FILE}.*Europe/Paris"):
        config.load()
