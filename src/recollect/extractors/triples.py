"""The subject, attribute and value of an English sentence that gives a single-valued attribute.

Only attributes with one value at a time are extracted ("I live in …", "my name is …", "the rate limit is
…"), because only there a new value replaces the old one. "I like coffee" does not replace "I like tea".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from recollect.extractors.openings import without_opening
from recollect.extractors.places import place
from recollect.extractors.statements import without_opening_capital
from recollect.text.needed import Guarded, Several
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
_NAME = r"(?!(?:He|She|It|They|You|This|That|The|If|When)\b)[A-Z]\w+(?: [A-Z]\w+)?"
_PERSON = rf"(?P<person>I|we|[Tt]he user|(?:my|our) (?:{_KIN})(?: [A-Z]\w+)?|{_NAME})"
_BE = r"(?:['’]m|['’]s|['’]re| am| is| are)"
_NOW = r"(?: now| currently| still| actually| just| recently| finally| only)*"
_JOB = "(?:a |my |his |her )?(?:new )?(?:job|position)"
_OFTEN = r"(?:once|twice|\w+ times) (?:a|per) \w+"
_REST = r"(?P<value>.+)"
_AGED = r"(?=[.,!]|$| (?:now|today|yesterday|last|this|in|on|and|but)\b)"
_VEHICLE = "bus|train|tram|metro|tube|subway|ferry|boat|car|bike"
_WORKPLACE = r"(?:work|the office|school|uni|university|college|campus)\b"
_MOVED = "(?:moved|switched|migrated|changed)"
_PURPOSE = r"(?:the |our |my |all (?:the |our |my )?)?(?P<of>\w+)"

# "We're going with Ada for dinner" is no choice.
_OCCASION = (
    r"(?:the |a |our )?(?:weekend|holidays?|trip|dinner|lunch|brunch|breakfast|drinks?|coffee|walk|run|ride|swim|"
    r"week|day|night|month|evening|now|fun)\b"
)

# Attribute and pattern; the first pattern that matches is used.
_PERSON_RULES: tuple[tuple[str, str], ...] = (
    ("use for {0}", rf"{_PERSON}{_NOW} (?:uses?|(?:have |has )?{_MOVED}(?: over)?(?: from .+?)? to) {_REST} "
     rf"for {_PURPOSE}"),
    ("choice for {0}", rf"(?P<person>I|we|[Ll]et['’]s)(?:['’]m|['’]re| am| are)?{_NOW} (?:go|going|went|proceed|"
     rf"proceeding|stick|sticking) with {_REST} for (?!{_OCCASION}){_PURPOSE}$"),
    ("live with", rf"{_PERSON}{_NOW} lives? (?P<value>alone|on (?:my|our|his|her) own|by (?:my|him|her)self)\b"),
    ("live with", rf"{_PERSON}{_NOW} lives? with (?P<value>(?:my|our|his|her|their|two|three|four|five|some|[A-Z]).+)"),
    ("live in", rf"{_PERSON}{_NOW} (?:lives?|resides?) (?:in|at|near) {_REST}"),
    ("live in", rf"{_PERSON}{_BE}{_NOW} living (?:in|at|near) {_REST}"),
    ("live in", rf"{_PERSON}(?:['’]ve| have| has)?{_NOW} (?:moved|relocated) (?:from .+? )?(?:back )?to {_REST}"),
    ("moving to", rf"{_PERSON}{_BE}{_NOW} (?:moving|relocating) (?:from .+? )?(?:back )?to {_REST}"),
    ("work at", rf"{_PERSON}{_NOW} works? (?:at|for) {_REST}"),
    ("work at", rf"{_PERSON}{_BE}{_NOW} working (?:at|for) {_REST}"),
    ("work at", rf"{_PERSON}{_NOW} (?:started|got|have|has|took) {_JOB} (?:at|with) {_REST}"),
    ("work at", rf"{_PERSON}{_NOW} (?:left .+? and )?started(?: work| working)? at {_REST}"),
    ("work as", rf"{_PERSON}{_NOW} works? as {_REST}"),
    ("work as", rf"{_PERSON}{_BE}{_NOW} working as {_REST}"),
    ("study", rf"{_PERSON}{_NOW} (?:study|studies|majors? in) (?P<value>.+?)(?: (?:in|at) .+)?$"),
    ("get to work", rf"{_PERSON}{_NOW} (?P<value>(?:takes?|catch(?:es)?) the (?:{_VEHICLE})|cycles?|bikes?|walks?|"
     rf"drives?|commutes? by \w+|goe?s? by \w+) to {_WORKPLACE}"),
    ("age", rf"{_PERSON}{_BE}{_NOW} (?P<value>\d{{1,3}})(?: years? old)?{_AGED}"),
    ("age", rf"{_PERSON}{_BE}{_NOW} (?P<value>{ENGLISH_NUMBER}) years? old{_AGED}"),
    ("age", rf"{_PERSON}{_NOW} turned (?P<value>\d{{1,3}}|{ENGLISH_NUMBER}){_AGED}"),
    ("marital status", rf"{_PERSON}{_BE}{_NOW} (?P<value>single|married|engaged|divorced|widowed)\b(?! in| with)"),
    ("marital status", rf"{_PERSON}{_NOW} got (?P<value>married|engaged|divorced)\b(?! in (?:a|the|con)| with)"),
    ("diet", rf"{_PERSON}{_BE}{_NOW} (?:an? )?(?P<value>vegetarian|vegan|pescatarian|omnivore)\b"),
    ("weigh", rf"{_PERSON}{_NOW} weighs? (?P<value>\d.*)"),
    ("drive", rf"{_PERSON}{_NOW} drives? (?P<value>an? .+)"),
    ("is called", rf"(?P<person>(?:[Mm]y|[Oo]ur|[Tt]he) (?:\w+ )?\w+)(?: is|['’]s) (?:called|named) {_REST}"),
    ("is called", r"(?P<person>(?:[Mm]y|[Oo]ur|[Tt]he) (?:\w+ )?\w+)(?: was| has been| got) renamed (?:to |as )?"
     r"(?P<value>[A-Z].+)"),
    ("is called", r"(?:I|we|they)(?:['’]ve| have)? renamed (?P<person>(?:my|our|the) (?:\w+ )?\w+?) (?:to |as )?"
     r"(?P<value>[A-Z].+)"),
    ("number of {0}", rf"{_PERSON}{_NOW} (?:have|has|own|owns) (?P<value>\d+|no|{ENGLISH_NUMBER}) "
     r"(?P<of>\w+)(?= now\b|,|$)"),
    ("how often {0}", rf"{_PERSON}{_NOW} (?P<of>[a-z]+(?: \w+){{0,4}}?) (?P<value>{_OFTEN})"),
)  # fmt: skip
# The attributes of people. All values of one attribute can be compared. A name that ends with a space is a prefix.
PERSON_ATTRIBUTES = tuple({attribute.partition("{")[0] for attribute, _ in _PERSON_RULES})
_CHANGED = (
    "moved|changed|raised|lowered|doubled|halved|increased|reduced|set|switched|bumped|updated|"
    "pushed(?: back)?|postponed|rescheduled|brought forward|put back|delayed|extended|shortened|shifted|renamed|"
    "went (?:up|down)|rose|fell|dropped|(?:up|down)"
)
_THING = r"(?P<thing>[\w./\-]+(?:[ '’][\w./\-]+){0,4}?)"
# There is one of these at a time, so "Owen is my manager" gives the manager.
_ROLE = (
    r"(?P<thing>(?:line |team |general )?(?:manager|boss|supervisor|landlord|landlady|doctor|gp|dentist|therapist|"
    r"tutor|coach|accountant|lawyer|mentor|lead|leader))"
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_SPOT = (
    r"(?:\w+ )?(?:shed|garage|attic|loft|cellar|basement|kitchen|hall|drawer|cupboard|shelf|safe|desk|car|garden|"
    r"office)"
)
_DATE_NAME = rf"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|{_MONTHS}"
_PLACE = rf"(?:(?!{_DATE_NAME})(?-i:[A-Z])[\w’'-]+(?: (?-i:[A-Z])[\w’'-]+)?|the \w+ floor|the {_SPOT}|room \w+)"
_OFF = r"(?P<value>off|cancell?ed|called off|not happening)"
_THING_RULES: tuple[str, ...] = (
    rf"(?:the |(?P<owner>my|our) )?{_THING}(?: has| have)?(?: been)? (?:moved|relocated)(?: from .+?)?"
    rf"(?: up| down| over| back)? to (?P<place>{_PLACE})$",
    rf"(?:I|we|they)(?:['’]ve| have)? (?:moved|relocated) (?:the |(?P<owner>my|our) )?{_THING}(?: from .+?)? "
    rf"to (?P<place>the {_SPOT})$",
    rf"(?:I|we|they)(?:['’]ve| have)? (?:moved|put) (?:the |(?P<owner>my|our) )?{_THING} "
    rf"(?P<value>(?:in|on|under|behind|next to|beside|inside) .+)",
    rf"(?:the |(?P<owner>my|our) )?{_THING}(?: is| are| was| were| got| has been| have been|['’]s){_NOW} {_OFF}"
    r"(?=[.,!;]|$| (?:because|since|as|now|for|this|on|until)\b)",
    rf"(?:the |(?P<owner>my|our) )?{_THING}(?: (?:has|have|was|were|is|got))?(?: been)? "
    rf"(?:{_CHANGED})(?: from .+?)? to {_REST}",
    rf"(?:I|we|they)(?:['’]ve| have)? (?:{_CHANGED}) (?:the |our |my )?{_THING}(?: over)?(?: from .+?)? to {_REST}",
    rf"new {_THING}: ?(?P<value>\S*\d\S*)$",
    rf"(?P<owner>I|we) (?:have|got|['’]ve got|have got) (?:an? )?new {_THING}(?:: ?|, | and |\. )"
    rf"(?:it['’]s |it is )?{_REST}",
    rf"(?P<owner>my|our) {_THING}(?: is|(?<=name)['’]s|:| are){_NOW} {_REST}",
    rf"(?P<owner>my|our) {_THING} (?:takes|costs){_NOW} {_REST}",
    rf"(?P<value>(?-i:{_NAME})) is{_NOW} (?P<owner>my|our)(?: new)? {_ROLE}\b(?!['’])",
    rf"(?P<owner>[A-Z]\w+)['’]s {_THING}(?: is| are){_NOW} {_REST}",
    rf"(?:the )?{_THING} (?:is|are|=){_NOW} {_REST}",
    rf"(?:the |(?P<owner>my|our) )?{_THING} (?:leaves|departs|starts|begins){_NOW} (?P<value>at .+)",
    # as programs write it; in small letters, because "Price: 5" may be a line of any list
    r"(?P<thing>(?-i:[a-z])[\w]*[_ ][\w ]{1,30}|limit|timeout|deadline|version|port|host|theme|mode)(?: ?= ?|: )"
    r"(?P<value>(?!['\"“\[{(])(?!\S*://)\S+(?: \S+){0,3})$",
)
# "It is …" or "the weather is …" is a temporary state or an opinion, not a value that can be replaced.
_NOT_A_THING = re.compile(
    r"^(?:it|this|that|there|here|he|she|they|we|i|you|what|which|who|everything|something|nothing|one|all|some|"
    r"problem|thing|idea|weather|food|question|answer|point|reason|to-?do|notes?|tasks?|reminder|lesson|decision|bug|issue|"
    r"summary|update|tip|fact|warning|error|log|agenda|faq|example|step|goal|result|conclusion|observation|context|user|"
    r"assistant|system|title|subject|action|event|entry|story|q|a)\b",
    re.IGNORECASE,
)
_VALUE_END = re.compile(
    r"(?:,(?!\d)| "
    r"(?:because|since|so|but|and (?:I|we|my|the|he|she|it|they)|which|who|where|when|with|for the first|these days|"
    r"nowadays|now|right now|at the moment|anymore|any more|lately|today|last|this|next|yesterday|recently|you know|"
    r"in general|instead|from now on|after all|as an?)\b|"
    r"(?<!Dr)(?<!Mr)(?<!Ms)(?<!Mrs)[.!;:]+(?:\s|$)| [:;]-?[)(D]| ?[(–—]).*$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the) ", re.IGNORECASE)
_PAST = Guarded(
    r"\b(?:used to|once(?! (?:a|per|every)\b)|as a (?:child|kid|student|teenager)|"
    r"when (?:I was|we were)|growing up|back then|years ago|formerly|lived|worked|was born)\b",
    re.IGNORECASE,
)
_NEGATED = Guarded(r"\b(?:not(?! happening)|never|no longer)\b|n['’]t\b", re.IGNORECASE)
_UNREAL = Guarded(
    r"\b(?:want|wants|might|(?-i:may)|could|would|should|hope|plan to|plans to|planned to|planning to|wish|if|thinking|"
    r"about to|going to|will|imagine|suppose|rumor|rumors|rumour|rumours|allegedly|apparently|maybe|perhaps|probably|"
    r"almost|nearly|basically|practically|thought|feel like|feels like|joking|kidding)\b|"
    r"\b(?:consider|dream|pretend)|['’](?:d|ll)\b",
    re.IGNORECASE,
)
# What holds for a while does not replace what holds in general.
_FOR_A_WHILE = Guarded(
    r"\b(?:today|tonight|tomorrow|this (?:week|weekend|month|morning|summer|winter)|sometimes|temporarily|"
    r"for (?:a|an|one|two|three|a few|the|some) (?:day|night|week|weekend|month|summer|while)s?|until|till|"
    r"right now|for now|(?:on|at) (?:\w+days|weekends|the weekend)|part-time)\b",
    re.IGNORECASE,
)
_LASTING = ("live in", "live with", "work ", "get to work", "drive", "study", "use for ", "diet")
_STAYS = Guarded(
    r"^(?:(?:actually|no|ok(?:ay)?|well|change of plans?|on second thoughts?)[,:!.]* +)+"
    r"(?P<person>I|we)(?:['’](?:m|re|ll)| am| are| will)? stay(?:ing)?(?: (?:in|at) (?P<value>.+)| (?P<put>put|here))",
    re.IGNORECASE,
)
"""A plan to move that is taken back."""


@cache
def _person_rules() -> tuple[tuple[str, ...], Several]:
    attributes, sources = zip(*_PERSON_RULES, strict=True)
    return attributes, Several(Guarded(f"^{source}") for source in sources)


@cache
def _thing_rules() -> Several:
    return Several(
        Guarded(f"^{source}", re.IGNORECASE if "owner>[A-Z]" not in source else 0) for source in _THING_RULES
    )


def english_triple(sentence: str, speaker: str | None = None) -> Triple | None:
    """The triple that holds now, or None. Wishes, negations and the past give None."""
    if not may_state(sentence):
        return None
    written = sentence.strip().rstrip(".!")
    if stays := _STAYS.match(written):
        return Triple(_who(stays["person"], speaker), "moving to", stays[0][stays.start("person") :])
    bare = without_opening_capital(without_opening(written))
    if _NEGATED.search(bare, sentence) or _UNREAL.search(bare, sentence) or _PAST.search(bare, sentence):
        return None
    return _of_person(bare, sentence, speaker) or _of_thing(bare, sentence, speaker)


def may_state(text: str) -> bool:
    """Whether a triple may be found in the text, or in a part of it."""
    return bool(_person_rules()[1].likely(text) or _thing_rules().likely(text)) or _STAYS.may_match(text)


def is_unreal(sentence: str) -> bool:
    """Whether it tells a wish, a plan, a guess or a joke, not what is so."""
    return _UNREAL.search(sentence) is not None


def _of_person(sentence: str, whole: str, speaker: str | None) -> Triple | None:
    """`whole`: the sentence as it was written. If it has no capitals, a name may be without one too."""
    attributes, patterns = _person_rules()
    for n in patterns.likely(whole):
        attribute, match = attributes[n], patterns[n].match(sentence)
        if match and not (attribute.startswith(_LASTING) and _FOR_A_WHILE.search(sentence)):
            of = match.groupdict().get("of") or ""
            found = _triple(_who(match["person"], speaker), attribute.format(stem(of.lower())), match["value"])
            moves = _MOVES.search(sentence) is not None
            return _fitting(found, whole.islower(), moves) if found else None
    return None


def _fitting(found: Triple, is_small: bool, moves: bool) -> Triple | None:
    """The triple if its value can be one of its attribute, with the place alone for a home."""
    if found.attribute in ("live in", "moving to"):
        where = place(found.value, is_small=is_small, only_names=moves)
        return replace(found, value=where) if where else None
    if found.attribute == "work at" and _NO_EMPLOYER.match(found.value):
        return None
    return None if found.attribute == "study" and _TIMES.match(found.value) else found


def _of_thing(sentence: str, whole: str, speaker: str | None) -> Triple | None:
    patterns = _thing_rules()
    for n in patterns.likely(whole):
        match = patterns[n].match(sentence)
        if not match or _NOT_A_THING.match(match["thing"]) or _FORMER.match(match["thing"]):
            continue
        owner, thing = match.groupdict().get("owner"), _thing(match["thing"])
        if owner and _FOR_A_WHILE.search(sentence) and not re.search(r"\d|day\b", match["value"]):
            return None
        where = match.groupdict().get("place")
        value = f"in {where}" if where else match["value"]
        if not owner and not where and not _is_a_setting(match["thing"], value):
            return None
        subject, attribute = (_who(owner, speaker), thing) if owner else (thing, "is")
        found = _triple(subject, attribute, value)
        return found if found and len(found.value.split()) <= _LONGEST_VALUE else None
    return None


def _is_a_setting(thing: str, value: str) -> bool:
    """Whether "X is Y" gives a value of X. "The sky is lovely" only describes it."""
    definite = re.search(
        r"\d|^(?:on|at|in|by|under|behind|beside|inside|next to|due|off|cancell?ed|called off|not happening)\b|_|"
        r"monday|tuesday|wednesday|thursday|friday|saturday|sunday",
        value,
        re.I,
    )
    return bool(definite) or "_" in thing or bool(_SETTING.search(thing))


_NO_EMPLOYER = re.compile(r"^(?:\d|home|night|weekends?|free|me|us|him|her|them|hours?|fun|living|peace|change)\b")
_FOR_ANOTHER = re.compile(r"^(code|password|price|size) (?:for|of|to) (?:the |my |our )?(\w+)$")
"""The code for the gate is the gate code."""
_LONGEST_VALUE = 6
"""Words. A longer one describes the thing; it is not its value."""
_MOVES = re.compile(r"\b(?:mov|relocat)")
_TIMES = re.compile(r"^(?:every|each|daily|all|at|on|in|for|hard|a lot|most|two|three)\b")
_FORMER = re.compile(r"^(?:old|former|previous|first|last|ex)\b", re.IGNORECASE)
_SETTING = re.compile(
    r"\b(?:limit|timeout|deadline|version|port|host|url|password|status|name|address|owner|manager|leader|lead|theme|mode|"
    r"price|cost|size|count|number|date|time|location|level|rate|default|backend|database|language|branch)$",
    re.IGNORECASE,
)


def _thing(words: str) -> str:
    plain = re.sub(
        r"^(?:new|current|latest|the) | (?:these days|nowadays|at the moment|now|currently)$", "", words.lower()
    )
    plain = _FOR_ANOTHER.sub(r"\2 \1", plain)
    return plain.replace("favourite", "favorite").replace("colour", "color").replace("’", "'")


def _who(words: str, speaker: str | None) -> str:
    """The subject: "I" is the speaker, "my wife" the speaker's wife."""
    lowered = words.lower()
    me = (speaker or USER).lower()
    if lowered in ("i", "we", "my", "our", "the user", "let's", "let’s"):
        return me
    owned = re.match(r"(?:my|our|the) (.+)", lowered)
    return f"{me}'s {owned[1]}" if owned else lowered


def _triple(subject: str, attribute: str, value: str) -> Triple | None:
    short = _ARTICLE.sub("", _VALUE_END.sub("", value.strip())).strip(" .!,'\"")
    return Triple(subject, attribute, short) if short else None
