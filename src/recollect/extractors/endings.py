"""What does a statement deny, or say is over? "I no longer eat meat", "I left Acme", "Ines and I broke up"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from recollect.extractors.openings import without_opening
from recollect.text.analyze import analyze_query, is_stop
from recollect.text.needed import Guarded, Several
from recollect.text.same_statement import stating_words
from recollect.text.words import stem

_CHANGE = Guarded(
    r"\b(?:no longer|anymore|any more|(?<!for )(?<!right )now(?! and (?:then|again))|nowadays|these days|from now on|"
    r"as of|instead|after all|turns out|actually|"
    r"correction|quit|stopped|gave up|given up|switched|moved|migrated|changed|cancelled|canceled|called off|is off|"
    r"dropped|ditched|replaced|sold|got rid of|left|broke up|split up|unsubscribed|resigned|back to|renamed|"
    r"rescheduled|postponed|brought forward|"
    r"not happening)\b"
    r"|不再|不[^，。]*了|戒了|现在|已经不|换成|改成|取消"
    r"|\b(?:jetzt|inzwischen|nicht mehr|maintenant|désormais|ne .+ plus|ahora|ya no)\b",
    re.IGNORECASE,
)
"""Words that say that something is no longer as it was."""
_ADDS = Guarded(r"\b(?:too|also|as well|besides|another|other|both|auch|aussi|también)\b|也|还", re.IGNORECASE)

_NEGATION = Guarded(r"\b(?:no longer|not|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_STOPPED = Guarded(r"(?:['’]ve| have| has)? (?:quit|stopped|gave up|given up)\b", re.IGNORECASE)
_CHINESE_NEGATION = re.compile("不再|已经不|不|没有|没")
_TAIL = re.compile(r"[,;:(–—]| (?:since|because|but|so|after all|as of|and (?:I|we|now|the|my))\b.*", re.IGNORECASE)
_NOT_PART_OF_IT: frozenset[str] = frozenset(
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
    return _CHANGE.search(text) is not None


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
    denied, stated = _core(_NEGATION.pattern.sub(" ", first)), _core(_until_pause(statement))
    if len(denied) < _LEAST_WORDS or all(word == "be" or is_stop(word) for word in denied):
        return False
    return (stated[: len(denied)] if wholly else stated) == denied


def _until_pause(text: str) -> str:
    return _TAIL.split(without_opening(text), maxsplit=1)[0]


def _core(text: str) -> list[str]:
    """The stems of the words, without auxiliaries and words of change."""
    words = [word for word in stating_words(_STOPPED.pattern.sub(" ", text)) if word and word not in _NOT_PART_OF_IT]
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
_WHO = r"(?P<person>I|[Ww]e|(?:[Mm]y|[Oo]ur) \w+|(?!(?:He|She|It|They|You|This|That|The)\b)[A-Z]\w+)"
_SUBJECT = r"(?:the |our )?(?P<subject>[\w ]+?)"
_DID = rf"{_WHO}(?:['’]ve|['’]s| have| has)?(?: just| finally| recently| also)*"
_DOES = rf"{_WHO}(?:['’]m|['’]re|['’]s| am| is| are)?(?: now| currently)?"
_IN_CHARGE = rf"{_WHAT} (?:is|runs|leads|chairs|manages)(?: still| now)? (?:the|our) (?P<subject>[\w ]+?){_END}"
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
        rf"{_DID} left {_WHAT} (?:(?:for|to join) (?-i:[A-Z])|for (?:a|another) (?:new |better )?(?:job|position)\b)",
        rf"{_DOES} work(?:s|ing)? (?:at|for) {_WHAT}{_END}",
    ),
    _Ending(
        rf"{_DID} (?:gave up|given up|quit|dropped) (?:the |playing |learning )*{_WHAT}{_END}",
        rf"{_DOES} (?:plays?|playing|learns?|learning|stud(?:y|ies)|studying) (?:the )?{_WHAT}{_END}",
    ),
    _Ending(
        rf"(?:{_DID} |(?=[A-Z]))(?:[Ff]inished|abandoned|gave up on)(?: reading| watching)? {_WHAT}{_END}",
        rf"{_DOES} (?:reading|watching|in the middle of) {_WHAT}{_END}",
    ),
    _Ending(
        rf"{_DID} (?:sold|traded in|scrapped) (?:the|my|our|his|her|their) (?:old )?{_WHAT}{_END}",
        rf"{_DOES} (?:drives?|owns?|rides?) (?:an?|the|my|our|his|her|their) {_WHAT}{_END}",
    ),
    _Ending(
        rf"{_I} cancell?ed (?:(?:my|our|the) membership (?:at|of|with) )?(?:the )?{_WHAT}{_END}",
        rf"(?:I|we)(?: pay for|(?:['’]m|['’]re| am| are) (?:a )?members? of| have a membership (?:at|with)) (?:the )?"
        rf"{_WHAT}{_END}",
    ),
    _Ending(
        rf"{_WHAT}(?: has|['’]s)?(?: just| finally)? moved out{_END}",
        rf"(?:I|we)(?:['’]m|['’]re| am| are)? liv(?:e|ing) with {_WHAT}(?=[,.;!]|$| (?:in|on|at|near|since)\b)",
    ),
    _Ending(
        rf"{_WHAT}(?: has|['’]s)?(?: just| finally)? (?:retired|moved away){_END}",
        r"[Mm]y (?:doctor|gp|dentist|therapist|vet|hairdresser|barber|landlord|landlady|manager|boss|teacher|tutor|"
        rf"coach)(?: is|['’]s) {_WHAT}{_END}",
    ),
    _Ending(
        rf"(?:[Tt]he |[Mm]y |[Oo]ur )?{_WHAT} (?:(?:is|are|was|were|got|(?:has|have) been) (?:fixed|repaired|mended)|"
        rf"(?:is|are) (?:working again|back online)|works? again)(?=[,.;!]|$| (?:today|now|yesterday|at last)\b)",
        rf"(?:the |my |our )?{_WHAT} (?:is|are) (?:broken|out of order|leaking|offline|jammed|not working){_END}",
    ),
    _Ending(
        rf"{_WHO}(?:['’]s| is| was| came| got)?(?: now)?(?: back)? (?:home|out|discharged|released|back) (?:from|of) "
        rf"(?:the )?(?P<what>hospital|prison|jail|rehab){_END}",
        rf"{_WHO}(?:['’]s| is)(?: still| now)? in (?:the )?(?P<what>hospital|prison|jail|rehab){_END}",
    ),
    _Ending(rf"\w+(?: has)? (?:replaced|succeeded) {_WHAT} as {_SUBJECT}{_END}", _IN_CHARGE),
    _Ending(rf"\w+(?: has)? (?:took|taken) over {_SUBJECT} from {_WHAT}{_END}", _IN_CHARGE),
    _Ending(rf"{_WHAT}(?: has)? handed (?:over )?{_SUBJECT}(?: over)? to [A-Z]", _IN_CHARGE),
    _Ending(
        rf"{_I} (?:moved|migrated|switched|changed) (?:the |our |my |all )*(?P<subject>[\w ]+?)(?: over)? from {_WHAT} "
        "to .",
        rf"(?:I|we)(?:['’]re| are)? us(?:e|ing) {_WHAT} for .",
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
_IN_A_PLACE = re.compile(r"\b(?:in|near) (?:the )?([A-Z]\w+)")
_FOR = re.compile(r"\bfor (?:the |our |my )?(?P<purpose>\w+)")


@cache
def _patterns() -> tuple[Several, tuple[re.Pattern[str], ...]]:
    over = Several(Guarded(ending.over) for ending in _ENDINGS)
    return over, tuple(re.compile(ending.held, re.IGNORECASE) for ending in _ENDINGS)


def ends(text: str, statement: str) -> bool:
    """Whether the text says that what the statement tells is over: "I left Acme" after "I work at Acme"."""
    over, held = _patterns()
    bare = without_opening(text)
    for n in over.likely(bare):
        said, was = over[n].match(bare), held[n].match(without_opening(statement))
        if said and was and _fits(text, statement, said.groupdict(), was.groupdict()):
            return not _CLOCK.search(text)
    return False


def _fits(text: str, statement: str, said: dict[str, str | None], was: dict[str, str | None]) -> bool:
    """Whether both are about the same thing, and, if they name one, the same person."""
    return (
        _is_it(said, was["what"] or "")
        and _is_about(text, statement, was)
        and _person(said) == _person(was)
        and _have_one_place(text, statement)
        and set(analyze_query(said.get("subject") or "").content) <= set(analyze_query(statement).content)
    )


def _have_one_place(text: str, statement: str) -> bool:
    """Not "I sold the house in Spain" and "I own a house in Leeds"."""
    one, other = (set(_IN_A_PLACE.findall(each)) for each in (text, statement))
    return not one or not other or bool(one & other)


def _person(found: dict[str, str | None]) -> str:
    """ "I" and "we" are one."""
    name = (found.get("person") or "").lower().replace("our ", "my ", 1)
    return "i" if name == "we" else name


def words_of_opposites(statement: str) -> set[str] | None:
    """Words of which every text has the stems that denies the statement, or that the statement denies. None if there
    can't be one."""
    first = _until_pause(statement)
    if is_denial(statement):
        found = _NEGATION.search(first) or _STOPPED.search(first)
        if not found or not _core(first[found.end() :]):
            return None
        first = _NEGATION.pattern.sub(" ", first)
    return set(stating_words(_STOPPED.pattern.sub(" ", first))) - _NOT_PART_OF_IT - _BE


