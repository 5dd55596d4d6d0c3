"""The subject, attribute and value of an English sentence that gives a single-valued attribute.

Only attributes with one value at a time are extracted ("I live in …", "my name is …", "the rate limit is
…"), because only there a new value replaces the old one. "I like coffee" does not replace "I like tea".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from recollect.extractors.statements import without_opening_capital
from recollect.text.numbers import ENGLISH_NUMBER
from recollect.text.words import stem

USER = "user"


@dataclass(frozen=True, slots=True)
class Triple:
    """Subject and attribute in lower case, the value as written."""

    subject: str
    attribute: str
    value: str


_KIN = (
    "wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|brother|sister|son|daughter|uncle|aunt|cousin|"
    "boss|manager|roommate|neighbou?r|parents|dog|cat"
)
# Not he, she or they: the sentence does not say who they are.
_NAME = r"(?!(?:He|She|It|They|You|This|That)\b)[A-Z]\w+(?: [A-Z]\w+)?"
_PERSON = rf"(?P<person>I|we|(?:my|our) (?:{_KIN})(?: [A-Z]\w+)?|{_NAME})"
_BE = r"(?:['’]m|['’]s|['’]re| am| is| are)"
_NOW = r"(?: now| currently| still| actually| just| recently| finally| only)*"
_JOB = "(?:a |my |his |her )?(?:new )?(?:job|position)"
_OFTEN = r"(?:once|twice|\w+ times) (?:a|per) \w+"
_REST = r"(?P<value>.+)"

# Attribute and pattern; the first pattern that matches is used.
_PERSON_RULES: tuple[tuple[str, str], ...] = (
    ("live in", rf"{_PERSON}{_NOW} (?:lives?|resides?) (?:in|at|near) {_REST}"),
    ("live in", rf"{_PERSON}{_BE}{_NOW} living (?:in|at|near) {_REST}"),
    ("live in", rf"{_PERSON}(?:['’]ve| have| has)?{_NOW} (?:moved|relocated) (?:from .+? )?(?:back )?to {_REST}"),
    ("work at", rf"{_PERSON}{_NOW} works? (?:at|for) {_REST}"),
    ("work at", rf"{_PERSON}{_BE}{_NOW} working (?:at|for) {_REST}"),
    ("work at", rf"{_PERSON}{_NOW} (?:started|got|have|has|took) {_JOB} (?:at|with) {_REST}"),
    ("work as", rf"{_PERSON}{_NOW} works? as {_REST}"),
    ("work as", rf"{_PERSON}{_BE}{_NOW} working as {_REST}"),
    ("age", rf"{_PERSON}{_BE}{_NOW} (?P<value>\d{{1,3}})(?: years? old)?(?=[.,! ]|$)(?! ?(?:m|cm|kg|%))"),
    ("age", rf"{_PERSON}{_NOW} turned (?P<value>\d{{1,3}})\b"),
    ("marital status", rf"{_PERSON}{_BE}{_NOW} (?P<value>single|married|engaged|divorced|widowed)\b"),
    ("marital status", rf"{_PERSON}{_NOW} got (?P<value>married|engaged|divorced)\b"),
    ("diet", rf"{_PERSON}{_BE}{_NOW} (?:an? )?(?P<value>vegetarian|vegan|pescatarian|omnivore)\b"),
    ("weigh", rf"{_PERSON}{_NOW} weighs? {_REST}"),
    ("drive", rf"{_PERSON}{_NOW} drives? (?P<value>an? .+)"),
    ("is called", rf"(?P<person>(?:my|our) (?:\w+ )?\w+)(?: is|['’]s) (?:called|named) {_REST}"),
    ("number of {0}", rf"{_PERSON}{_NOW} (?:have|has|own|owns) (?P<value>\d+|no|{ENGLISH_NUMBER}) (?P<of>\w+)$"),
    ("how often {0}", rf"{_PERSON}{_NOW} (?P<of>[a-z]+(?: \w+){{0,4}}?) (?P<value>{_OFTEN})"),
)  # fmt: skip
_CHANGED = "moved|changed|raised|lowered|increased|reduced|set|switched|bumped|updated"
_THING = r"(?P<thing>[\w./\-]+(?:[ '’][\w./\-]+){0,4}?)"
# The attributes of people. All values of one attribute can be compared. A name that ends with a space is a prefix.
PERSON_ATTRIBUTES = tuple({attribute.partition("{")[0] for attribute, _ in _PERSON_RULES})
_THING_RULES: tuple[str, ...] = (
    rf"(?:the |(?P<owner>my|our) )?{_THING}(?: (?:has|have|was|were|is|got))?(?: been)? "
    rf"(?:{_CHANGED})(?: from .+?)? to {_REST}",
    rf"(?:I|we) (?:{_CHANGED}) (?:the |our |my )?{_THING}(?: from .+?)? to {_REST}",
    rf"(?P<owner>my|our) {_THING}(?: is|(?<=name)['’]s|:| are){_NOW} {_REST}",
    rf"(?P<owner>my|our) {_THING} (?:takes|costs){_NOW} {_REST}",
    rf"(?P<owner>[A-Z]\w+)['’]s {_THING}(?: is| are){_NOW} {_REST}",
    rf"(?:the )?{_THING} (?:is|are|=){_NOW} {_REST}",
    rf"(?P<thing>[a-z][\w ]{{2,30}}) ?(?:=|:) ?{_REST}",
)
# "It is …" or "the weather is …" is a temporary state or an opinion, not a value that can be replaced.
_NOT_A_THING = re.compile(
    r"^(?:it|this|that|there|here|he|she|they|we|i|you|what|which|who|everything|something|nothing|one|all|some|"
    r"problem|thing|idea|weather|food|question|answer|point|reason)\b",
    re.IGNORECASE,
)
_VALUE_END = re.compile(
    r"(?:,(?!\d)| "
    r"(?:because|since|so|but|and (?:I|we|my|the)|which|who|where|when|with|for the first|these days|nowadays|"
    r"now|right now|at the moment|anymore|any more|lately|today|last|this|next|yesterday|recently|you know|"
    r"in general)\b|"
    r"(?<!Dr)(?<!Mr)(?<!Ms)(?<!Mrs)[.!;:]+(?:\s|$)| [:;]-?[)(D]).*$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the) ", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:used to|once(?! (?:a|per|every)\b)|as a (?:child|kid|student|teenager)|"
    r"back then|years ago|formerly|lived|worked|was born)\b",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r"\b(?:not|never|no longer|want|wants|might|(?-i:may)|could|would|should|hope|plan|plans|planning|wish|if|thinking|"
    r"consider\w*|about to|going to|will|dream\w*)\b|n['’]t\b|['’](?:d|ll)\b",
    re.IGNORECASE,
)


@cache
def _person_rules() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (attribute, re.compile(rf"^(?:and |so |well,? |yes,? )*{source}")) for attribute, source in _PERSON_RULES
    )


@cache
def _thing_rules() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(f"^{source}", re.IGNORECASE if "owner>[A-Z]" not in source else 0) for source in _THING_RULES
    )


def english_triple(sentence: str, speaker: str | None = None) -> Triple | None:
    """The triple that holds now, or None. Wishes, negations and the past give None."""
    bare = without_opening_capital(sentence.strip().rstrip(".!"))
    if _NOT_SO.search(bare) or _PAST.search(bare):
        return None
    return _of_person(bare, speaker) or _of_thing(bare, speaker)


def _of_person(sentence: str, speaker: str | None) -> Triple | None:
    for attribute, pattern in _person_rules():
        match = pattern.match(sentence)
        if match:
            of = match.groupdict().get("of") or ""
            return _triple(_who(match["person"], speaker), attribute.format(stem(of.lower())), match["value"])
    return None


def _of_thing(sentence: str, speaker: str | None) -> Triple | None:
    for pattern in _thing_rules():
        match = pattern.match(sentence)
        if not match or _NOT_A_THING.match(match["thing"]):
            continue
        owner, thing = match.groupdict().get("owner"), _thing(match["thing"])
        if owner:
            return _triple(_who(owner, speaker), thing, match["value"])
        return _triple(thing, "is", match["value"]) if _is_a_setting(match["thing"], match["value"]) else None
    return None


def _is_a_setting(thing: str, value: str) -> bool:
    """Whether "X is Y" gives a value of X. "The sky is lovely" only describes it."""
    definite = re.search(
        r"\d|^(?:on|at|in|by|due)\b|_|monday|tuesday|wednesday|thursday|friday|saturday|sunday", value, re.I
    )
    return bool(definite) or "_" in thing or bool(_SETTING.search(thing))


_SETTING = re.compile(
    r"\b(?:limit|timeout|deadline|version|port|host|url|password|status|name|address|owner|manager|leader|lead|theme|mode|"
    r"price|cost|size|count|number|date|time|location|level|rate|default|backend|database|language|branch)$",
    re.IGNORECASE,
)


def _thing(words: str) -> str:
    plain = re.sub(r"^(?:new|current|latest|old|the) ", "", words.lower())
    return plain.replace("favourite", "favorite").replace("colour", "color").replace("’", "'")


def _who(words: str, speaker: str | None) -> str:
    """The subject: "I" is the speaker, "my wife" the speaker's wife."""
    lowered = words.lower()
    me = (speaker or USER).lower()
    if lowered in ("i", "we", "my", "our"):
        return me
    owned = re.match(r"(?:my|our) (.+)", lowered)
    return f"{me}'s {owned[1]}" if owned else lowered


def _triple(subject: str, attribute: str, value: str) -> Triple | None:
    short = _ARTICLE.sub("", _VALUE_END.sub("", value.strip())).strip(" .!,'\"")
    return Triple(subject, attribute, short) if short else None
