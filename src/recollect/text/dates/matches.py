"""Finds the words that name dates, in the language of the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from recollect.text.needed import Guarded, Several

from .chinese import CHINESE
from .context import Resolver, Rule
from .english import ENGLISH
from .french import FRENCH
from .german import GERMAN
from .language import Kind, Language, Patterns, compiled, folded
from .spanish import SPANISH

_WITH_SPACES = (ENGLISH, SPANISH, GERMAN, FRENCH)
_WORD, _DIGIT, _HAN = r"[^\W\d_]+", r"\d", "[\u4e00-\u9fff]"
_TABLES = {
    "month": "months",
    "weekday": "weekdays",
    "unit": "units",
    "word": "offsets",
    "season": "seasons",
    "holiday": "holidays",
}
"""Groups of which every pattern that has them needs a word → the table with these words."""
_HINT_WEIGHT = 2
"""A word for a time says more about the language than a frequent word."""


@dataclass(frozen=True, slots=True)
class Found:
    """A date in a sentence, not resolved yet."""

    match: re.Match[str]
    rule: Rule

    @property
    def start(self) -> int:
        return self.match.start()

    @property
    def end(self) -> int:
        return self.match.end()

    @property
    def core(self) -> int:
        """Where the date itself begins, after words such as "on the"."""
        named = (self.match.start(name) for name, value in self.match.groupdict().items() if value)
        return min(named, default=self.start)


@lru_cache(maxsize=256)  # a text is searched for dates first and for entities right after
def find(sentence: str) -> tuple[Found, ...]:
    """The dates of a sentence in order. Of overlapping matches, the longest is taken.

    They are chosen before they are resolved, so that 30 February 2023 is not read as February 2023.
    """
    text = folded(sentence)
    rules = [rule for language in languages(sentence) for rule in _rules_for(text, language)]
    found = [Found(match, rule) for rule in rules for match in rule.pattern.finditer(text)]
    dates = [each for each in _longest(found) if not _is_name(each)]
    return tuple(sorted(dates, key=lambda each: each.start))


def _is_name(found: Found) -> bool:
    """Whether a word for a month or weekday is part of a name: it and the word before it have a capital."""
    text, language = found.match.string, found.rule.language
    if not (language.lower_case and text[found.core].isupper()):
        return False
    before = compiled(_WORD).findall(text, 0, found.core)
    return bool(before) and before[-1][0].isupper() and before[-1].lower() not in language.common | language.hints


def _longest(found: Iterable[Found]) -> list[Found]:
    chosen: list[Found] = []
    for each in sorted(found, key=lambda each: (each.start - each.end, each.start)):
        if all(each.end <= other.start or other.end <= each.start for other in chosen):
            chosen.append(each)
    return chosen


def _rules_for(text: str, language: Language) -> Iterable[Rule]:
    """The rules that may match, by the words of the text. Chinese has no spaces, so all of its rules may."""
    if language is CHINESE:
        return _rules(language)
    words, has_digit = _words(text), compiled(_DIGIT).search(text) is not None
    rules = _rules(language)
    return [
        rule
        for rule in (rules[n] for n in _guards(language).likely(text))
        if (has_digit or not rule.needs_digit) and not any(need.isdisjoint(words) for need in rule.needs)
    ]


@cache
def _rules(language: Language) -> tuple[Rule, ...]:
    groups: tuple[tuple[Kind, Patterns], ...] = (
        ("absolute", language.absolute),
        ("partial", language.partial),
        ("relative", language.relative),
    )
    return tuple(
        _rule(compiled(pattern), resolve, kind, language) for kind, patterns in groups for pattern, resolve in patterns
    )


@cache
def _guards(language: Language) -> Several:
    return Several(Guarded(rule.pattern.pattern, re.IGNORECASE) for rule in _rules(language))


def _rule(pattern: re.Pattern[str], resolve: Resolver, kind: Kind, language: Language) -> Rule:
    needs = tuple(_words_of(language, name) for name in _TABLES if name in pattern.groupindex)
    return Rule(pattern, resolve, kind, language, needs, needs_digit=kind == "absolute")


@cache
def _words_of(language: Language, group: str) -> frozenset[str]:
    """The words of which a match of the group has at least one. German joins words to weekdays: Montagabend."""
    table: Iterable[str] = getattr(language, _TABLES[group])
    names = tuple(table)
    joined = [hint for hint in language.hints if group == "weekday" and hint.startswith(names)]
    single = [word for name in names for word in _words(name) if word not in language.common or word == name]
    return frozenset((*joined, *single))


@lru_cache(maxsize=256)
def languages(sentence: str) -> tuple[Language, ...]:
    """The languages whose rules apply. None for most sentences, because they name no date."""
    found = [] if (language := _with_spaces(sentence)) is None else [language]
    if not sentence.isascii() and compiled(_HAN).search(sentence) and not CHINESE.hints.isdisjoint(sentence):
        found.append(CHINESE)
    return tuple(found)


def _with_spaces(sentence: str) -> Language | None:
    """The language with the most frequent words in the sentence, if it may name a date; of several, the first."""
    words = _words(folded(sentence))
    has_digit = compiled(_DIGIT).search(sentence) is not None
    if not has_digit and all(language.hints.isdisjoint(words) for language in _WITH_SPACES):
        return None
    likely = max(_WITH_SPACES, key=lambda language: _evidence(language, words))
    return likely if has_digit or not likely.hints.isdisjoint(words) else None


def _words(text: str) -> list[str]:
    return compiled(_WORD).findall(text.lower())


def _evidence(language: Language, words: list[str]) -> int:
    frequent = sum(word in language.common for word in words)
    return frequent + _HINT_WEIGHT * sum(word in language.hints for word in words)
