"""Under which heading does a statement belong? By its attribute, its kind, its date and its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache

from ...text.chinese_to_english import translate_chinese
from ...text.identifiers import find_identifiers
from ...types import Memory, when_shown
from .subjects import About

PERSONAL, HOME, WORK, HEALTH = "Personal", "Home", "Work and study", "Health and diet"
PEOPLE, LIKES, PLANS = "People", "Likes", "Plans and dates"
THINGS, PAST, OTHER = "Things and settings", "What happened", "Other"
HEADINGS = (PERSONAL, HOME, WORK, HEALTH, PEOPLE, LIKES, PLANS, THINGS, PAST, OTHER)
"""In the order in which they are shown."""

_KINDS: Mapping[str, str] = {"preference": LIKES, **dict.fromkeys(("goal", "plan", "task", "reminder"), PLANS)}
"""The heading of a kind. A date or an attribute says more."""
_KINDS_OF_THINGS = ("procedure", "constraint", "decision", "setting")
"""Kinds of which the words say more."""
_WORDS: Mapping[str, str] = {
    HEALTH: "allergy allergies allergic asthma asthmatic diabetes diabetic insulin vegetarian vegan pescatarian gluten "
    "lactose intolerant intolerance coeliac celiac diet meat fish pork shellfish nut dairy eat eating medication "
    "medicine pill tablet dose doctor dentist physio physiotherapist therapist hospital surgery diagnosed diagnosis "
    "migraine cholesterol pregnant weigh",
    HOME: "live home house flat apartment address street rent renting landlord landlady lease mortgage hometown "
    "postcode",
    WORK: "work working job boss manager colleague salary employer employed office shift promotion promoted career "
    "company study studies studying university college school graduated exam thesis teacher",
    PEOPLE: "wife husband partner girlfriend boyfriend fiance fiancee mother mom mum father dad parent brother sister "
    "son daughter child children kid baby uncle aunt cousin nephew niece grandmother grandfather grandma grandpa "
    "friend neighbour neighbor roommate flatmate dog cat pet puppy kitten",
    LIKES: "favorite favourite prefer love loved hate hated enjoy enjoyed hobby hobbies",
}
"""Heading → its words, the most telling heading first. Chinese words are compared by their English translation."""
_PERSONAL_ATTRIBUTES = frozenset(
    ("name", "called", "age", "birthday", "marital", "nationality", "religion", "height", "pronouns")
)
_WORD = re.compile("[a-z]+")


def heading(memory: Memory, about: About, at: datetime) -> str:
    """The heading of a statement. `at`: now."""
    if about.relation == "relative":
        return PEOPLE
    stated = _by_date(memory, at) or _by_attribute(about) or _by_kind(memory)
    return stated or _by_words(memory.text) or _rest(memory, about)


def is_dated(memory: Memory) -> bool:
    """Whether the statement names a date. A message without one has the time at which it was sent."""
    return memory.occurred_at not in (None, memory.created_at, memory.learned_at)


def is_to_come(memory: Memory, at: datetime) -> bool:
    """Whether it is a plan, or repeats, and its time has not passed."""
    when = memory.when
    has_passed = when is not None and when.end is not None and when.end < at.date()
    return not has_passed and PLANS in (_by_date(memory, at), _by_kind(memory))


def named_time(memory: Memory) -> str:
    """The time that the statement names, in words; empty if there is none."""
    if memory.turn is None and memory.when is None:
        return f"on {memory.happened_at:%Y-%m-%d}" if is_dated(memory) else ""
    return when_shown(memory)


def _by_date(memory: Memory, at: datetime) -> str | None:
    """What is still to come is a plan."""
    when = memory.when
    if when is not None and when.end is not None:
        return PLANS if when.end >= at.date() else None
    return PLANS if is_dated(memory) and memory.happened_at.date() >= at.date() else None


def is_lasting(memory: Memory) -> bool:
    """Whether somebody stored it as it is, or it tells who somebody is or what they like."""
    facets = _facets(memory)
    return memory.granularity == "memory" or "personal_info" in facets or "preferences" in facets


def _by_attribute(about: About) -> str | None:
    if about.relation == "thing":
        return THINGS
    if about.attribute is None:
        return None
    is_personal = not _PERSONAL_ATTRIBUTES.isdisjoint(about.attribute.split())
    return _by_words(about.attribute) or (PERSONAL if is_personal else None)


def _by_kind(memory: Memory) -> str | None:
    facets = _facets(memory)
    if memory.when is not None and memory.when.repeats:
        return PLANS
    if memory.kind == "event" or "events" in facets:
        return PAST
    return _KINDS.get(memory.kind) or (LIKES if "preferences" in facets else None)


def _facets(memory: Memory) -> Sequence[str]:
    found = memory.metadata.get("facets", ())
    return found if isinstance(found, list) else ()


def _by_words(text: str) -> str | None:
    said = _WORD.findall(translate_chinese(text).lower())
    shared = {heading: sum(word in words for word in said) for heading, words in _topic_words().items()}
    best = max(shared, key=shared.__getitem__)  # the first of those with the most words
    return best if shared[best] else None


def _rest(memory: Memory, about: About) -> str:
    of_a_thing = about.attribute is not None or memory.kind in _KINDS_OF_THINGS or find_identifiers(memory.text)
    return THINGS if of_a_thing else OTHER


@cache
def _topic_words() -> dict[str, frozenset[str]]:
    """Heading → its words, also with an s at their end."""
    return {heading: frozenset(f"{words} {words.replace(' ', 's ')}s".split()) for heading, words in _WORDS.items()}
