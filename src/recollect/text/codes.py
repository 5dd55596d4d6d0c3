"""Finds the codes in a question: order numbers, tickets, versions, plates, phone numbers.

A code means one thing and nothing near it: FERRY-E209 says nothing about FERRY-E208. Times, dates, prices, years and
quantities are not codes.
"""

from __future__ import annotations

import re
import unicodedata

from recollect.text.analyze import analyze

_YEAR = r"(?:19|20)\d\d"
_CURRENCY = r"(?:[$€£¥₹]|(?:USD|EUR|GBP|CHF|JPY|CNY)\b)"
_NUMBER = r"(?<![\w.,\-])\d[\d.,]*"
# What has digits and is no code.
_NO_CODE = re.compile(
    rf"""
      [a-z][a-z0-9+.\-]{{0,19}}://\S+ | (?<!\S)\S+@\S+                        # address on the web, mail address
    | (?<![\w.])\d{{4}}[-/.]\d\d?[-/.]\d\d?(?:T[\d:.+]*Z?)?(?![\d-])          # 2026-05-12
    | (?<![\w.]){_YEAR}[-/.]\d\d?(?![\d-])                                    # 2026-05, 2024-25
    | (?<![\w.]){_YEAR}\s?[-/–]\s?{_YEAR}(?!\w)                               # 2019-2021
    | (?<![\w.\-/])\d\d?[./\-–]\d\d?(?:[./\-](?:\d{{4}}|\d\d))?\.?(?![\w\-]|[./]\d)  # 12/05, 9-5, 12.05.2025
    | (?<![\w.])\d\d?[:.h]\d\d(?::\d\d)?\s?(?:[ap]\.?m\b\.?)?(?![\d.]\d)      # 18:30, 7.15 pm
    | (?<!\w){_CURRENCY}\s?\d[\d.,]*\w* | {_NUMBER}\s?(?:[%‰°]|{_CURRENCY})    # price, share
    | {_NUMBER}\s?[x×]\s?\d[\d.,]*\w*                                        # 1920x1080
    | (?<![\w.,\-])\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?!\w)                    # 12,500
    """,
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
_ANNOUNCING = (
    r"order|ticket|invoice|receipt|booking|reservation|confirmation|tracking|parcel|shipment|serial|article|item|part|"
    r"sku|account|customer|member|membership|policy|contract|reference|ref|case|claim|incident|issue|bug|error|code|"
    r"pin|po|pr|permit|passport|iban|vin"
)
_DIGITS = r"\d{3,20}(?:-\d{1,20}){0,5}"
# The group is the code, after a word that announces it.
_ANNOUNCED = re.compile(
    rf"""
      \b(?:{_ANNOUNCING})\s(?:(?:number|code|id|no\.?|nr\.?)\s)?(?:is\s|:\s?)?\#?(?!{_YEAR}\b)({_DIGITS})(?![\w,.]*\w)
    | \b(?:version|release|firmware|build)\s(\d+(?:\.\d+)+|\d{{3,}})(?!\w)
    | (?:订单|单号|编号|发票|工单|票号)号?[是为：:]?\s?\#?({_DIGITS})
    | (?<![\w&])\#(\d{{2,20}})(?!\w)
    """,
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
_SHAPED = re.compile(
    r"""
      (?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)                           # IPv4
    | (?<![\w.])(?:v\d+(?:\.\d+)+|\d+\.\d+\.\d+)(?:-[\w.]+)?(?!\w)            # version
    | (?<!\w)\+\d[\d()./\- ]{5,20}\d(?!\w)                                    # phone numbers: +49 171 5550199
    | (?<![\w.\-])\(?0\d[\d()./\- ]{5,20}\d(?!\w)                             # 0171 555 0199
    | (?<![\w.\-])(?:\d{3}[-. ]\d{3}[-. ]\d{4}|\d{3}-\d\d(?!00)\d\d)(?![\w\-])  # 555-123-4567, 555-0199
    | (?<!\w)[A-Z]{2}\d\d\s[A-Z]{3}(?!\w)                                      # plates: KX21 ZPB
    | (?<!\w)[A-Z]{1,3}-[A-Z]{1,2}\s\d{1,4}(?!\w)                              # M-KL 4821
    | (?<!\w)[A-Z]{2}[- ]\d{3}[- ][A-Z]{2}(?!\w)                               # AB-123-CD
    """,
    re.VERBOSE | re.ASCII,
)
_TOKEN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*", re.ASCII)
_QUANTITY = re.compile(r"\d[\d.]*-?(?:[a-z]+|[A-Za-z]+)")
"""5kg, 64GB, 20th, 300-page."""
_WITH_A_YEAR = re.compile(rf"[A-Za-z]+\d?[-.]?{_YEAR}s?")
"""mid-1990s, Summer2024, FY2024, Q3-2024."""
_WORD_AND_NUMBER = re.compile(r"[a-z]+-(?:\d{1,3}|\d+00)")
"""top-100, sub-1500."""
_TICKET = re.compile(r"[A-Z]{2,}[-_]\d\d")
"""OPS-17, but not F-16."""
_ORDINARY = frozenset({"COVID-19"})
_LEAST_DIGITS = 3
_LEAST_BARE_DIGITS = 6
_LEAST_DIGITS_OF_TWO = 9
_PHONE_DIGITS = 8
"""A phone number is compared by its last digits: +49 171 … is 0171 …."""
_SEPARATOR = r"[\W_]{0,3}"


def find_codes(question: str) -> tuple[str, ...]:
    """The codes that a question names, as they are written."""
    text = unicodedata.normalize("NFKC", question)
    announced, text = _cut(_ANNOUNCED, text)
    _, text = _cut(_NO_CODE, text)
    shaped, text = _cut(_SHAPED, text)
    tokens = [(match.start(), match[0]) for match in _TOKEN.finditer(text) if _is_code(match[0])]
    return tuple(dict.fromkeys(written for _, written in sorted([*announced, *shaped, *tokens])))


def _cut(pattern: re.Pattern[str], text: str) -> tuple[list[tuple[int, str]], str]:
    """Position and text of what the pattern finds, and the text with blanks instead."""
    found = [(match.start(match.lastindex or 0), match[match.lastindex or 0]) for match in pattern.finditer(text)]
    return found, pattern.sub(lambda match: " " * len(match[0]), text)


def _is_code(token: str) -> bool:
    digits, letters = (sum(map(test, token)) for test in (str.isdigit, str.isalpha))
    if not letters:
        return _is_number_code(token, digits)
    if any(pattern.fullmatch(token) for pattern in (_QUANTITY, _WITH_A_YEAR, _WORD_AND_NUMBER)):
        return False
    return digits >= _LEAST_DIGITS or (_TICKET.fullmatch(token) is not None and token not in _ORDINARY)


def _is_number_code(token: str, digits: int) -> bool:
    """Two short numbers are a range, and a round number is a quantity."""
    is_range = token.count("-") == 1 and digits < _LEAST_DIGITS_OF_TWO
    return digits >= _LEAST_BARE_DIGITS and not is_range and "." not in token and not token.endswith("000")


def code_term(code: str) -> str | None:
    """The search term of the whole code. None if it is several words."""
    first = next(iter(analyze(code)), "")
    return first if _signs(first) == _signs(code.lower()) else None


def same_code(code: str) -> re.Pattern[str]:
    """Finds the code in a text, with any punctuation and case: FERRY E208 for FERRY-E208."""
    ways = [_spaced(code), *map(_alone, _telling_parts(code))]
    return re.compile("|".join(ways), re.IGNORECASE | re.ASCII)


def _spaced(code: str) -> str:
    signs = _signs(code)
    if all(map(str.isdigit, signs)) and len(signs) > _PHONE_DIGITS:
        return _SEPARATOR.join(signs[-_PHONE_DIGITS:]) + _edge("!", signs[-1])
    if re.match(r"v\d", code):
        signs = signs[1:]
    return _edge("<!", signs[0]) + _SEPARATOR.join(signs) + _edge("!", signs[-1])


def _signs(code: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9]", code)


def _edge(way: str, sign: str) -> str:
    """No further digit beside a digit, no further letter or digit beside a letter."""
    return f"(?{way}{'[0-9]' if sign.isdigit() else '[A-Za-z0-9]'})"


def _telling_parts(code: str) -> list[str]:
    """E208 of FERRY-E208, 4090 of RTX4090: what people write when they leave out the first part."""
    found = re.fullmatch(r"[A-Za-z]+(?:[-_]([A-Za-z]?\d{3,})|(\d{4,}))", code)
    return [part for part in found.groups() if part] if found else []


def _alone(part: str) -> str:
    """The part where no other code continues it."""
    return rf"(?<![\w-]){part}(?![\w-])"
