"""Recognises a correction that names the thing again: "I misread the ticket, the Bergen flight is at 17:40".

It says that something was wrong, or names the wrong value ("Timo turns ten, not nine"). All that it says of the thing
must be in the statement that it corrects, so a statement about another thing is never taken for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from recollect.extractors.typed_values import is_same_value, may_be_value, place_of, type_of
from recollect.text.analyze import analyze_query
from recollect.text.needed import Guarded
from recollect.text.sentences import sentences

_WHEN = r"(?: (?:yesterday|earlier|before|last time|the other day|above|this morning|last night))?"
_OF = r"(?: (?:about|on|for|with|regarding|to) ([^,.:;–—]{2,40}?))?"
_IT = r"(?:that|it|this|them|(?:the|my|our) [\w'’]+(?: [\w'’]+){0,3})"
_WRONG = (
    rf"(?:a )?typo{_OF}{_WHEN}|(?:a )?correction{_OF}{_WHEN}|(?:my|an?) (?:mistake|error){_OF}{_WHEN}|"
    rf"I (?:got|had|told you|gave you|wrote|typed|put|remembered) {_IT} wrong{_WHEN}|"
    rf"I (?:misread|misheard|misremembered|mistyped|misspoke|miscounted|misquoted)(?: {_IT})?{_WHEN}|"
    rf"I (?:mixed|messed) (?:{_IT}|something|things) up{_WHEN}|I mixed up (?:the|my|two) [\w'’]+{_WHEN}|"
    r"I (?:swapped|switched|transposed|confused) (?:the|two) (?:digits|numbers|names|letters|days|dates)|"
    rf"(?:I was|I['’]m|that was) (?:wrong|mistaken|not right|incorrect){_OF}{_WHEN}|"
    rf"what I (?:said|told you|wrote|typed){_OF}{_WHEN} (?:was|is) (?:wrong|not right)|"
    rf"I(?:['’]ve)? (?:just )?(?:checked|double-checked|looked again|looked it up|asked again)(?: {_IT})?|"
    r"(?:they|he|she|we|I) (?:have |has |['’]ve )?corrected ((?:the|my|our) [^,.:;–—]{2,40}?)"
)
_SOFT = r"(?:(?:oh|ah|oops|sorry|actually|no|wait|hm+|well|right|so|ok(?:ay)?)[,.:;!–—… -]+)*"
_OPENS = re.compile(rf"^\W*{_SOFT}", re.IGNORECASE)
_BREAK = r"(?: ?[,.:;!–—] ?| - | and | but )"
_HEAD = Guarded(rf"^\W*{_SOFT}(?:{_WRONG})(?:(?:{_BREAK})(?:sorry[,.!]? )?|$)", re.IGNORECASE)
_TAIL = Guarded(rf"(?:,| -| –|;|\.) (?:sorry,? |but )?(?:{_WRONG})[.!]*$", re.IGNORECASE)
_TOLD = Guarded(
    r"^(?:the |my |our )?(.{2,40}?) (?:that )?I (?:gave|told|sent|wrote)(?: (?:you|down))? (?:is|was) "
    r"(?:wrong|not right|incorrect|outdated)(?: ?[,;:–—-] ?| and )",
    re.IGNORECASE,
)
_SAID = Guarded(
    r"^(?:I|we) (?:said|wrote|told you)(?: that)? (.{3,80}?),? but (?=(?:it|that|they)(?:['’]s|['’]re| is| are)\b)",
    re.IGNORECASE,
)
_SHOULD = Guarded(r"^(?:that|it|this) (?:should|was supposed to) (?:have been|be|have said|say|read) ", re.IGNORECASE)
_NOT = Guarded(
    r"^(?P<rest>.{2,80}?),? (?:with an? [\w\"'’]+,? )?(?:and )?not (?:on |at |in |from |by |with )?"
    r"(?P<old>[^,;:]{1,40}?)"
    r"(?P<tail>[.!]*$|[,;] .*$)",
    re.IGNORECASE,
)
_EMPTY = frozenset("it's that's they're actual realli correct right yesterdai in should meant mean now".split())
"""Content words that say nothing of the thing."""
_OTHERS = re.compile(r"\b(?:he|she|they|his|her|their|you|your)\b", re.IGNORECASE)
_OWN = re.compile(r"^(?:I|we|my|our)\b", re.IGNORECASE)
_MYSELF = re.compile(r"^(?:I|we)\b(?! (?:actually )?meant\b)", re.IGNORECASE)
_THERE_IS = re.compile(r"^there(?:['’]s| is| are| was| were)\b", re.IGNORECASE)
_OWNER = re.compile(r"\b(\w+)['’]s \w")
_WAY = re.compile(r"\b(to|from|for|by|with|without|before|after|until) (?:the |my |our )?([\w'’]+)", re.IGNORECASE)
_HARDLY = re.compile(r"\b(?:would|could|might|maybe|perhaps|if|whether|wish|hope|almost|nearly|said|says|told)\b", re.I)
_GIVES = re.compile(r"^(?:the|our|my) [\w'’ -]{2,40}? is (?P<value>\S+?)[.!]*$", re.IGNORECASE)
"""A statement that gives a thing one value, in one word."""
_MOST_WORDS = 4
"""A value has at most so many words."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """What is said again of a thing."""

    text: str
    about: str = ""
    """The thing, if it is named apart: "I was wrong about Femke, she has two kids"."""
    old: str | None = None
    """The wrong value, if it is named."""
    is_wrong: bool = False
    """Whether it says that something was wrong."""


def is_admission(sentence: str) -> bool:
    """Whether the sentence only says that something was wrong: "I got that wrong yesterday."."""
    found = _HEAD.search(sentence)
    return found is not None and found.end() >= len(sentence.rstrip())


def admitted(sentence: str, before: str | None = None) -> Admitted | None:
    """What the sentence corrects by naming the thing again. `before`: the sentence before it in the same message."""
    if sentence.rstrip().endswith(("?", "？")):
        return None
    rest, about, is_wrong = _OPENS.sub("", sentence.strip()), "", False
    for head in (_TOLD, _HEAD, _SAID):
        if found := head.search(rest):
            rest, about, is_wrong = rest[found.end() :], _thing(found), True
            break
    if not is_wrong and before and (found := _HEAD.search(before)) and is_admission(before):
        about, is_wrong = _thing(found), True
    if tail := _TAIL.search(rest):
        rest, is_wrong = rest[: tail.start()], True
    if said := _SHOULD.search(rest):
        rest, is_wrong = rest[said.end() :], True
    named = _NOT.search(rest)
    if named:
        rest = named["rest"]
    if not rest or _HARDLY.search(rest) or not (is_wrong or named):
        return None
    return Admitted(rest.rstrip(".! "), about, named["old"].rstrip(".! ") if named else None, is_wrong)


def _thing(found: re.Match[str]) -> str:
    return next(filter(None, found.groups()), "")


def names_again(text: str, statement: str) -> bool:
    """Whether one of the first two sentences of the text corrects this statement by naming the thing again."""
    return any(corrected_place(each, statement) is not None for each in _admitted_in(text))


@lru_cache(maxsize=4096)
def _admitted_in(text: str) -> tuple[Admitted, ...]:
    told = [part.strip() for _, part in sentences(text)][:2]
    found = (admitted(sentence, before) for before, sentence in zip([None, *told], told, strict=False))
    return tuple(each for each in found if each)


def corrected_place(found: Admitted, statement: str) -> tuple[str, tuple[int, int]] | None:
    """The new value, and where the statement has the one that it replaces. None if it is not sure."""
    if _is_about_another(found, statement):
        return None
    known = set(analyze_query(statement).content)
    for value, left in _values(found.text):
        place = _place(value, found, statement)
        if place is None or is_same_value(statement[slice(*place)], value):
            continue
        words = (set(analyze_query(f"{left} {found.about}").content) - _EMPTY) - _numbers(found.about)
        if words and words <= known:
            return value, place
    return None


def _is_about_another(found: Admitted, statement: str) -> bool:
    """Whether the two have another subject, or name somebody in another role: "from Lille" is not "to Lille"."""
    if _OWN.match(statement) and _OTHERS.search(found.text) and not found.about:
        return True
    if _MYSELF.match(found.text) and not _MYSELF.match(statement):
        return True
    owners = {name.lower() for name in _OWNER.findall(statement)}
    if _OWN.match(found.text) and not owners <= {name.lower() for name in _OWNER.findall(found.text)}:
        return True
    ways, others = _ways(found.text), _ways(statement)
    if found.old and (way := others.get(found.old.split()[0].lower())):  # "from Per, not Ola" says nothing of "to Ola"
        others |= dict.fromkeys(found.text.lower().split(), way)
    return _THERE_IS.match(found.text) is not None or any(others.get(name, way) != way for name, way in ways.items())


def _ways(text: str) -> dict[str, str]:
    return {name.lower(): way.lower() for way, name in _WAY.findall(text)}


def _numbers(about: str) -> Set[str]:
    """The numbers in "I said the sofa costs 1,290": they are the wrong value."""
    return {term for term in analyze_query(about).content if any(map(str.isdigit, term)) or term in ("euro", "dollar")}


def _values(text: str) -> Iterator[tuple[str, str]]:
    """Each value in the text with the text without it: first those of a type, then what the text ends with. The longest
    comes first."""
    words = text.split()
    spans = [(a, b) for a in range(len(words)) for b in range(a + 1, min(a + _MOST_WORDS, len(words)) + 1)]
    found = [(a, b, " ".join(words[a:b]).rstrip(".,!")) for a, b in sorted(spans, key=lambda s: (s[0] - s[1], s))]
    typed = [each for each in found if _is_typed(words[each[0]], each[2])]
    named = [each for each in found if each[1] == len(words) and each not in typed and _is_named(each[2])]
    for start, end, value in (*typed, *named):
        yield value, " ".join([*words[:start], *words[end:]])


def _is_typed(first: str, value: str) -> bool:
    """Whether it is one value. A number begins with itself: "is 10" is none."""
    type = type_of(value) if may_be_value(value) else None
    return type is not None and (type != "count" or type_of(first) == "count")


def _is_named(value: str) -> bool:
    """Whether it begins with a capital or has a digit in the first word, so it may be a name or a code."""
    return value[0].isupper() or any(map(str.isdigit, value.split()[0]))


def _place(value: str, found: Admitted, statement: str) -> tuple[int, int] | None:
    if found.old is None:
        type = type_of(value)
        return place_of(value, type, statement) if type else _given(value, found, statement)
    if type_of(value) != type_of(found.old) and not (type_of(value) and type_of(found.old) == "count"):
        return None
    if type_of(value) is None and not (_is_named(found.old) and _is_named(value)):
        return None
    old = _only(found.old, statement)
    if old is None or len(value.split()) == len(found.old.split()) or type_of(value):
        return _whole(old, value, statement) if old else None
    return _one_word_apart(value, statement)


def _given(value: str, found: Admitted, statement: str) -> tuple[int, int] | None:
    """Where the statement gives the thing its one value, in one word like this one, or has all but a word of it."""
    gives = _GIVES.match(statement)
    if gives and found.about and len(value.split()) == 1 == len(gives["value"].split()):
        return gives.span("value")
    return _one_word_apart(value, statement)


def _whole(old: tuple[int, int], value: str, statement: str) -> tuple[int, int] | None:
    """The place with its unit, if the new value has one: "10 mg, not 20"."""
    type = type_of(value)
    if type is None or type_of(statement[slice(*old)]) == type and len(value.split()) == 1:
        return old
    place = place_of(value, type, statement)
    return place if place and place[0] <= old[0] and old[1] <= place[1] else None


def _only(phrase: str, statement: str) -> tuple[int, int] | None:
    places = list(re.finditer(rf"(?<!\w){re.escape(phrase)}(?![\w%])", statement, re.IGNORECASE))
    return places[0].span() if len(places) == 1 else None


def _one_word_apart(value: str, statement: str) -> tuple[int, int] | None:
    """Where the statement has the words of the value but for one: "81 Harbour Road" after "18 Harbour Road"."""
    new = value.split()
    words = list(re.finditer(r"[^\s,.;:!]+(?:[.:,][^\s,.;:!]+)*", statement))
    windows = [words[n : n + len(new)] for n in range(len(words) - len(new) + 1)]
    close = [window for window in windows if _differing(new, [word[0] for word in window]) == 1]
    return (close[0][0].start(), close[0][-1].end()) if len(new) > 1 and len(close) == 1 else None


def _differing(some: Sequence[str], others: Sequence[str]) -> int:
    return sum(a.lower().rstrip(".") != b.lower().rstrip(".") for a, b in zip(some, others, strict=True))
