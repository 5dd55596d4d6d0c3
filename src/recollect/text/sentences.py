"""Splits English and Chinese text into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

# In German, a full stop after a number does not end a sentence: "am 3. Mai", "am 3. bin ich weg".
_ORDINAL = (
    r"(?<=\d\.)(?=\s(?:[a-zäöü]|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember))"
)
_END = re.compile(rf"(?:[.!?…]+(?!{_ORDINAL})[\"'”’)\]]*(?=\s)|[。！？；]+[”’」』）]*|\n+)")
_END_MARK = re.compile("[.!?…。！？；\n]")
# A full stop after these, or after a single initial as in "J. Smith", does not end a sentence.
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|approx|e\.g|i\.e|fig|inc|ltd|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|(?-i:[A-HJ-Z]))\.$",
    re.IGNORECASE,
)
_ABBREVIATION_WINDOW = 8
# Longer sentences are cut, so that work per sentence is bounded.
LONGEST_SENTENCE = 400


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The start of each sentence, and the sentence as written, with its end mark."""
    start = 0
    for stop in _stops(text):
        for cut in range(start, stop, LONGEST_SENTENCE):
            yield cut, text[cut : min(stop, cut + LONGEST_SENTENCE)]
        start = stop


def _stops(text: str) -> Iterator[int]:
    for end in _END.finditer(text) if _END_MARK.search(text) else ():
        stop = end.end()
        if not _ABBREVIATION.search(text[max(0, stop - _ABBREVIATION_WINDOW) : stop]):
            yield stop
    yield len(text)
