"""Can one value replace another? "Owen" replaces "Priya" as my manager; "on holiday" does not."""

from __future__ import annotations

import re
from dataclasses import replace

from recollect.extractors.places import is_country, is_of_a_people
from recollect.extractors.triples import USER, Triple
from recollect.text.analyze import analyze_query
from recollect.text.dates import mentions_time
from recollect.text.names_chinese import find_chinese_names
from recollect.text.numbers import find_numbers, with_digits

# These have several values at a time, unless the new statement says that something changed.
_ONLY_WITH_CHANGE = ("live with", "get to work", "drive", "study", "use for ", "is called")
_SEVERAL = re.compile(
    r"\b(?:friend|sister|brother|cousin|aunt|uncle|son|daughter|kid|child|colleague|coworker|neighbou?r|student|client|"
    r"customer|patient|cat|dog|pet|niece|nephew|roommate|flatmate|housemate|twin|hobby|dream|goal|plan|problem|worry)s?$"
)
"""There can be several of them, so another one is not a newer value."""
_STATE = re.compile(r"^favorite\b|(?:^|\b)(?:status|mode|state|color|password)$|_")
"""Attributes whose value may be any word: a colour, a mode."""
_REPEATED = re.compile(r"\b(?:train|bus|flight|appointment|exam|interview|shift|class|lesson|concert|match|game|call)$")
"""The next one has another time. Only a change of time replaces the old one."""
_BORN = re.compile(r"\b(?:birthday|name day|anniversary)$")
_UNIT = re.compile(r"[$€£¥%°]")
_MOST_WORDS = 3
_OFF = re.compile(r"^(?:off|cancell?ed|called off|not happening)$", re.IGNORECASE)
_CLOCK = re.compile(r"\d ?[ap]\.?m\b|\d:\d\d|o['’]clock|\bat \d{1,2}\b|[点时]", re.IGNORECASE)
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"^one(?= (?:on|in|at|near|by|with)\b)", re.IGNORECASE)
_IDENTIFIER = re.compile(r"\b[A-Za-z]{2,}[.-]?(?:\w+-)?\d|[@_/]\w")
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_WHERE = re.compile(
    r"^(?:from|in|at|on|near|by|under|behind|with|like|off|out|over|about|not|going|off)\b", re.IGNORECASE
)
_CONDITION = re.compile(
    r"^in (?:an? |the )?(?:\w+ )?(?:trouble|shape|order|progress|use|place|state|condition|mood|spirits|danger|love|"
    r"doubt|charge|touch|pain|a hurry)\b",
    re.IGNORECASE,
)
"""How something is, not where."""
_POSSESSIVE = re.compile(r"['’]s \w")
_CHINESE_PERSON = re.compile(
    "(?:[妈爸哥弟姐妹公婆舅姨姑叔婶伯爷奶侄甥孙]|母亲|父亲|儿子|女儿|妻子|丈夫|朋友|上司|下属|同事|室友|老板|经理|领导|老师|医生|房东|邻居|客户|"
    "学生|同学)$"
)
"""What a person is can be many things: a trade, a home town. Only another name replaces a name."""
_HAN = re.compile("[\u4e00-\u9fff]")


def is_same_thing(was: Triple, now: Triple) -> bool:
    """Whether both give the same attribute. "The rent" and "our rent" are the same if they give a number or a time."""
    if (was.subject, was.attribute) == (now.subject, now.attribute):
        return True
    mine, plain = sorted((was, now), key=lambda triple: triple.subject != USER)
    crossed = mine.subject == USER and (mine.attribute, plain.attribute) == (plain.subject, "is")
    return crossed and not (kinds(was.value) | kinds(now.value)) & {"name", "words"}


def compared(was: Triple, now: Triple) -> tuple[Triple, Triple]:
    """The two as they can be compared: "I work as a buyer at Acme" says where, as "I work at Initech" does."""
    if was.subject == now.subject and {was.attribute, now.attribute} == {"work as", "work at"}:
        return _workplace(was), _workplace(now)
    return was, now


def _workplace(triple: Triple) -> Triple:
    """Where somebody works, of a role with an employer. What one does besides a job says nothing of the job."""
    found = _ROLE.match(triple.value) if triple.attribute == "work as" else None
    if found is None or _BESIDES.search(found["role"]):
        return triple
    return replace(triple, attribute="work at", value=found["employer"])


