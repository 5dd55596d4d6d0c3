"""Rules for dates in Chinese.

上周二 is the Tuesday of the last calendar week, whatever today is. For 周二 alone, the tense decides.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache

from recollect.text import calendar_spans as spans
from recollect.text.calendar_spans import Span
from recollect.text.date_rules import DateContext, Kind, Resolver, Rule
from recollect.text.numbers import number_value

_NUMERAL = "[0-9零〇一二两三四五六七八九十百]"
_YEAR = r"(?P<year>(?:19|20)\d\d|[一二][零〇九][零〇一二三四五六七八九]{2})年"
_MONTH = rf"(?P<month>{_NUMERAL}{{1,2}})月(?:份)?"
_DAY = rf"(?P<day>{_NUMERAL}{{1,3}})[日号]"
_COUNT = rf"(?P<count>{_NUMERAL}{{1,3}}|半|几)"
_UNIT = "(?P<unit>分钟|小时|天|日|周|星期|礼拜|月|年)"
_SHIFTED_YEAR = "(?P<shifted_year>大前年|前年|去年|今年|本年|明年|后年)"
_SHIFTED_MONTH = "(?P<shifted_month>上上个?|上个?|这个?|本|当|下下个?|下个?)月"
_SHIFT = "(?P<shift>上上个?|上个?|这个?|本|下下个?|下个?)"
_WEEK = "(?:周|星期|礼拜)"
_WEEKDAY = "(?P<weekday>[一二三四五六日天])"
_SEASON = "(?P<season>春|夏|秋|冬)[天季]"

_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_DAYS = {
    "大前天": -3, "前天": -2, "前晚": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1,
    "今天": 0, "今日": 0, "今晚": 0, "今早": 0, "今晨": 0,
    "明天": 1, "明日": 1, "明晚": 1, "明早": 1, "后天": 2, "大后天": 3,
}  # fmt: skip
_HOLIDAYS = {
    "元旦": (1, 1),
    "情人节": (2, 14),
    "劳动节": (5, 1),
    "儿童节": (6, 1),
    "教师节": (9, 10),
    "国庆节": (10, 1),
    "国庆": (10, 1),
    "平安夜": (12, 24),
    "圣诞节": (12, 25),
    "圣诞": (12, 25),
}


def _group(match: re.Match[str], name: str) -> str | None:
    return match.groupdict().get(name)


def _number(match: re.Match[str], name: str) -> int:
    value = number_value(match[name])
    if value is None:
        raise ValueError(f"{match[name]} is not a number")
    return value


def _shift(word: str) -> int:
    return _SHIFTS[word.removesuffix("个")]


def _year(match: re.Match[str], context: DateContext) -> int | None:
    shifted = _group(match, "shifted_year")
    if shifted:
        return context.today.year + _YEARS[shifted]
    return _number(match, "year") if _group(match, "year") else None


def _day(match: re.Match[str], context: DateContext) -> Span:
    year, number, day = _year(match, context), _number(match, "month"), _number(match, "day")
    return spans.day(date(year, number, day) if year else context.resolve_day(number, day))


def _month(match: re.Match[str], context: DateContext) -> Span:
    year, number = _year(match, context), _number(match, "month")
    return spans.month(year, number) if year else context.resolve_month(number)


def _whole_year(match: re.Match[str], context: DateContext) -> Span:
    return spans.year(_year(match, context) or context.today.year)


def _season(match: re.Match[str], context: DateContext) -> Span:
    return spans.season(_year(match, context) or context.today.year, _SEASONS[match["season"]])


def _shifted_month(match: re.Match[str], context: DateContext) -> Span:
    whole = spans.month(context.today.year, context.today.month + _shift(match["shifted_month"]))
    return spans.day(whole[0].replace(day=_number(match, "day"))) if _group(match, "day") else whole


def _week(match: re.Match[str], context: DateContext) -> Span:
    return spans.week(context.today, _shift(match["shift"]))


def _weekend(match: re.Match[str], context: DateContext) -> Span:
    shift = _group(match, "shift")
    if shift:
        return spans.weekend(context.today, _shift(shift))
    this = spans.weekend(context.today)
    passed = context.tense != "future" and this[0] > context.today
    return spans.weekend(context.today, -1) if passed else this


def _weekday(match: re.Match[str], context: DateContext) -> Span:
    weekday, shift, today = (
        "一二三四五六日".index(match["weekday"].replace("天", "日")),
        _group(match, "shift"),
        context.today,
    )
    if shift:
        return spans.day(spans.week(today, _shift(shift))[0] + timedelta(days=weekday))
    ahead = context.tense == "future"
    return spans.day((spans.weekday_after if ahead else spans.weekday_before)(today, weekday))


def _counted(match: re.Match[str]) -> tuple[str, int, int]:
    """The unit, and the smallest and largest count: 几 is a few, 半年 is six months."""
    word, unit = match["count"], match["unit"]
    if word == "半":
        return {"年": ("month", 6, 6), "月": ("week", 2, 2)}.get(unit, ("day", 0, 0))
    fewest, most = (2, 5) if word == "几" else (_number(match, "count"),) * 2
    if unit in ("分钟", "小时"):  # spans are whole days
        return "day", 0, most // 24 if unit == "小时" else 0
    return _UNITS[unit], fewest, most


def _ago(match: re.Match[str], context: DateContext) -> Span:
    return spans.ago(context.today, *_counted(match))


def _ahead(match: re.Match[str], context: DateContext) -> Span:
    unit, fewest, most = _counted(match)
    return spans.ago(context.today, unit, -most, -fewest)


def _until_now(match: re.Match[str], context: DateContext) -> Span:
    unit, _, most = _counted(match)
    return spans.up_to_today(context.today, unit, most)


def _days_word(match: re.Match[str], context: DateContext) -> Span:
    return spans.days_from(context.today, _DAYS[match[0]])


def _day_alone(match: re.Match[str], context: DateContext) -> Span:
    return spans.day(context.resolve_day_of_month(_number(match, "day")))


def _holiday(match: re.Match[str], context: DateContext) -> Span:
    year, (number, day) = _year(match, context), _HOLIDAYS[match["holiday"]]
    return spans.day(date(year, number, day) if year else context.resolve_day(number, day, "past"))


_HOLIDAY = f"(?P<holiday>{'|'.join(_HOLIDAYS)})"

_ABSOLUTE: tuple[tuple[str, Resolver], ...] = (
    (rf"{_YEAR}{_MONTH}{_DAY}", _day),
    (rf"{_YEAR}{_MONTH}", _month),
    (rf"{_YEAR}(?![前后])", _whole_year),
    (rf"{_YEAR}的?{_SEASON}", _season),
    (rf"{_YEAR}的?{_HOLIDAY}", _holiday),
)

_PARTIAL: tuple[tuple[str, Resolver], ...] = (
    (rf"(?<!{_NUMERAL}){_MONTH}{_DAY}", _day),
    (rf"(?<![{_NUMERAL[1:-1]}个]){_MONTH}(?!前|后|以)", _month),
    (
        rf"(?<!{_NUMERAL})(?<![年月第])(?P<day>[0-9]{{1,2}}|[一二三]?十[一二三四五六七八九]?)号(?![线楼门房])",
        _day_alone,
    ),
    (_HOLIDAY, _holiday),
)

_RELATIVE: tuple[tuple[str, Resolver], ...] = (
    ("|".join(sorted(_DAYS, key=len, reverse=True)), _days_word),
    (rf"{_SHIFTED_YEAR}的?{_MONTH}{_DAY}", _day),
    (rf"{_SHIFTED_YEAR}的?{_MONTH}", _month),
    (rf"{_SHIFTED_YEAR}的?{_SEASON}", _season),
    (rf"{_SHIFTED_YEAR}的?{_HOLIDAY}", _holiday),
    (_SHIFTED_YEAR, _whole_year),
    (rf"{_SHIFTED_MONTH}的?(?:{_DAY})?", _shifted_month),
    (rf"{_SHIFT}{_WEEK}(?![一二三四五六日天末])", _week),
    (rf"{_SHIFT}?周末", _weekend),
    (rf"(?<!每)(?<!每个){_SHIFT}?{_WEEK}{_WEEKDAY}", _weekday),
    (rf"{_COUNT}个?{_UNIT}(?:之前|以前|前)", _ago),
    (r"前(?P<count>几)(?P<unit>天|周|年)", _ago),
    (r"前(?P<count>几)个(?P<unit>月|星期)", _ago),
    (rf"{_COUNT}个?{_UNIT}(?:之后|以后|后)", _ahead),
    (rf"(?:最近|过去|近|这)(?:的)?{_COUNT}个?{_UNIT}", _until_now),
)


@cache
def chinese_rules() -> tuple[Rule, ...]:
    groups: tuple[tuple[Kind, tuple[tuple[str, Resolver], ...]], ...] = (
        ("absolute", _ABSOLUTE),
        ("partial", _PARTIAL),
        ("relative", _RELATIVE),
    )
    return tuple(Rule(re.compile(pattern), resolve, kind) for kind, rules in groups for pattern, resolve in rules)
