"""Recognises a sentence that corrects something said before: "make that $150,000", "not Rosa, Elena".

Each form is anchored at both ends of the sentence. So wishes, questions, conditions and reports ("if they come, make it
eight", "they refused to move it to Monday") match none of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from recollect.extractors.typed_values import type_of
from recollect.text.needed import Guarded, Several

Form: TypeAlias = Literal["changed", "reported", "named", "bare", "instead", "same verb", "same act", "decided"]
"""changed: "change that to V". reported: "they moved it to V". named: "the budget is V". bare: "no wait, V". instead:
"V, not X". same verb: "ship them to V". same act: "V is leading it". decided: "the official plan is V"."""

_CUE = (
    r"(?:(?:oh|ah|sorry|oops|actually|no|nope|wait|hang on|hold on|scratch that|correction|update|my mistake|my bad|"
    r"well|hm+|turns out|I misspoke|my apologies|change of plans?|on second thoughts?|I(?:['’]ve)? changed my mind|"
    r"I['’]m overriding that|we(?:['’]ve)? changed (?:it|that|our minds?)|rather|"
    r"as of (?:today|now)|starting (?:today|tomorrow|(?:this|next) \w+)|from now on)(?:[,.:;!–—… -]+|$))"
)
_OPENS = r"(?:\W+|\[[\w ]+\] )?(?:keep [^,.;]{3,40}, but )?"
_IT = r"(?:it|that|this|them)"
_ASK = (
    r"(?:(?:please|let['’]s|let us|(?:can|could|would|will) you(?: please)?|we need to|"
    r"(?:I|we)(?:['’]d| would) like to) )?"
)
_VERB = (
    r"(?:chang|mov|push|bump|shift|rais|lower|increas|reduc|drop|cut|switch|updat|set|revis|extend|shorten|reschedul|"
    r"postpon|delay|bring|mak|put)"
)
_NOW_FORM = rf"{_VERB}(?:e|p)?"
_PAST_FORM = rf"(?:{_VERB}(?:e|p|t)?e?d|set|cut|put|brought|made)"
_ON = r"(?:(?:back|up|down|forward|out|over) )?"
_TO = r"(?:to|until|till) "
_AT = r"(?:(?:on|at|by|from|in) )?"
_IS = r"(?:['’]s|['’]re| is| are| should be| will be)"
_VALUE = r"(?P<value>\S.{0,58}?)"
_OTHER = r"(?P<old>\S.{0,58}?)"
_AFTER = r"(?:,? (?:instead|now|actually|then|please|after all|in the end|from now on|again))*"
_END = r"(?:\s*\([^()]*\))?[.!]*$"
_ASKED_END = r"(?:\s*\([^()]*\))?[.!?]*$"
_MORE = r"[,;] (?P<more>.{1,200})$"
_THING = r"(?:the|our|my) (?P<thing>(?!(?:old|previous|former|last)\b)[\w'’-]+(?: [\w'’-]+){0,4}?)"
_WHO = r"(?:I|we|they|he|she|the (?:\w+ )?\w+|(?-i:[A-Z]\w+))(?:['’]ve| have| has)?"

_FORMS: tuple[tuple[Form, str], ...] = (
    ("instead", rf"(?:I|we) said {_OTHER},? but (?:I |we )?meant {_VALUE}{_END}"),
    ("instead", rf"{_ASK}(?:{_NOW_FORM}|{_WHO} {_PAST_FORM}) {_IT} {_ON}from {_OTHER} {_TO}{_VALUE}{_AFTER}{_END}"),
    ("instead", rf"{_ASK}(?:replace|swap) {_OTHER} (?:with|for|by) {_VALUE}{_AFTER}{_END}"),
    ("instead", rf"{_ASK}(?:(?:use|take|do|make it|it{_IS}|go with) )?{_AT}{_VALUE} instead of {_AT}{_OTHER}{_END}"),
    ("instead", rf"(?:(?:it|that|they){_IS} |we said )?{_AT}{_VALUE}(?: now)?(?P<comma>,)? (?:and )?not "
     rf"{_AT}{_OTHER}{_END}"),
    ("instead", rf"(?:(?:it|that|they){_IS} )?{_AT}{_VALUE},? (?:and )?not {_AT}{_OTHER}{_MORE}"),
    ("instead", rf"not {_AT}{_OTHER}(?:,| but) {_AT}{_VALUE}{_END}"),
    ("changed", rf"{_ASK}make {_IT} {_AT}{_VALUE}{_AFTER}{_ASKED_END}"),
    ("changed", rf"{_ASK}{_NOW_FORM} {_IT} {_ON}{_TO}{_VALUE}{_AFTER}{_ASKED_END}"),
    ("reported", rf"{_WHO} {_PAST_FORM} (?:{_IT}|us|me) {_ON}{_TO}{_VALUE}{_AFTER}{_END}"),
    ("reported", rf"(?:{_IT}|they)(?:['’]s| is| was| has| have| are| were)?(?: now)?(?: been| got)? "
     rf"(?:{_PAST_FORM} {_ON}|(?:went|gone) (?:up|down) ){_TO}{_VALUE}{_AFTER}{_END}"),
    ("reported", rf"(?:{_IT} )?should (?:have been|be|say|read) {_AT}{_VALUE}{_AFTER}{_END}"),
    ("changed", rf"I (?:actually )?meant {_AT}{_VALUE}{_END}"),
    ("changed", rf"let['’]s (?:go (?:back to|with|for)|try|use|take|do|switch to) {_VALUE}"
     rf"(?: instead| after all){_END}"),
    ("changed", rf"let['’]s go back to {_VALUE}{_END}"),
    ("decided", rf"the (?:official|final) (?:plan|decision|choice|approach|version) is(?: now)? "
     rf"{_VALUE}{_AFTER}{_END}"),
    ("named", rf"{_ASK}{_NOW_FORM} {_THING} {_ON}{_TO}{_VALUE}{_AFTER}{_ASKED_END}"),
    ("named", rf"(?:I|we)(?:['’]ve| have)? (?:finali[sz]ed|fixed|settled|confirmed) {_THING} (?:at|to|as|on) "
     rf"{_VALUE}{_AFTER}{_END}"),
)  # fmt: skip
_WITH_CUE: tuple[tuple[Form, str], ...] = (
    ("same act", rf"(?P<value>(?-i:[A-Z]\w+(?: [A-Z]\w+)?)) "
     rf"(?P<verb>(?:is|are|will be) \w+ing|leads|owns|runs) {_IT}{_END}"),
    ("same verb", rf"(?P<verb>[a-z]+) {_IT} (?P<at>to|from|at|in|on|with|for) {_VALUE}{_AFTER}{_END}"),
    ("bare", rf"(?:(?:it|that|they){_IS} (?:now |actually )?|we said |)?{_AT}{_VALUE}{_AFTER}{_END}"),
    ("named", rf"{_THING}{_IS}(?: now| actually)? {_AT}{_VALUE}{_AFTER}{_END}"),
)  # fmt: skip
_SAYS_NOW = (
    rf"(?:it|that|they){_IS} now {_AT}{_VALUE}{_AFTER}{_END}",
    rf"(?:it|that|they|we){_IS} (?:up to |down to )?{_AT}{_VALUE} now{_END}",
)
_FOLLOWS = (
    rf"{_ASK}(?:(?:do|use|take|try|go with|make it|have it) |\w+ {_IT} (?=(?:on|at|by|from|in) )|it{_IS} )"
    rf"{_AT}{_VALUE}{_AFTER}{_END}"
)
_DROPPED = (
    rf"(?:forget(?: about)?|scrap|drop|cancel|never mind|not) {_OTHER}{_END}",
    rf"(?:no,? )?{_OTHER} (?:won['’]t work|does(?:n['’]t| not) work|is out|fell through|left|has left|cancell?ed|"
    rf"backed out|can['’]t (?:do it|make it)){_AFTER}{_END}",
    rf"(?:the |it |that )?(?:(?:old|previous|original) )?(?:value |figure |number |date |price |time )?"
    rf"(?:was|said|read):? {_OTHER}{_END}",
)
_ACTUAL = (
    rf"(?:but )?(?:the |it )?(?:actual|correct|right|real|new|true|revised)(?: \w+)? (?:is|should be):? {_VALUE}{_END}"
)


@dataclass(frozen=True, slots=True)
class Correction:
    form: Form
    value: str
    old: str | None = None
    """The value that is wrong, if it is named."""
    thing: str | None = None
    verb: str | None = None
    at: str | None = None
    """The preposition before the value, in "same verb"."""
    paired: bool = False
    """Whether the sentence before it names the wrong value."""


@cache
def _patterns() -> tuple[tuple[Form, ...], Several]:
    plain = [(form, rf"^{_OPENS}{_CUE}*{source}") for form, source in _FORMS]
    cued = [(form, rf"^{_OPENS}{_CUE}+{source}") for form, source in _WITH_CUE]
    every: list[tuple[Form, str]] = [*plain, *cued, *(("bare", rf"^{_OPENS}{_CUE}*{source}") for source in _SAYS_NOW)]
    return tuple(form for form, _ in every), Several(Guarded(source, re.IGNORECASE) for _, source in every)


@cache
def _follows() -> tuple[Guarded, ...]:
    sources = (rf"^{_OPENS}{_CUE}*{_FOLLOWS}", rf"^{_OPENS}{_ACTUAL}", *(f"^{_OPENS}{_CUE}*{s}" for s in _DROPPED))
    return tuple(Guarded(source, re.IGNORECASE) for source in sources)


_MOST_CHARS = 300
"""A longer sentence says more than a correction."""
_MOST_WORDS = 3
_CLAUSE = re.compile(
    r"\b(?:I|you|we|he|she|it|they|is|are|was|were|am|be|has|have|had|do|does|did|will|would|can|could|should|\w+ed|"
    r"like|love|want|need|prefer|just|only|why|if|maybe|because)\b|['’](?:s|m|re|ve|ll|d)\b",
    re.IGNORECASE,
)
_CUE_ALONE = re.compile(rf"^{_OPENS}{_CUE}+$", re.IGNORECASE)


def is_cue(sentence: str) -> bool:
    """Whether the sentence only says that a correction follows: "I'm overriding that.\""""
    return _CUE_ALONE.match(sentence) is not None


