"""Completes a correction with the statement it corrects: "make that $150,000", "no wait, it's the 14th", "that's off".

A correction that names only the new value can't be understood alone. The statement before it that has one value of the
same type, or the value that the correction calls wrong, is repeated with the new value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from recollect.extractors.admitting import admitted, corrected_place
from recollect.extractors.correcting import Correction, corrections, is_cue
from recollect.extractors.endings import adds, says_change
from recollect.extractors.openings import without_opening
from recollect.extractors.triples import is_unreal
from recollect.extractors.typed_values import (
    Type,
    has_value,
    holds_value,
    is_same_value,
    may_be_value,
    place_of,
    type_of,
)
from recollect.ids import digest
from recollect.text.analyze import analyze_query
from recollect.text.needed import Guarded
from recollect.text.same_statement import stating_words
from recollect.text.sentences import sentences

MARK = "Correction: "
"""Put before a completed correction."""
LOOKS_BACK = 2
"""How many messages before its own a correction may refer to."""
NAMES_BACK = 10
"""The same for a correction that names the thing again: "I misread it, the Bergen flight is at 17:40"."""
_MOST_CHARS = 600
"""A longer message, such as a pasted page or program, is not searched for corrections."""
_MOST_WORDS = 5
"""A value without a number or a day has at most so many words."""
_MOST_OF_IT = 0.6
"""The least share of a statement that a sentence must quote to retract it."""
_SLOTS: dict[str, tuple[Type, ...]] = {
    **dict.fromkeys(("quantity", "number", "count", "headcount"), ("count",)),
    **dict.fromkeys(("price", "cost", "amount", "sum", "fee"), ("amount",)),
    **dict.fromkeys(("date", "day", "deadline"), ("day",)),
    **dict.fromkeys(("percentage", "share"), ("percent",)),
    "time": ("clock",),
}
"""What a value may be called without naming the thing: "change the date to Monday"."""
_LABEL = re.compile(r"^\[[\w ]+\] *")
"""Who speaks, as some transcripts write it."""
_OFF = Guarded(
    r"^(?:(?:oh|ah|sorry|oops|actually|no|nope|wait|hang on|hold on|scratch that|correction|my mistake|my bad|well|hm+)"
    r"[,.:;!–—… -]+)*(?:that|it)(?:['’]s| is| has been| was)(?: all| now)? "
    r"(?:off|cancell?ed|called off|not happening)(?: now| after all| again)?(?=[.!,;]|$)",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"^(?P<what>(?:the |my |our )?[\w'’ -]{3,40}?) (?:is|are) (?:on|at|in|from|planned)\b", re.IGNORECASE
)
_PLAN = re.compile(r"^(?P<who>I['’]m|[Ww]e['’]re|I am|[Ww]e are) (?P<what>\w+ing\b.*)$")
_GIVES = re.compile(
    r"^(?:the|our|my) [\w'’ -]{2,40}? (?:is|are|should be|will be) (?:(?:priority|in|at) )?(?P<value>[^,;:]+?)[.!]*$",
    re.IGNORECASE,
)
"""A statement that gives a thing one value, in words."""
_STATUS = re.compile(r"^(?:the|our|my) (?P<thing>[\w'’ -]{2,40}?) status is (?P<value>[^,;:]+?)[.!]*$", re.IGNORECASE)
_TENTATIVE = re.compile(
    r"^(?:I['’]m|we['’]re|I am|we are) (?:thinking(?: of| about)?|considering|leaning towards?) (?P<value>.+?)"
    r"(?= for (?:the|our|my) |[.!]*$)",
    re.IGNORECASE,
)
_RETRACTED = re.compile(
    r"[\"'“‘](?P<quoted>\S.{6,300}?\S)[\"'”’] (?:is|was|were|are)(?: now)?(?: based on)? "
    r"(?:\w+ ){0,2}(?:wrong|incorrect|outdated|invalid|void|mistaken|no longer (?:true|valid|correct)|a mistake)\b",
    re.IGNORECASE,
)
"""A sentence that quotes a statement and says that it is wrong."""


@dataclass(frozen=True, slots=True)
class Completed:
    text: str
    """The text with each correction completed."""
    replaced: dict[str, str]
    """Digest of each completed sentence, and of each one that retracts something → that of the sentence it replaces."""
    retracting: frozenset[str] = frozenset()
    """Digests of those that only say that something is wrong."""


def completed(text: str, earlier: Sequence[str], *, asked: bool = False) -> Completed:
    """Completes the corrections of a message. `earlier`: the messages of the same speaker before it, oldest first.
    `asked`: it follows a question, so a value alone is an answer."""
    known = [sentence for message in earlier[-LOOKS_BACK:] for sentence in _sentences(message)]
    named = [sentence for message in earlier[-NAMES_BACK:] for sentence in _sentences(message)]
    told = _sentences(text)
    found: list[tuple[str, str | None]] = []
    for last, sentence in zip([None, *told], told, strict=False):
        before = [*known, *(new for new, _ in found)]
        new = _complete(sentence, last, before, asked) or _named_again(sentence, last, named)
        found.append(new or (sentence, _retracted(sentence, known)))
    replaced = {sentence_digest(new): sentence_digest(old) for new, old in found if old}
    retracting = frozenset(sentence_digest(new) for new, old in found if old and not new.startswith(MARK))
    return Completed(" ".join(new for new, _ in found), replaced, retracting)


def chained(messages: Sequence[str]) -> list[str]:
    """The messages of one speaker, oldest first, with the corrections among the last of them completed."""
    done: list[str] = []
    for message in messages[-NAMES_BACK:]:
        done.append(completed(message, done).text if may_correct(message) else message)
    return done


def may_correct(text: str) -> bool:
    """Whether one of its sentences looks like a correction or a retraction."""
    if len(text) > _MOST_CHARS:
        return False
    told = _sentences(text)
    pairs = zip([None, *told], told, strict=False)
    return any(
        _OFF.match(s) or _RETRACTED.search(s) or corrections(s, before) or admitted(s, before) or _restates(s)
        for before, s in pairs
    )


def _restates(sentence: str) -> bool:
    """Whether it may be an earlier sentence with another value: "as of today the backup runs at 4am"."""
    return says_change(sentence) and bool(_values(sentence)) and not is_unreal(sentence) and not adds(sentence)


def sentence_digest(sentence: str) -> str:
    """Equal for sentences with the same words. It does not reveal them."""
    return digest(" ".join(stating_words(sentence.removeprefix(MARK)))).hex()


def says(text: str, wanted: str) -> bool:
    """Whether the text, or one of its sentences, has this digest."""
    return any(sentence_digest(part) == wanted for part in (text, *_sentences(text)))


def corrects(text: str, statement: str) -> bool:
    """Whether the text is the statement with another value, and says that it is a correction."""
    if not text.startswith(MARK) or text == statement:
        return False
    corrected = text.removeprefix(MARK)
    return any(_has_gap(value, corrected, statement) for value in _values(corrected))


@lru_cache(maxsize=1024)
def _values(text: str) -> tuple[str, ...]:
    words = text.rstrip(".!").split()
    hinted = list(map(may_be_value, words))
    spans = ((start, end) for start in range(len(words)) for end in range(start + 1, min(start + 4, len(words)) + 1))
    spans = (span for span in spans if any(hinted[slice(*span)]))
    return tuple(value for start, end in spans if type_of(value := " ".join(words[start:end])))


def _has_gap(value: str, corrected: str, statement: str) -> bool:
    """Whether both are the same sentence, apart from their only value of the type."""
    one, other = _gapped(value, corrected), _gapped(value, statement)
    return one is not None and one == other


def _gapped(value: str, text: str) -> list[str] | None:
    """The words with a gap at the value that this one can replace."""
    type = type_of(value)
    place = place_of(value, type, text) if type else None
    return stating_words(f"{text[: place[0]]} gap {text[place[1] :]}") if place else None


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for _, sentence in sentences(text) if sentence.strip()]


def _complete(sentence: str, last: str | None, before: Sequence[str], asked: bool) -> tuple[str, str] | None:
    """The completed sentence and the one it replaces."""
    if _OFF.match(sentence):
        off = _called_off(before[-1]) if before else None
        return (off, before[-1]) if off else None
    for found in corrections(sentence, last):
        if found.form == "bare" and asked:
            continue
        opened = found.paired or (last is not None and is_cue(last))
        statement = _statement_for(found, before[:-1] if opened else before)
        place = _place(found, statement) if statement else None
        if statement and place and not is_same_value(statement[slice(*place)], found.value):
            return _with(found, sentence, statement, place), statement
    return _restated(sentence, before) if _restates(sentence) else None


def _named_again(sentence: str, last: str | None, known: Sequence[str]) -> tuple[str, str] | None:
    """The completed sentence and the only earlier one that it corrects, if it names the thing again."""
    found = admitted(sentence, last)
    if found is None or is_unreal(found.text) or adds(found.text):
        return None
    places = {statement: place for statement in known if (place := corrected_place(found, statement))}
    if len(places) != 1:
        return None
    [(statement, (value, (start, end)))] = places.items()
    return f"{MARK}{_LABEL.sub('', statement[:start].removeprefix(MARK))}{value}{statement[end:]}", statement


def _restated(sentence: str, before: Sequence[str]) -> tuple[str, str] | None:
    new = f"{MARK}{without_opening(sentence)}"
    old = next((statement for statement in reversed(before) if corrects(new, statement)), None)
    return (new, old) if old else None


def _with(found: Correction, sentence: str, statement: str, place: tuple[int, int]) -> str:
    """The statement with the new value. Who said the old one, and that it was tentative, is left out."""
    start, end = place
    if found.form == "decided":
        return f"{MARK}{without_opening(sentence).rstrip('.! ')}{statement[end:]}"
    return f"{MARK}{_LABEL.sub('', statement[:start].removeprefix(MARK))}{found.value}{statement[end:]}"


def _statement_for(found: Correction, before: Sequence[str]) -> str | None:
    """The last statement that the correction can be about. A question, or a statement with several values of the type,
    ends the search; so does any other statement, if only words are corrected."""
    type = type_of(found.value)
    for statement in reversed(before):
        if _place(found, statement):
            return statement
        ambiguous = type and found.form in ("bare", "changed", "reported", "named") and has_value(type, statement)
        if statement.endswith("?") or ambiguous or (found.form == "changed" and not type):
            return None
    return None


def _place(found: Correction, statement: str) -> tuple[int, int] | None:
    """Where the statement has the value that is corrected; None if it is not sure."""
    match found.form:
        case "instead":
            return _phrase(found.old or "", statement)
        case "same verb":
            return _after_preposition(found, statement)
        case "same act":
            return _actor(found, statement)
        case "decided":
            return _group(_TENTATIVE.match(statement.removeprefix(MARK)), statement)
        case "named":
            return _named(found, statement)
        case "bare" | "reported":
            return _typed(found, statement)
        case "changed":
            return _typed(found, statement) if type_of(found.value) else _in_words(found, statement)


def _typed(found: Correction, statement: str) -> tuple[int, int] | None:
    type = type_of(found.value)
    return place_of(found.value, type, statement) if type else None


def _named(found: Correction, statement: str) -> tuple[int, int] | None:
    """The statement must name the same thing."""
    if type_of(found.value) in _SLOTS.get((found.thing or "").lower(), ()):
        return _typed(found, statement)
    thing = set(analyze_query(found.thing or "").content)
    if not thing or not thing <= set(analyze_query(statement).content):
        return None
    if type_of(found.value):
        return _typed(found, statement)
    status = _STATUS.match(statement.removeprefix(MARK))
    if status and status["thing"].lower() == (found.thing or "").lower():
        return _group(status, statement)
    gives = _GIVES.match(statement.removeprefix(MARK))
    return _group(gives, statement) if gives and _is_short(found.value) else None


def _in_words(found: Correction, statement: str) -> tuple[int, int] | None:
    gives = _GIVES.match(statement.removeprefix(MARK))
    return _group(gives, statement) if gives and _is_short(found.value) and not holds_value(gives["value"]) else None


def _group(match: re.Match[str] | None, statement: str) -> tuple[int, int] | None:
    ahead = len(statement) - len(statement.removeprefix(MARK))
    return (match.start("value") + ahead, match.end("value") + ahead) if match else None


def _is_short(value: str) -> bool:
    return len(value.split()) <= _MOST_WORDS


def _phrase(phrase: str, statement: str) -> tuple[int, int] | None:
    """Where the only occurrence of a phrase is."""
    found = list(re.finditer(rf"(?<!\w){re.escape(phrase.rstrip('.'))}(?![\w%])", statement, re.IGNORECASE))
    return found[0].span() if len(found) == 1 else None


def _after_preposition(found: Correction, statement: str) -> tuple[int, int] | None:
    """ "Ship them to Antwerp" after "Ship the samples to Rotterdam"."""
    if not re.match(rf"(?:please )?{found.verb}\b", statement.removeprefix(MARK), re.IGNORECASE):
        return None
    places = list(re.finditer(rf"\b{found.at} (?P<value>[^,;:]+?)(?= (?:on|at|by|from|to|for)\b|[.!,;]*$)", statement))
    return places[0].span("value") if len(places) == 1 else None


def _actor(found: Correction, statement: str) -> tuple[int, int] | None:
    """ "Viktor is leading it" after "Nora is leading the migration"."""
    who = re.match(rf"(?:{MARK})?(?P<value>[A-Z]\w+(?: [A-Z]\w+)?) {found.verb}\b", statement)
    return who.span("value") if who else None


def _retracted(sentence: str, known: Sequence[str]) -> str | None:
    """The earlier sentence that this one quotes and calls wrong."""
    found = _RETRACTED.search(sentence)
    quoted = " ".join(stating_words(found["quoted"])) if found else ""
    for statement in reversed(known) if quoted else ():
        words = " ".join(stating_words(statement))
        if quoted in words and len(quoted) >= _MOST_OF_IT * len(words):
            return statement
    return None


def _called_off(statement: str) -> str | None:
    if event := _EVENT.match(statement):
        return f"{MARK}{event['what']} is off."
    if plan := _PLAN.match(statement):
        return f"{MARK}{plan['who']} no longer {plan['what']}"
    return None
