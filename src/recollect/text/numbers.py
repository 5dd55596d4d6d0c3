"""Reads numbers in digits, in English words and in Chinese numerals."""

from __future__ import annotations

import re

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * place for place, word in enumerate(_TENS, start=2)
}
NUMBER_WORDS = tuple(_VALUES)
"""The words that English numbers are made of."""

# One English number in words, from "zero" to "ninety-nine".
ENGLISH_NUMBER = f"(?:(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_SMALL[1:10])})|{'|'.join((*_TENS, *_SMALL[::-1]))})"

_CHINESE_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CHINESE_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
CHINESE_NUMERAL = "[零〇一二两三四五六七八九十百千万]+"

_NUMBER = re.compile(
    rf"(?P<digits>\d+(?:,\d{{3}})*(?:\.\d+)?)"
    rf"|\b(?P<words>{ENGLISH_NUMBER})\b"
    rf"|(?P<chinese>{CHINESE_NUMERAL})",
    re.IGNORECASE,
)
# 一 is also an article (一下, 一起, 一样), and 万一 and 千万 are ordinary words. Alone they are not numbers.
_NOT_A_NUMBER = frozenset({"一", "千万", "万一", "万", "千", "百", "十"})


def english_value(words: str) -> int | None:
    """The value of "seven" or "twenty-one"; None for anything else."""
    total = 0
    for word in words.lower().replace("-", " ").split():
        if word not in _VALUES:
            return None
        total += _VALUES[word]
    return total if words.strip() else None


def chinese_value(numeral: str) -> int | None:
    """The value of 三十五 or, digit by digit, of 二〇二三; None for anything else."""
    if not re.fullmatch(CHINESE_NUMERAL, numeral):
        return None
    if not any(character in _CHINESE_SCALES for character in numeral):
        return int("".join(str(_CHINESE_DIGITS[character]) for character in numeral))
    total = digit = 0
    for character in numeral:
        if character in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[character]
        elif character == "万":
            total, digit = (total + digit) * 10_000, 0
        else:
            total, digit = total + (digit or 1) * _CHINESE_SCALES[character], 0
    return total + digit


def number_value(written: str) -> int | None:
    """The value of a whole number in digits, English words or Chinese numerals."""
    if written.isascii() and written.isdigit():
        return int(written)
    return english_value(written) if written.isascii() else chinese_value(written)


def find_numbers(text: str) -> list[str]:
    """Every number in `text`, in order, in plain digits: "1,000", "seven" → "1000", "7"."""
    return [number for match in _NUMBER.finditer(text) if (number := _in_digits(match))]


def with_digits(text: str) -> str:
    """`text` with every number in plain digits: "seven cats" → "7 cats"."""
    return _NUMBER.sub(lambda match: _in_digits(match) or match[0], text)


def _in_digits(match: re.Match[str]) -> str | None:
    if match["digits"]:
        return _plain(match["digits"].replace(",", ""))
    if match["words"]:
        return str(english_value(match["words"]))
    return None if match["chinese"] in _NOT_A_NUMBER else str(chinese_value(match["chinese"]))


def _plain(digits: str) -> str:
    """Without leading zeros and without trailing zeros after the point: 05.50 → 5.5."""
    whole, _, fraction = digits.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