def corrections(sentence: str, before: str | None = None) -> list[Correction]:
    """What the sentence may correct, the surest form first. `before`: the sentence before it in the same message."""
    if len(sentence) > _MOST_CHARS:
        return []
    pair = _pair(before, sentence) if before else None
    cued = f"Correction: {sentence}" if before and is_cue(before) else sentence
    forms, patterns = _patterns()
    matched = ((forms[n], patterns[n].match(cued)) for n in patterns.likely(cued))
    matches = ((form, match.groupdict()) for form, match in matched if match)
    found = [_correction(form, parts) for form, parts in matches if form != "instead" or _is_phrase(parts)]
    return [pair, *found] if pair else found


def _correction(form: Form, parts: dict[str, str | None]) -> Correction:
    return Correction(
        form, parts["value"] or "", parts.get("old"), parts.get("thing"), parts.get("verb"), parts.get("at")
    )


def _is_phrase(parts: dict[str, str | None]) -> bool:
    """Whether the new value can stand in a sentence where the old one stood: both are of one type, or it is a short
    phrase. "I like tea, not coffee" gives no phrase."""
    value = parts["value"] or ""
    if type_of(value):
        return type_of(value) == type_of(parts["old"] or "")
    if parts.get("more") or parts.get("comma", ",") is None:
        return False
    return len(value.split()) <= _MOST_WORDS and not _CLAUSE.search(value)


def _pair(before: str, sentence: str) -> Correction | None:
    """Two sentences, of which the first names the wrong value: "Forget Luton. Take Stansted."."""
    follows, actual, *dropped = _follows()
    told = next((match for pattern in dropped if (match := pattern.match(before))), None)
    new = follows.match(sentence) or actual.match(sentence)
    return Correction("instead", new["value"], told["old"], paired=True) if told and new else None
