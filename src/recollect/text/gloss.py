"""What would a Chinese text be in English words? Word for word, for a model that reads only English.

`glosses.tsv` is our own list: Chinese words, commonest first, each with the English that most often stands for it in
notes and chats; `-` where there is nothing to say. `traditional.tsv` has traditional characters with their simplified
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
_READ = 4096
"""Characters of a text with Chinese: more than the model takes in."""
_LONGEST = 8
_NOTHING = "-"
_PUNCTUATION = str.maketrans("，。？！：；、（）“”", ',.?!:;,()""')


def glossed(text: str) -> str:
    """Each Chinese word in English; all else as it is. Text with kana is Japanese and left alone."""
    if not RUN.search(text) or _KANA.search(text):
        return text
    english = RUN.sub(lambda run: f" {' '.join(gloss for _, gloss in in_english(run[0]))} ", text[:_READ])
    return " ".join(english.translate(_PUNCTUATION).split())


def in_english(run: str) -> Iterator[tuple[str, str]]:
    """The words of a run of Chinese, each with its gloss; those with nothing to say left out."""
    glosses = _glosses()
    for word in _words(run.translate(_simplified())):
        gloss = glosses.get(word, word)
        if gloss != _NOTHING:
            yield word, gloss


def _words(run: str) -> list[str]:
    """The likeliest words that make it up: a word is as rare as its place in the list is far down (Zipf's law)."""
    rarity, unknown = _rarity()
    cheapest, begins = [0.0], [0]
    for end in range(1, len(run) + 1):
        start = end - 1
        least = cheapest[start] + rarity.get(run[start], unknown)
        for begin in range(end - 2, max(0, end - _LONGEST) - 1, -1):
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
    """Of each word the logarithm of its place, and that of a character which is in no list."""
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
