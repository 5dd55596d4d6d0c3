"""Finds numbers with units, and amounts of money."""

from __future__ import annotations

import re

# Units of measure, written out or abbreviated.
_UNITS = (
    "mm|cm|km|kg|mg|ml|lbs?|oz|ft|inch(?:es)?|miles?|meters?|metres?|kilometers?|kilometres?|kilograms?|grams?|"
    "liters?|litres?|pounds?|ounces?|feet|acres?|degrees?|seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|"
    "months?|years?|ms|[kKMGT]B|gigabytes?|megabytes?|GHz|MHz|kWh?|watts?|dollars?|euros?|bucks?|cents?|"
    "USD|EUR|GBP|percent|rows?|requests?|tokens?|users?|people|pages?|times|steps|calories|points"
)
_CHINESE_UNITS = (
    "元|块钱|块|美元|欧元|公里|千米|米|厘米|公斤|千克|克|斤|"
    "升|毫升|岁|小时|分钟|秒|天|周|个月|年|次|个人|页|平米|平方米|度"
)
# No quantity has more digits. The bound keeps the search linear for a page of digits.
_NUMBER = r"\d[\d,]{0,15}(?:\.\d{1,15})?"
_NUMERAL = "[一二两三四五六七八九十百千万]"
_QUANTITY = re.compile(
    rf"[$€£¥]\s?{_NUMBER}(?:\s?(?:k|m|bn|million|billion)\b)?"
    rf"|(?<![\w.]){_NUMBER}\s?(?:%|(?:{_UNITS})\b)"
    rf"|(?<!\d)(?:{_NUMBER}|(?<!{_NUMERAL}){_NUMERAL}{{1,12}})\s?(?:{_CHINESE_UNITS})"
)
_HINT = re.compile(rf"\d|{_NUMERAL}")


def find_quantities(text: str) -> list[tuple[int, str]]:
    """Position and text of each quantity, in order: "5 km", "$1,200", "30%", 三公里."""
    if not _HINT.search(text):
        return []
    return [(match.start(), match[0]) for match in _QUANTITY.finditer(text)]
