"""Runs of Chinese, Japanese and Korean, which are written with few or no spaces.

The index holds every overlapping bigram of a run, and also each Han and Hangul character by itself,
so that a word of one character (猫, 茶, 물) is found inside a run. A query has bigrams only, plus single
characters that stand alone between function words, so it stays short. Both also have the English of
the Chinese words (chinese_to_english.py). So words with the same meaning (买, 采购) match, and an
English question finds a Chinese note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from recollect.text.chinese_to_english import RUN, translated_words
from recollect.text.stopwords import CHINESE, ENGLISH, JAPANESE
from recollect.text.words import token_terms

# Han with 々 and 〇, kana without their punctuation, Hangul syllables.
CJK_CLASS = (
    "\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_KANA_FIRST, _KANA_LAST = "\u3041", "\u31ff"


def is_bigram(term: str) -> bool:
    """Whether a term is two characters of a run. They may belong to two different words."""
    return len(term) == 2 and all(character >= "\u3005" for character in term)


def without_cross_word_bigrams(terms: Sequence[str], known: Mapping[str, int]) -> list[str]:
    """The terms without bigrams that span two words. `known` counts how often a term occurs in the corpus.

    A bigram spans two words if it occurs nowhere and overlaps with a bigram that occurs. An unknown bigram without
    such an overlap (血型) is a word that is not in the corpus; it is kept.
    """
    bigrams = [term for term in terms if is_bigram(term) and known.get(term)]
    firsts, lasts = {bigram[0] for bigram in bigrams}, {bigram[1] for bigram in bigrams}
    return [t for t in terms if known.get(t) or not is_bigram(t) or not (t[0] in lasts or t[1] in firsts)]


@cache
def _function_words() -> re.Pattern[str]:
    return re.compile(f"{CHINESE}|{JAPANESE}")


def _stands_alone(character: str) -> bool:
    """Whether one character of this script can be a word; a lone kana is a particle."""
    return not _KANA_FIRST <= character <= _KANA_LAST


def index_terms(run: str) -> list[str]:
    """The terms of one run, in reading order: 我的猫 → 我 我的 的 的猫 猫."""
    if len(run) == 1:
        return [run, *_english_terms(run)]
    terms = []
    for position, character in enumerate(run):
        if _stands_alone(character):
            terms.append(character)
        pair = run[position : position + 2]
        if len(pair) == 2:
            terms.append(pair)
    return [*terms, *_english_terms(run)]


def query_terms(run: str) -> list[tuple[str, bool]]:
    """The terms to search for, each with whether it is a function word or contains a part of one."""
    if len(run) == 1:
        return [(run, _function_words().fullmatch(run) is not None), *_english_query_terms(run)]
    function = _function_characters(run)
    terms = []
    for position, is_function in enumerate(function):
        if _is_island(function, position) and _stands_alone(run[position]):
            terms.append((run[position], is_function))
        if position + 1 < len(run):
            terms.append((run[position : position + 2], is_function or function[position + 1]))
    return [*terms, *_english_query_terms(run)]


def _english_query_terms(run: str) -> list[tuple[str, bool]]:
    return [(term, False) for term in _english_terms(run)]


def _english_terms(run: str) -> list[str]:
    """The terms of the English translation of each Chinese word, without function words of either language."""
    if not RUN.fullmatch(run):
        return []
    found: list[str] = []
    for word, english in translated_words(run):
        if english != word and not _function_words().fullmatch(word):
            found += _terms_of_english(english)
    return found


@cache
def _terms_of_english(english: str) -> tuple[str, ...]:
    plain = (word for word in english.replace("/", " ").split() if word.lower() not in ENGLISH)
    return tuple(dict.fromkeys(term for word in plain for term in token_terms(word)))


def _function_characters(run: str) -> list[bool]:
    marks = [False] * len(run)
    for match in _function_words().finditer(run):
        marks[match.start() : match.end()] = [True] * (match.end() - match.start())
    return marks


def _is_island(marks: list[bool], position: int) -> bool:
    """Whether both neighbours are of the other kind (function word or not), so that no bigram holds the character."""
    kind = marks[position]
    before = position == 0 or marks[position - 1] is not kind
    after = position + 1 == len(marks) or marks[position + 1] is not kind
    return before and after
