"""Whom is a short statement about, and does the question mean that one? "My manager", not "my wife's manager".

"What did Hana give me?" means neither "I gave Hana a scarf". English only; where it is not sure, nothing is said.
"""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.text.analyze import analyze, is_stop
from recollect.text.names import find_names

ME = "i"
_KIN = (
    "wife|husband|partner|girlfriend|boyfriend|fiancée?|mother|mom|mum|father|dad|parents|brother|sister|son|daughter|kids?|"
    "child|children|uncle|aunt|cousin|niece|nephew|grandma|grandmother|grandpa|grandfather|friend|neighbou?rs?|"
    "colleague|co-?worker|flatmate|roommate|boss|manager"
)
_NOT_AN_OWNER = "it|that|this|what|who|where|when|how|there|here|let|he|she|everybody|everyone|today|yesterday|tomorrow"
_OF_SOMEBODY = re.compile(rf"\b(?!(?:{_NOT_AN_OWNER})['’])(\w+)(?:['’]s|(?<=s)['’]) (?=\w)", re.IGNORECASE)
_FIRST_OWNER = re.compile(
    rf"^\W*(?:(?:my|our|the) )?(?:\w+ )?(?!(?:{_NOT_AN_OWNER})['’])(\w+)(?:['’]s|(?<=s)['’]) \w", re.IGNORECASE
)
_RELATIVE = re.compile(rf"\b(?:my|our) (?:\w+ )?({_KIN})\b(?!['’])", re.IGNORECASE)
_FIRST_RELATIVE = re.compile(
    rf"^\W*(?:my|our) (?:\w+ )?({_KIN})\b(?!['’])(?! (?:is|was) (?:called|named))", re.IGNORECASE
)
_MINE = re.compile(r"\b(?:I|me|mine|myself|my|our|ours|us|we)\b", re.IGNORECASE)
_FIRST_MINE = re.compile(r"^\W*(?:I|we|my|our|mine|ours)\b", re.IGNORECASE)
_ACTOR = re.compile(r"\b(?:I|me|we|us)\b", re.IGNORECASE)
_ALSO_A_MONTH = re.compile(
    r"(?<![\w’'])(?<!\b(?:in|on|by|of|to) )(?<!\b(?:mid|end|all|for) )(?<!\b(?:last|next|this|late|from|till) )"
    r"(?<!\b(?:until|since|early|after) )(?<!\b(?:before|during|around) )(?<!\d )(?<!\d(?:st|nd|rd|th) )"
    r"(?:Jan|April|May|June|August)\b(?!['’]?\.? ?\d)"
)
"""Names of people that are months too, where no month is meant: "when did Anna call Jan?"."""
_TOGETHER = re.compile(r"\b(?:and|with|between|together|both|by|each other)\b", re.IGNORECASE)
_LABEL = re.compile(r"^\S+:")
"""Who speaks: then "I" is somebody else."""
_TOLD_ME = re.compile(r"\b(?:told|to|asked|with) (?:me|us)\b", re.IGNORECASE)
_WHO = re.compile(
    r"^\W*(?:who|whom|is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should)\b|"
    r".*\b(?:still|now|currently|these days|any ?more)\b",
    re.IGNORECASE | re.DOTALL,
)
"""A question whose answer may be somebody else, or of yes or no. What is told of another person may answer it."""
_CHANGES = re.compile(
    r"\b(?:now|instead|no longer|any ?more|these days|from now on|took over|takes over|replaced|replaces|since)\b",
    re.IGNORECASE,
)
_AND_I = re.compile(r"^\W*(?:\w+ ){1,3}and (?:I|me|my)\b|^\W*(?:I|me) and\b", re.IGNORECASE)


def means_other(own: str, other: str, question: str) -> bool:
    """Whether the question is about whom the first statement is about, and not about whom the second one is."""
    asked, one, two = _asked(question), owner(own), owner(other)
    if one in asked and two is not None and two not in asked and _share_topic(own, other, question):
        is_owned = _FIRST_OWNER.match(own) or _FIRST_OWNER.match(other)
        if not _names(question) & _words(other) and (is_owned or not (_WHO.match(question) or _CHANGES.search(other))):
            return True
    return _is_turned_round(own, other, question)


@lru_cache(maxsize=4096)
def owner(statement: str) -> str | None:
    """Whom the statement is about, in one word of small letters; None if that is not clear."""
    if _LABEL.match(statement) or _AND_I.match(statement):
        return None
    for pattern in (_FIRST_OWNER, _FIRST_RELATIVE):
        if found := pattern.match(statement):
            return found[1].lower()
    names = find_names(statement)
    if names and names[0][0] == 0:  # "Owen is my manager" tells something about me
        return None if _MINE.search(_TOLD_ME.sub("", statement)) else names[0][1].split()[0].lower()
    return ME if _FIRST_MINE.match(statement) else None


@lru_cache(maxsize=64)
def _asked(question: str) -> frozenset[str]:
    """All whom the question names."""
    owners = (match[1] for pattern in (_OF_SOMEBODY, _RELATIVE) for match in pattern.finditer(question))
    named = _names(question).union(map(str.lower, owners))
    without_relatives = re.sub(rf"\b(?:my|our) (?:\w+ )?(?:{_KIN})\b", "", question, flags=re.IGNORECASE)
    return named | {ME} if _MINE.search(without_relatives) else named


@lru_cache(maxsize=64)
def _names(question: str) -> frozenset[str]:
    return frozenset(word.lower() for _, name in find_names(question) for word in name.split())


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _share_topic(own: str, other: str, question: str) -> bool:
    return not _topic(own).isdisjoint(_topic(other) & _topic(question))


@lru_cache(maxsize=4096)
def _topic(text: str) -> frozenset[str]:
    return frozenset(term for term in analyze(text) if not is_stop(term))


def _is_turned_round(own: str, other: str, question: str) -> bool:
    """Whether the question names two in the order of the first statement, and the second one has them the other way
    round: "Ann owes Ben", "Ben owes Ann"."""
    two = _two(question)
    if two is None or any(map(_TOGETHER.search, (own, other))):
        return False
    asked, one, turned = (_is_in_order(text, *two) for text in (question, own, other))
    if asked is None or asked is not one or turned is not (not asked):
        return False
    return bool((_topic(own) & _topic(other)) - _topic(" ".join(_names(question))))


@lru_cache(maxsize=64)
def _two(question: str) -> tuple[str, str] | None:
    """Patterns for the two whom the question names."""
    places = [*find_names(question), *((match.start(), match[0]) for match in _ALSO_A_MONTH.finditer(question))]
    found = [re.escape(name.split()[0]) for _, name in sorted(places)]
    named = [*dict.fromkeys(found), *([_ACTOR.pattern] if _ACTOR.search(question) else [])]
    return (named[0], named[1]) if len(named) == 2 and not _TOGETHER.search(question) else None


def _is_in_order(text: str, first: str, second: str) -> bool | None:
    one, two = (re.search(rf"\b(?:{name})\b", text, re.IGNORECASE) for name in (first, second))
    return one.start() < two.start() if one and two else None
