"""What does a statement deny, or say is over? "I no longer eat meat", "I left Acme", "Ines and I broke up"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from recollect.extractors.openings import without_opening
from recollect.text.analyze import analyze_query, is_stop
from recollect.text.same_statement import stating_words
from recollect.text.words import stem

CHANGE = re.compile(
    r"\b(?:no longer|any ?more|(?<!for )(?<!right )now(?! and (?:then|again))|nowadays|these days|from now on|as of|"
    r"instead|after all|turns out|actually|"
    r"correction|quit|stopped|gave up|given up|switched|moved|migrated|changed|cancell?ed|called off|is off|dropped|"
    r"ditched|replaced|sold|got rid of|left|broke up|split up|unsubscribed|resigned|back to|renamed|not happening)\b"
    r"|不再|不[^，。]*了|戒了|现在|已经不|换成|改成|取消"
    r"|\b(?:jetzt|inzwischen|nicht mehr|maintenant|désormais|ne .+ plus|ahora|ya no)\b",
    re.IGNORECASE,
)
"""Words that say that something is no longer as it was."""
_ADDS = re.compile(r"\b(?:too|also|as well|besides|another|other|both|auch|aussi|también)\b|也|还", re.IGNORECASE)

_NEGATION = re.compile(r"\b(?:no longer|not|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_STOPPED = re.compile(r"(?:['’]ve| have| has)? (?:quit|stopped|gave up|given up)\b", re.IGNORECASE)
_CHINESE_NEGATION = re.compile("不再|已经不|不|没有|没")
_TAIL = re.compile(r"[,;:(–—]| (?:since|because|but|so|after all|as of|and (?:I|we|now|the|my))\b.*", re.IGNORECASE)
_NOT_PART_OF_IT = frozenset(
    "do does did now nowadays any anymore more no longer not never cannot turns out it still currently".split()
)
_BE = frozenset("am is are was were be been".split())
_LEAST_WORDS = 2
_HAN = re.compile("[\u4e00-\u9fff]")


def adds(text: str) -> bool:
    """Whether the text names something that comes in addition: "I work at Bosch too"."""
    return _ADDS.search(text) is not None


def says_change(text: str) -> bool:
    """Whether the text says that something is not as it was."""
    return CHANGE.search(text) is not None


def is_denial(text: str) -> bool:
    return bool(
        _NEGATION.search(text) or _STOPPED.search(text) or (_HAN.search(text) and _CHINESE_NEGATION.search(text))
    )


def denies(denial: str, statement: str, *, wholly: bool) -> bool:
    """Whether the first text, without its negation, is what the second one states; with `wholly`, or its beginning:
    "I no longer play tennis" denies "I play tennis on Sundays"."""
    if _HAN.search(denial):
        plain = re.sub("了(?=[。！]?$)", "", _CHINESE_NEGATION.sub("", denial))
        return len(plain) > _LEAST_WORDS and stating_words(plain) == stating_words(statement)
    first = _until_pause(denial)
    found = _NEGATION.search(first) or _STOPPED.search(first)
    if not found or not _core(first[found.end() :]):  # "I'm glad I didn't" does not say what
        return False
    denied, stated = _core(_NEGATION.sub(" ", first)), _core(_until_pause(statement))
    if len(denied) < _LEAST_WORDS or all(word == "be" or is_stop(word) for word in denied):
        return False
    return (stated[: len(denied)] if wholly else stated) == denied


def _until_pause(text: str) -> str:
    return _TAIL.split(without_opening(text), maxsplit=1)[0]


def _core(text: str) -> list[str]:
    """The stems of the words, without auxiliaries and words of change."""
    words = [word for word in stating_words(_STOPPED.sub(" ", text)) if word and word not in _NOT_PART_OF_IT]
    return ["be" if word in _BE else stem(word) for word in words]


@dataclass(frozen=True, slots=True)
class _Ending:
    over: str
    """How somebody says that it is over. The group `what` names it."""
    held: str
    """How it was stated before."""


_WHAT = r"(?P<what>[\w.&'’\- ]+?)"
_END = r"(?= (?:in|on|at|for|as|with|since|last|this|and|because|to|near|after|yesterday|\w+ \w+ ago)\b|[,.;!(]|$)"
_I = r"(?:I|[Ww]e)(?:['’]ve| have)?(?: just| finally| recently| also)*"
_ENDINGS = (
    _Ending(
        rf"{_I} (?:left|quit|resigned from|(?:was|were|got) (?:laid off|let go|fired) (?:from|by)) "
        rf"(?:my job at )?{_WHAT}{_END}(?! at \d)",
        rf"(?:I|we)(?:['’]m|['’]re| am| are)?(?: now| currently)? work(?:ing)? (?:at|for) {_WHAT}{_END}",
    ),
    _Ending(
        rf"(?:{_I} )?(?:[Ss]old|[Gg]ot rid of|[Gg]ave away|scrapped) (?:the|my|our) (?:old )?{_WHAT}{_END}",
        rf"(?:I|we) (?:drive|own|ride|have) (?:an?|the|my|our) {_WHAT}{_END}",
    ),
    _Ending(rf"{_I} dropped {_WHAT}{_END}", rf"(?:I|we) (?:study|take|major in) {_WHAT}{_END}"),
    _Ending(
        rf"{_I} (?:cancell?ed (?:my|our) subscription to|unsubscribed from) (?:the )?{_WHAT}{_END}",
        rf"(?:I|we)(?: subscribe|(?:['’]m|['’]re| am| are) subscribed| have a subscription) to (?:the )?{_WHAT}{_END}",
    ),
    _Ending(
        rf"(?:{_I} (?:broke|split) up with {_WHAT}{_END}|(?P<who>[A-Z]\w+) and I (?:broke up|split up|separated)"
        r"(?=[,.!;]|$| (?:last|in|yesterday|after|on|over|because|\w+ \w+ ago)\b))",
        rf"[Mm]y (?:girlfriend|boyfriend|partner|fianc[ée]e?)(?: is|['’]s)(?: called| named)? {_WHAT}{_END}",
    ),
    _Ending(
        rf"{_I} (?:ditched|dropped|(?:switched|moved|migrated)(?: away)? from|replaced) {_WHAT}{_END}",
        rf"(?:(?:I|we)(?:['’]re| are)? us(?:e|ing)|(?:the|our|my) (?P<subject>[\w ]+?) (?:uses|runs on)) "
        rf"{_WHAT}{_END}",
    ),
)
_CLOCK = re.compile(
    r"\bat \d|\bo['’]clock\b|\b(?:early|late|today|tonight|this (?:morning|evening|afternoon))\b", re.IGNORECASE
)
_FOR = re.compile(r"\bfor (?:the |our |my )?(?P<purpose>\w+)")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((re.compile(ending.over), re.compile(ending.held, re.IGNORECASE)) for ending in _ENDINGS)


def ends(text: str, statement: str) -> bool:
    """Whether the text says that what the statement tells is over: "I left Acme" after "I work at Acme"."""
    for over, held in _patterns():
        said, was = over.match(without_opening(text)), held.match(without_opening(statement))
        if said and was and _is_it(said.groupdict(), was["what"]) and _is_about(text, statement, was.groupdict()):
            return not _CLOCK.search(text)
    return False


def may_end(text: str) -> bool:
    """Whether the text says that something is over, whatever it is."""
    bare = without_opening(text)
    return (is_denial(text) and says_change(text)) or any(over.match(bare) for over, _ in _patterns())


def _is_it(said: dict[str, str | None], held: str) -> bool:
    """The same words; a number may be missing: "the Peugeot" is the Peugeot 208."""
    named, whole = stating_words(said.get("what") or said.get("who") or ""), stating_words(held)
    return bool(named[0]) and whole[: len(named)] == named and all(word.isdigit() for word in whole[len(named) :])


def _is_about(text: str, statement: str, held: dict[str, str | None]) -> bool:
    """Whether "we ditched Postgres" names what uses it, if the statement or the ending says that."""
    if "subject" not in held:
        return True
    told, known = set(analyze_query(text).content), set(analyze_query(statement).content)
    subject = set(analyze_query(held.get("subject") or "").content)
    purposes = {word for match in _FOR.finditer(text) for word in analyze_query(match["purpose"]).content}
    return subject <= told and purposes <= known
