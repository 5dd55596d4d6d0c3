"""Under which heading does a statement belong? By its attribute, its kind, its date and its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache

from ...text.chinese_to_english import translate_chinese
from ...text.identifiers import find_identifiers
from ...types import Memory
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
    if is_dated(memory) and memory.happened_at.date() >= at.date():
        return PLANS
    if about.relation != "self":
        return PEOPLE if about.relation == "relative" else THINGS
    attribute = about.attribute
    return _by_attribute(attribute) or _by_kind(memory) or _by_words(memory.text) or _rest(memory, attribute)


def is_dated(memory: Memory) -> bool:
    """Whether the statement names a date. A message without one has the time at which it was sent."""
    return memory.occurred_at is not None and memory.occurred_at not in (memory.created_at, _sent_at(memory))


def _sent_at(memory: Memory) -> datetime | None:
    return memory.valid_from if memory.message is not None else None


def is_lasting(memory: Memory) -> bool:
    """Whether somebody stored it as it is, or it tells who somebody is or what they like."""
    facets = _facets(memory)
    return memory.granularity == "memory" or "personal_info" in facets or "preferences" in facets


def _by_attribute(attribute: str | None) -> str | None:
    if attribute is None:
        return None
    return _by_words(attribute) or (PERSONAL if not _PERSONAL_ATTRIBUTES.isdisjoint(attribute.split()) else None)


def _by_kind(memory: Memory) -> str | None:
    facets = _facets(memory)
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


def _rest(memory: Memory, attribute: str | None) -> str:
    of_a_thing = attribute is not None or memory.kind in _KINDS_OF_THINGS or find_identifiers(memory.text)
    return THINGS if of_a_thing else OTHER


@cache
def _topic_words() -> dict[str, frozenset[str]]:
    """Heading → its words, also with an s at their end."""
    return {heading: frozenset(f"{words} {words.replace(' ', 's ')}s".split()) for heading, words in _WORDS.items()}
