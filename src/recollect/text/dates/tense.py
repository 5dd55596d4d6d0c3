"""Which way from today does a date lie? The words around it decide."""

from __future__ import annotations

import re
from functools import cache
from typing import TypeAlias, cast

from .language import Cues, Sign, Tense, compiled

Place: TypeAlias = tuple[int, int]
"""Start and end in a sentence."""

_FEW_WORDS = 2
_WORD = "[\u4e00-\u9fff]|[^\\W\\d_]+"  # a Chinese character counts as a word


def clause_around(sentence: str, date: Place, cues: Cues) -> Place:
    """The clause that holds the date."""
    left, right = 0, len(sentence)
    for mark in compiled(cues.clause).finditer(sentence):
        if mark.end() <= date[0]:
            left = mark.end()
        elif mark.start() >= date[1]:
            right = mark.start()
            break
    return left, right


def tense_of(sentence: str, date: Place, core: int, cues: Cues, default: Tense) -> Tense:
    """The tense of the clause around a date. A clause with hardly any other words has that of the sentence.

    `core` is where the date begins after words such as "by". In the present tense and without a sign, it is the
    default; or None if there are hardly any words around the date.
    """
    left, right = clause_around(sentence, date, cues)
    before, inside = sentence[left:core], _nearest(sentence, (left, right), date, cues)
    if compiled(cues.past_before).search(before) and inside != "future":
        return "past"
    if compiled(cues.future_before).search(before):
        return "future"
    if inside is None and _is_fragment(sentence, (left, right), date):
        inside = _nearest(sentence, (0, len(sentence)), date, cues)
        default = None if inside is None and default == "future" else default
    return default if inside is None or inside == "present" else inside


def _is_fragment(sentence: str, clause: Place, date: Place) -> bool:
    others = sentence[clause[0] : date[0]] + " " + sentence[date[1] : clause[1]]
    return len(compiled(_WORD).findall(others)) <= _FEW_WORDS


def _nearest(sentence: str, clause: Place, date: Place, cues: Cues) -> Sign | None:
    """The sign nearest to the date."""
    signs = _signs(cues).finditer(sentence, *clause)
    found = [(_distance(sign.span(), date), sign) for sign in signs if not _is_inside(sign.span(), date)]
    if not found:
        return None
    _, nearest = min(found, key=lambda pair: pair[0])
    return cast(Sign, nearest.lastgroup)


@cache
def _signs(cues: Cues) -> re.Pattern[str]:
    return compiled("|".join(f"(?P<{tense}>{pattern})" for tense, pattern in cues.tenses))


def _distance(sign: Place, date: Place) -> int:
    return max(0, date[0] - sign[1], sign[0] - date[1])


def _is_inside(sign: Place, date: Place) -> bool:
    return date[0] <= sign[0] and sign[1] <= date[1]
