"""Sentences, questions and conversations for stores of any size. The same number always gives the same text.

Frequent words are in many sentences and rare ones in few, as in real text. About one in twelve sentences is a near-copy
of an earlier one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

NEAR_COPY = 12
"""One sentence in so many repeats an earlier one with a change."""
MOST = 1_000_000
"""The most sentences that a store is built of."""
TURNS = 6
"""Messages of a conversation."""

_QUESTIONS, _CONVERSATIONS = 1 << 40, 1 << 41
"""Where the numbers of questions and of sentences in conversations begin."""

_TEMPLATES = (
    "{name} moved the {thing} meeting with {other} to {day} at {hour}:{minute}",
    "The {thing} in {place} was {done} by {name} on {day} {number}",
    "{name} prefers {food} without {other_food} since the trip to {place}",
    "Ticket {code}: the {part} of {project} fails when {thing} is {state}",
    "{name} asked {other} to send the {document} for {project} before {day}",
    "We agreed that {project} uses {tool} for the {part}, not {other_tool}",
    "The appointment about the {thing} costs {number} euros and is in {place}",
    "{name} read the {document} about {topic} and found it {state}",
    "My neighbour {name} keeps {number} {animal}s and grows {food} in {place}",
    "{project} needs {number} more {thing}s before the release in {month}",
    "The password rules of {project} changed: {tool} now checks the {part}",
    "{name} plays the {instrument} on {day}s with friends from {place}",
    "Remember to buy {food}, {other_food} and a {thing} for {name}",
    "The train from {place} to {other_place} leaves at {hour}:{minute} on {day}",
    "{name} studied {topic} in {place} and works on the {part} of {project}",
    "The doctor told {name} to eat less {food} and to sleep {number} minutes longer",
    "In {month} the {document} of {project} was {done}, after {name} had complained",
    "Error {code} appears in the {part} if {tool} is older than version {number}",
    "{name} lent the {thing} to {other}, who lives near the station of {place}",
    "The course on {topic} begins in {month}; {name} has paid {number} euros",
)
_TAILS = (
    "",
    "",
    "",
    " because the {part} was {state}",
    ", which {other} did not expect",
    " and {other} paid {number} euros",
    " after a long call about {topic}",
    ", probably until {month}",
    " with {tool}",
    " near {place}",
    ", so {other} is glad",
    " while {other} was in {place} for {number} days",
    ", see {code}",
    " for the second time this year",
    " instead of {day}",
    ", but the {document} says something else about the {thing} and the {part}",
    " as part of {project}",
    " although the {animal} had eaten the {food}",
    ", and nobody answered the {document} that {other} wrote in {month}",
)
"""Sentences end differently, so few have the same number of words."""
_SYLLABLES = "ba ren do mi ka lu tes vor han sil pe ro gar win stel mo fra ni del ter".split()
_WORDS = {
    "name": "Ada Ben Carla Dmitri Elif Farid Greta Hugo Ines Jonas Katya Liam Mira Noor Oskar Paula Quentin Rosa Samir "
    "Tilda Umar Vera Wanda Xavier Yusuf Zoe Anton Bruna Cosmo Dalia Emil Flora Gustav Hana Igor Jana",
    "place": "Lisbon Porto Lyon Ghent Turin Bergen Graz Krakow Leeds Malmo Nantes Odense Parma Riga Seville Tartu "
    "Utrecht Vienna Warsaw York Zurich Basel Cork Dresden Essen Faro",
    "thing": "kitchen bicycle printer lamp camera roof invoice garden keyboard kettle contract window laptop sofa tent "
    "passport piano boiler ladder wallet battery mirror charger router drill carpet",
    "food": "lentils oats cherries fennel rice mushrooms salmon olives pears bread almonds cheese beans spinach plums "
    "tofu garlic honey leeks walnuts",
    "topic": "astronomy pottery statistics botany chess contracts sailing grammar nutrition printing weaving geology "
    "optics finance carpentry medicine history acoustics",
    "part": "parser queue login cache scheduler importer index dashboard exporter gateway ledger worker archive editor",
    "tool": "Postgres Redis Kafka Docker Terraform Grafana Nginx Celery Django Rust Gradle Jenkins Vault Airflow",
    "document": "report contract proposal budget manual survey letter roadmap review summary protocol minutes",
    "state": "empty locked slow useful confusing wet broken urgent missing late brilliant boring full offline",
    "done": "repaired replaced cleaned sold painted inspected cancelled delivered signed lost",
    "animal": "hen rabbit goat cat pigeon bee pony duck",
    "instrument": "cello flute piano drum oboe guitar harp trumpet",
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "month": "January February March April May June July August September October November December",
    "first": "Amber Blue Cedar Delta Echo Falcon Granite Harbor Indigo Juniper Krypton Lunar Maple Nimbus Onyx Polar "
    "Quartz River Silver Tundra Umbra Violet Willow Zenith",
    "second": "Anchor Bridge Compass Dune Ember Forge Gate Horizon Island Jetty Kite Lantern Mill Nest Orchard Pier "
    "Quarry Ridge Summit Tower Valley Well",
}
_LISTS = {name: words.split() for name, words in _WORDS.items()}
_LIKE = {"other": "name", "other_food": "food", "other_tool": "tool", "other_place": "place"}


def sentence(number: int) -> str:
    """The sentence with this number."""
    chosen = random.Random(number)
    if number % NEAR_COPY == NEAR_COPY - 1:
        return f"{sentence(chosen.randrange(min(number, MOST)))}, as {_slot('name', chosen)} said"
    return _filled(chosen.choice(_TEMPLATES) + chosen.choice(_TAILS), chosen)


def sentences(start: int, count: int) -> list[str]:
    return [sentence(number) for number in range(start, start + count)]


def question(number: int, size: int) -> str:
    """A question about one of the first `size` sentences: some of its words among the words of a question."""
    chosen = random.Random(_QUESTIONS + number)
    words = [word.strip(",.;:") for word in sentence(chosen.randrange(size)).split()]
    named = [at for at, word in enumerate(words) if word[0].isupper() or word[-1].isdigit()]
    asked = sorted({chosen.choice(named), *chosen.sample(range(len(words)), chosen.randint(2, 5))})
    begin = chosen.choice(("What do we know about", "When was it that", "Who told me about", "Where is", "Why did"))
    return f"{begin} {' '.join(words[at] for at in asked)}?"


def conversation(number: int) -> dict[str, Any]:
    """Messages in turn of a user and an assistant."""
    said = sentences(_CONVERSATIONS + number * TURNS, TURNS)
    messages = [{"role": ("user", "assistant")[n % 2], "content": f"{text}."} for n, text in enumerate(said)]
    return {"messages": messages, "session_id": f"session-{number}"}


def conversations(count: int) -> Iterator[dict[str, Any]]:
    return map(conversation, range(count))


def _filled(template: str, chosen: random.Random) -> str:
    return template.format_map(_Slots(chosen))


class _Slots(dict[str, str]):
    """Draws a word for each slot of a template."""

    def __init__(self, chosen: random.Random) -> None:
        super().__init__()
        self._chosen = chosen

    def __missing__(self, slot: str) -> str:
        return _slot(slot, self._chosen)


def _slot(slot: str, chosen: random.Random) -> str:
    kind = _LIKE.get(slot, slot)
    if kind == "name":
        last = "".join(_drawn(_SYLLABLES, chosen) for _ in range(chosen.randint(2, 3)))
        return f"{_drawn(_LISTS['name'], chosen)} {last.capitalize()}"
    if kind == "project":
        return f"{_drawn(_LISTS['first'], chosen)}{_drawn(_LISTS['second'], chosen)}{chosen.randrange(40)}"
    if kind == "code":
        return f"E{chosen.randrange(20_000):05d}"
    if kind in ("hour", "minute", "number"):
        return str(chosen.randrange({"hour": 24, "minute": 60, "number": 3_000}[kind]) + 1)
    return _drawn(_LISTS[kind], chosen)


def _drawn(words: Sequence[str], chosen: random.Random) -> str:
    """The first words of a list are drawn most often, as in real text."""
    return words[int(len(words) * chosen.random() ** 2)]
