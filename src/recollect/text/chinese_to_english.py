"""Translates Chinese to English word by word, for an embedding model that reads only English.

`glosses.tsv` is our own list: Chinese words, the most common first, each with its most usual English translation in
notes and chats, or `-` for words without a translation. `traditional.tsv` maps traditional characters to simplified
ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

RUN = re.compile("[\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_KANA = re.compile("[\u3041-\u30ff]")
_MAX_CHARACTERS = 4096
"""Of a text with Chinese. The model reads less than that."""
_LONGEST_WORD = 8
_NO_TRANSLATION = "-"
_PUNCTUATION = str.maketrans("，。？！：；、（）“”", ',.?!:;,()""')


def translate_chinese(text: str) -> str:
    """The text with each Chinese word in English. Text with kana is Japanese and is not changed."""
    if not RUN.search(text) or _KANA.search(text):
        return text
    english = RUN.sub(
        lambda run: f" {' '.join(english for _, english in translated_words(run[0]))} ", text[:_MAX_CHARACTERS]
    )
    return " ".join(english.translate(_PUNCTUATION).split())


def translated_words(run: str) -> Iterator[tuple[str, str]]:
    """The words of a run of Chinese, each with its English. Words without a translation are left out."""
    glosses = _glosses()
    for word in _words(run.translate(_simplified())):
        english = glosses.get(word, word)
        if english != _NO_TRANSLATION:
            yield word, english


def _words(run: str) -> list[str]:
    """Splits a run into its most likely words. The further down the list, the rarer a word (Zipf's law)."""
    rarity, unknown = _rarity()
    cheapest, begins = [0.0], [0]
    for end in range(1, len(run) + 1):
        start = end - 1
        least = cheapest[start] + rarity.get(run[start], unknown)
        for begin in range(end - 2, max(0, end - _LONGEST_WORD) - 1, -1):
            cost = rarity.get(run[begin:end])
            if cost is not None and cheapest[begin] + cost <= least:
                least, start = cheapest[begin] + cost, begin
        cheapest.append(least)
        begins.append(start)
    found, end = [], len(run)
    while end:
        found.append(run[begins[end] : end])
        end = begins[end]
    return found[::-1]


@cache
def _rarity() -> tuple[dict[str, float], float]:
    """The logarithm of each word's place in the list, and the value for a character that is not in the list."""
    found = {word: math.log(place) for place, word in enumerate(_glosses(), start=2)}
    return found, math.log(len(found) + 2)


@cache
def _glosses() -> dict[str, str]:
    return dict(_pairs("glosses.tsv"))


@cache
def _simplified() -> dict[int, str]:
    return {ord(traditional): simplified for traditional, simplified in _pairs("traditional.tsv")}


def _pairs(name: str) -> Iterator[tuple[str, str]]:
    for line in files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines():
        left, _, right = line.partition("\t")
        yield left, right