_ROLE = re.compile(r"^(?P<role>[^,;]+?) (?:at|for|with) (?P<employer>[A-Z].*)$")
_BESIDES = re.compile(
    r"\b(?:volunteers?|trustee|tutor|coach|mentor|freelancer?|consultant|advis[eo]r|contractor|guest|visiting|"
    r"substitute|second|side|part-time|weekends?|evenings?)\b",
    re.IGNORECASE,
)


def is_same_value(was: str, now: str) -> bool:
    """Whether one value has all the words of the other: "Lyon" and "the old town of Lyon" are not two places."""
    one, other = (set(analyze_query(with_digits(value)).content) for value in (was, now))
    return one <= other or other <= one if one and other else was.lower() == now.lower()


def replaces(was: Triple, now: Triple, says_change: bool) -> bool:
    """Whether the value of `now` can take the place of that of `was`. `says_change`: "now", "switched", "no longer"."""
    if now.attribute.startswith(_ONLY_WITH_CHANGE) or _SEVERAL.search(now.subject):
        return says_change
    if now.attribute == "live in":
        return _place_kind(was.value) == _place_kind(now.value)
    if now.attribute == "work at":
        comparable = says_change or kinds(was.value) == kinds(now.value) == {"name"}
        return comparable and _is_chinese_name(was.value) == _is_chinese_name(now.value)
    if now.attribute in _PERSONAL or now.attribute.startswith(("number of ", "how often ")):
        return True
    return not _SEVERAL.search(_thing(now)) and _are_comparable(was, now, says_change)


_PERSONAL = ("moving to", "work as", "age", "marital status", "diet", "weigh")


def _thing(triple: Triple) -> str:
    return triple.subject if triple.attribute == "is" else triple.attribute


def _are_comparable(was: Triple, now: Triple, says_change: bool) -> bool:
    """ "The meeting is at ten" and "the meeting is on Friday" give different things: a time and a date."""
    before, after = kinds(was.value), kinds(now.value)
    thing = _thing(now)
    if _CHINESE_PERSON.search(thing) and not (_is_chinese_name(was.value) and _is_chinese_name(now.value)):
        return False
    if _BORN.search(thing) or (_REPEATED.search(thing) and not says_change):
        return False
    if "off" in before | after:
        return bool((before | after) & {"clock", "day", "weekday"})
    shared = before & after
    if shared == {"words"}:
        return says_change or _is_state(thing, was.value, now.value)
    if shared == {"number"}:
        return says_change or _have_one_unit(was.value, now.value)
    if shared == {"where"} or (before | after) == {"day", "weekday"}:
        return says_change
    return bool(shared)


def _is_chinese_name(value: str) -> bool:
    """Whether it is the name of somebody or of a place, and nothing else."""
    return "".join(name for _, name in find_chinese_names(f"{value}说")) == value


def _is_state(thing: str, was: str, now: str) -> bool:
    words = [set(analyze_query(value).content) for value in (was, now)]
    short = max(len(value.split()) for value in (was, now)) <= _MOST_WORDS
    return short and (bool(words[0] & words[1]) or bool(_STATE.search(thing)))


def _have_one_unit(was: str, now: str) -> bool:
    one, other = _units(was), _units(now)
    return not one or not other or bool(one & other)


def _units(value: str) -> set[str]:
    words = {word for word in analyze_query(with_digits(value)).content if not word[0].isdigit()}
    return words | set(_UNIT.findall(value))


def kinds(value: str) -> set[str]:
    """What a value gives: a clock time, a day, a weekday, a number, a name, where something is, only words, or that it
    is off."""
    if _OFF.match(value):
        return {"off"}
    if _IDENTIFIER.search(value):
        return {"name"}
    found = {"clock"} if _CLOCK.search(value) else set()
    if mentions_time(value):
        found.add("weekday" if _WEEKDAY.search(value) else "day")
    if not found and (find_numbers(_PRONOUN.sub("", value)) or _ORDINAL.search(value)):
        found.add("number")
    return found or {_kind_of_words(value)}


def _kind_of_words(value: str) -> str:
    if _HAN.search(value):
        return "name"
    if _WHERE.match(value) and not _CONDITION.match(value):
        return "where"
    named = any(letter.isupper() for letter in value) and not is_of_a_people(value)
    return "name" if named and not _POSSESSIVE.search(value) else "words"


def _place_kind(value: str) -> str:
    if is_country(value):
        return "country"
    return "dwelling" if kinds(value) == {"words"} and " " in value else "place"