def may_end(text: str) -> bool:
    """Whether the text says that something is over, whatever it is."""
    return (is_denial(text) and says_change(text)) or says_over(text)


def may_have_end(text: str) -> bool:
    """Whether a sentence of the text, or a part of it, may say that something is over. Says so of every text outside of
    ASCII."""
    if _CHANGE.may_match(text) and (_NEGATION.may_match(text) or _STOPPED.may_match(text)):
        return True
    return bool(_patterns()[0].likely(text))


def says_over(text: str) -> bool:
    """Whether the text says in one of the known forms that something is over: "I sold the car"."""
    over, _ = _patterns()
    places = over.likely(text)
    if not places:
        return False
    bare = without_opening(text)
    return any(over[n].match(bare) for n in places)


def _is_it(said: dict[str, str | None], held: str) -> bool:
    """The same words; a number may be missing: "the Peugeot" is the Peugeot 208."""
    name = said.get("what") or said.get("who") or ""
    named, whole = stating_words(name), stating_words(held)
    if name[:1].isupper() and whole[-len(named) :] == named:  # "the Fiesta" is the Ford Fiesta
        return True
    return bool(named[0]) and whole[: len(named)] == named and all(word.isdigit() for word in whole[len(named) :])


def _is_about(text: str, statement: str, held: dict[str, str | None]) -> bool:
    """Whether "we ditched Postgres" names what uses it, if the statement or the ending says that."""
    if "subject" not in held:
        return True
    told, known = set(analyze_query(text).content), set(analyze_query(statement).content)
    subject = set(analyze_query(held.get("subject") or "").content)
    purposes = {word for match in _FOR.finditer(text) for word in analyze_query(match["purpose"]).content}
    return subject <= told and purposes <= known
