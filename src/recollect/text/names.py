"""Finds names of people, places and things in English text by their capital letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.text.sentences import sentences
from recollect.text.stopwords import ENGLISH

_CAPITAL = "A-ZÀ-ÖØ-ÞĀĆČĎĐĒĚĞİŁŃŇŌŐŘŚŞŠŤŪŮŹŻŽА-Я"
_NAME_WORD = rf"[{_CAPITAL}](?:[\w’'\-]*\w|\.(?=\s[{_CAPITAL}])|)"
# "University of Oslo", "Ludwig van Beethoven". "And" joins two names, so it is not in this list.
_INSIDE = "of|of the|de|del|de la|van|van der|von|der|di|da|bin|al"
_RUN = re.compile(rf"(?<![\w@#/.]){_NAME_WORD}(?: (?:(?:{_INSIDE}) )?{_NAME_WORD})*")
_POSSESSIVE = re.compile(r"[’']s?$")
_FIRST_LETTER = re.compile(r"[^\W\d_]")
# What follows a subject: a verb in the third person, or an auxiliary.
_VERB_AFTER = re.compile(
    rf"[’']s\b| (?:and|or) [{_CAPITAL}]| (?:(?:really|also|just|always|never|often|usually|still|now|once|already) )?"
    r"(?:is|was|has|had|does|did|will|can|could|would|should|must|might|isn[’']t|wasn[’']t|doesn[’']t|didn[’']t|"
    r"won[’']t|can[’']t|said|told|went|got|came|made|took|bought|met|saw|gave|left|ran|wrote|"
    r"[a-z]{2,}(?:[^s\W]s|ed))\b"
)
_ALL_CAPS_SHARE = 0.6

_CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december mon tue tues wed thu thurs fri sat sun jan feb mar apr jun jul "
    "aug sep sept oct nov dec today yesterday tomorrow tonight".split()
)
# Ordinary words that often start a sentence, besides the function words.
_OPENERS = frozenset(
    """
    add after again ago all almost already always among another anyone anything apart around ask avoid away
    basically because before best better between big book both bring build buy by call change check choose
    clean click close come common compare consider cook create currently daily day dear definitely delete
    depending describe despite do due during each early either else enjoy ensure even eventually every everyone
    everything exactly except explain few finally first focus following fortunately four generally given go
    going good got great half happy hello here honestly hope hopefully however ideally imagine in including
    indeed initially inside instead interesting just keep kind last lastly late lately later learn leave less
    let life list local long look looking lots love luckily main make many meanwhile more morning most mostly
    move mr mrs ms dr prof much near nearly need never new next nice nobody none normally nothing note notice
    now obviously often old once one only open otherwise outside overall part people perhaps place plan play
    possibly prefer previously probably put quick quite rather read recently remember run sadly save say second
    see send set several similarly simple since six sometimes soon sorry sounds speaking start still stop sure
    take talk technically ten thank thanks therefore things think third three throughout thus time today
    together tonight took tried try turn two under unfortunately unless unlike until update use usually wait
    want watch we week weekend welcome went whatever whenever wherever whether within without wonderful work
    working would wow write yesterday yet
    """.split()
)
# Openers that names can begin with too: New York, Great Britain.
_BEGIN_NAMES = frozenset({"New", "Great", "Old", "Big", "Long", "Good", "Best"})
_CONTRACTION = re.compile(r"(?:n['’]t|['’]\w*)$")
# "ca", "wo" and "sha" are left of "can't", "won't" and "shan't" without the ending.
_FUNCTION = ENGLISH | _CALENDAR | {"ca", "wo", "sha", "mr", "mrs", "ms", "dr", "prof"}


def find_names(text: str) -> list[tuple[int, str]]:
    """Position and text of each name, in order.

    A single capitalised word at the start of a sentence counts only if it is capitalised elsewhere too,
    or if it is not an ordinary word and a verb follows.
    """
    runs = [run for start, sentence in sentences(text) for run in _sentence_runs(start, sentence)]
    sure = {word for _, name, certain in runs if certain for word in name.split()}
    return [(start, name) for start, name, certain in runs if certain or name in sure]


def _sentence_runs(offset: int, sentence: str) -> Iterator[tuple[int, str, bool]]:
    """The capitalised runs of a sentence: position, name, and whether it is certainly a name."""
    if _is_all_caps(sentence):
        return
    first = _FIRST_LETTER.search(sentence)
    for match in _RUN.finditer(sentence):
        opens = first is not None and match.start() == first.start()
        start, name = _trimmed(match, opens)
        if name:
            doubtful = opens and start == match.start() and " " not in name and not _is_acronym(name)
            certain = not doubtful or _is_subject(sentence, start, name)
            yield offset + start, name, certain


def _trimmed(match: re.Match[str], opens: bool) -> tuple[int, str]:
    """The run without ordinary words at its ends: "Yesterday Ada" → "Ada", "I" → ""."""
    words, start = match[0].split(" "), match.start()
    while words and _is_ordinary(words[0], opens) and not (words[1:] and words[0] in _BEGIN_NAMES):
        start += len(words.pop(0)) + 1
    while words and (_is_ordinary(words[-1]) or words[-1].islower()):
        words.pop()
    return start, _POSSESSIVE.sub("", " ".join(words))


def _is_ordinary(word: str, opens: bool = False) -> bool:
    if _is_acronym(word):  # IT, WHO and US are names
        return False
    bare = _CONTRACTION.sub("", word.lower())
    return bare in _FUNCTION or (opens and bare in _OPENERS)


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper() and word.isalpha()


def _is_subject(sentence: str, start: int, word: str) -> bool:
    lowered = word.lower()
    if _is_ordinary(lowered, opens=True) or lowered.endswith(("ing", "ly")):
        return False
    return _VERB_AFTER.match(sentence, start + len(word)) is not None


def _is_all_caps(sentence: str) -> bool:
    """Whether most letters are capitals, so that a capital does not indicate a name."""
    letters = list(filter(str.isalpha, sentence))
    capitals = sum(map(str.isupper, letters))
    return len(letters) > 12 and capitals > _ALL_CAPS_SHARE * len(letters)
