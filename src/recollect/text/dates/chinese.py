"""Dates in Chinese.

上周二 is the Tuesday of the last calendar week, whatever today is. For 周二 alone, the tense decides. A month
without a year and without a tense is one of the current year: for another year, people say so (去年, 明年).
"""

from __future__ import annotations

from . import resolvers as r
from .language import (
    LAST_YEAR,
    WEEKEND,
    WORKDAYS,
    YEAR_FIRST,
    Cues,
    Joints,
    Language,
    Patterns,
    Repeat,
    numbered,
    one_of,
)

_NUMERALS = "一 二 三 四 五 六 七 八 九 十 十一 十二"
_MONTHS = numbered(_NUMERALS, 1) | {f"{n:0{width}d}": n for n in range(1, 13) for width in (1, 2)}
_WEEKDAYS = numbered("一 二 三 四 五 六 日/天")
_UNITS = {
    "分钟": "minute", "小时": "hour", "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week",
    "周末": "weekend", "月": "month", "季度": "quarter", "年": "year",
    "半年": "half-year", "半个月": "fortnight", "半月": "fortnight",
}  # fmt: skip
_OFFSETS = {
    "大前天": -3, "前天": -2, "前晚": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1,
    "今天": 0, "今日": 0, "今晚": 0, "今早": 0, "今晨": 0,
    "明天": 1, "明日": 1, "明晚": 1, "明早": 1, "后天": 2, "大后天": 3,
}  # fmt: skip
_YEAR_SHIFTS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
_SHIFTS |= {f"{word}个": shift for word, shift in _SHIFTS.items()} | {"这一": 0, "上一": -1, "下一": 1}
_SHIFTS |= {f"{word}个": _SHIFTS[word] for word in ("这一", "上一", "下一")} | _YEAR_SHIFTS
_FEW = (2, 6)
_COUNTS = {
    "几": _FEW, "好几": (3, 7), "一两": (1, 2), "两三": (2, 3), "三四": (3, 4), "四五": (4, 5), "三五": (3, 5),
    "隔": (2, 2), "隔一": (2, 2),
}  # fmt: skip
_HOLIDAYS = {
    "元旦": (1, 1), "情人节": (2, 14), "妇女节": (3, 8), "劳动节": (5, 1), "五一": (5, 1), "儿童节": (6, 1),
    "教师节": (9, 10), "国庆节": (10, 1), "国庆": (10, 1), "十一假期": (10, 1), "平安夜": (12, 24),
    "圣诞节": (12, 25), "圣诞": (12, 25), "跨年夜": (12, 31),
}  # fmt: skip
_PARTS = {
    "初": "early", "上旬": "early", "中": "mid", "中旬": "mid", "底": "late", "末": "late", "下旬": "late",
}  # fmt: skip
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}

_ORDINALS = numbered("第一 第二 第三 第四 第五", 1) | {"最后一": -1}
_NUMERAL = "[0-9零〇一二两三四五六七八九十百]"
_NOT_NUMERAL = f"(?<!{_NUMERAL})"
_YEAR = r"(?P<year>(?:19|20)\d\d|[一二][零〇九][零〇一二三四五六七八九]{2})年"
_YEAR_SHIFT = rf"(?P<year_shift>{one_of(_YEAR_SHIFTS)})"
_MONTH_NUMBER = one_of(_MONTHS)
_MONTH = rf"(?P<month>{_MONTH_NUMBER})月(?:份)?"
_TWO_MONTHS = "(?P<month>[一二三四五六七八])、?(?P<last_month>[二三四五六七八九])月(?:份)?"
_DAY_NUMBER = "[0-9]{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_DAY = rf"(?P<day>{_DAY_NUMBER})[日号]"
_TO = "(?:到|至|[-—–~～])"
_LAST_DAY = rf"(?P<day>{_DAY_NUMBER})[日号]?{_TO}(?P<last>{_DAY_NUMBER})[日号]"
_COUNT = rf"(?P<count>{one_of(_COUNTS)}|{_NUMERAL}{{1,3}})"
_UNIT = "(?P<unit>分钟|小时|天|日|周|星期|礼拜|月|年)"
_HALF = "(?P<unit>半年|半个?月)"
_SHIFT = "(?P<shift>上上个?|上一?个?|这一?个?|本|下下个?|下一?个?)"
_MONTH_SHIFT = "(?P<month_shift>上上个?|上个?|这个?|本|当|下下个?|下个?)月"
_WEEK = "(?:周|星期|礼拜)"
_WEEKDAY = "(?P<weekday>[一二三四五六日天])"
_NOT_EVERY = "(?<!每)(?<!每个)(?<!逢)"
_SEASON = "(?P<season>春|夏|秋|冬)[天季]"
_HOLIDAY = f"(?P<holiday>{one_of(_HOLIDAYS)})"
_PART = f"(?P<part>{one_of(_PARTS)})"

_ABSOLUTE: Patterns = (
    (YEAR_FIRST, r.full_date),
    (rf"{_YEAR}{_MONTH}{_DAY}", r.named_day),
    (rf"{_YEAR}{_MONTH}{_LAST_DAY}", r.named_day),
    (rf"{_YEAR}{_MONTH}{_PART}?", r.named_month),
    (rf"{_YEAR}(?![前后])", r.whole_year),
    (rf"(?P<year>(?:19|20)\d\d)年?{_TO}{LAST_YEAR}年", r.years),
    (rf"{_YEAR}的?{_SEASON}", r.season),
    (rf"{_YEAR}的?{_HOLIDAY}", r.holiday),
)

_PARTIAL: Patterns = (
    (rf"{_NOT_NUMERAL}{_MONTH}{_DAY}", r.named_day),
    (rf"{_NOT_NUMERAL}{_MONTH}{_LAST_DAY}", r.named_day),
    (rf"(?<![{_NUMERAL[1:-1]}个]){_MONTH}{_PART}?(?!前|后|以|天)", r.named_month),
    (rf"{_NOT_NUMERAL}(?P<month>{_MONTH_NUMBER})月?{_TO}(?P<last_month>{_MONTH_NUMBER})月", r.months),
    (rf"{_NOT_NUMERAL}{_TWO_MONTHS}", r.months),
    (
        rf"{_NOT_NUMERAL}(?<![年月第])(?P<day>[0-9]{{1,2}}|[一二三]?十[一二三四五六七八九]?)号(?![线楼门房])",
        r.day_alone,
    ),
    (rf"{_NOT_NUMERAL}(?<![年月第]){_LAST_DAY}", r.day_alone),
    (_HOLIDAY, r.holiday),
    (rf"(?<![每一]){_SEASON}(?!的)", r.season),
)

_RELATIVE: Patterns = (
    (rf"(?P<word>{one_of(_OFFSETS)})", r.offset),
    (rf"{_YEAR_SHIFT}的?{_MONTH}{_DAY}", r.named_day),
    (rf"{_YEAR_SHIFT}的?{_MONTH}{_PART}?", r.named_month),
    (rf"{_YEAR_SHIFT}的?{_SEASON}", r.season),
    (rf"{_YEAR_SHIFT}的?{_HOLIDAY}", r.holiday),
    (_YEAR_SHIFT, r.whole_year),
    (rf"{_MONTH_SHIFT}的?{_DAY}", r.day_alone),
    (rf"{_MONTH_SHIFT}的?{_LAST_DAY}", r.day_alone),
    (rf"{_SHIFT}(?P<unit>月){_PART}?", r.unit),
    (rf"{_NOT_NUMERAL}(?<![个])(?P<unit>月)(?P<part>初|底|末|中旬)", r.unit),
    (rf"{_SHIFT}(?P<unit>周|星期|礼拜)(?![一二三四五六日天末])", r.unit),
    (rf"{_SHIFT}(?P<unit>周末)", r.unit),
    (rf"{_SHIFT}(?P<unit>季度)", r.unit),
    (r"(?<!每)(?<!每个)(?P<unit>周末)", r.weekend),
    (rf"{_NOT_EVERY}{_SHIFT}?{_WEEK}{_WEEKDAY}(?!次)", r.weekday),
    (rf"{_NOT_NUMERAL}{_MONTH}的?(?P<ordinal>{one_of(_ORDINALS)})个?{_WEEK}{_WEEKDAY}", r.nth_weekday),
    (rf"{_SHIFT}(?P<unit>月)的?(?P<ordinal>{one_of(_ORDINALS)})个?{_WEEK}{_WEEKDAY}", r.nth_weekday),
    (rf"{_COUNT}个?{_UNIT}(?:之前|以前|前)", r.ago),
    (rf"{_HALF}(?:之前|以前|前)", r.ago),
    (r"前(?P<count>几)(?P<unit>天|周|年)", r.ago),
    (r"前(?P<count>几)个(?P<unit>月|星期)", r.ago),
    (rf"(?:再?过|还有)?{_COUNT}个?{_UNIT}(?:之后|以后|后)", r.from_now),
    (rf"再?过{_COUNT}个?{_UNIT}(?!了)", r.from_now),
    (rf"{_HALF}(?:之后|以后|后)", r.from_now),
    (rf"(?:最近|过去|近|这)(?:的)?{_COUNT}个?{_UNIT}", r.until_now),
)

_LISTED = rf"(?:[、和跟与及，]?(?:每个?)?{_WEEK}?[一二三四五六日天](?!次))*"
_REPEATS = (
    Repeat(rf"每个?{_WEEK}一{_TO}{_WEEK}?五|工作日|平日", "weekly", WORKDAYS),
    Repeat(rf"(?:每个?|逢){_WEEK}[一二三四五六日天](?!次){_LISTED}", "weekly"),
    Repeat(rf"{_WEEK}[一二三四五六日天]{_LISTED}(?=[^，。]{{0,4}}(?:都|固定|总|一般|通常))", "weekly"),
    Repeat(r"每个?周末|周末(?=都|一般|通常)", "weekly", WEEKEND),
    Repeat(r"每天|每日|每晚|每早|天天|每个?(?:早上|晚上|早晨|清晨|中午|下午|上午)", "daily"),
    Repeat(rf"每个?{_WEEK}(?![一二三四五六日天末])|(?:一周|每周|一个?星期)[一两二三四五]次", "weekly"),
    Repeat(r"每个?月|月月|按月|一个月[一两二三]次", "monthly"),
    Repeat(r"每年|年年|逢年|一年[一两]次", "yearly"),
    Repeat(r"每?(?P<count>隔一|隔)个?(?P<unit>天|周|星期|月|年)", "weekly"),
    Repeat(r"每(?P<count>[两二三四五六])个?(?P<unit>天|周|星期|月|年)", "weekly"),
)  # fmt: skip

_FUTURE = (
    "将|打算|计划|准备|即将|截止|预约|预定|约[了好]|订[了好]|报[了好]?名|买[了好][^，。]{0,6}票|安排|会(?![议计员场])|要(?![求是么])|"
    "可能(?!是)|提醒|别忘了?|不要忘了?|记得|想(?![起到])|得[去交还]|必须|到期|过期|最晚|之前|快到"
)
_PAST = (
    "(?<![为除对算好])了(?![解不])|过(?![敏期年节生来去几两一二三四五六七八九十])|曾|已经|刚|当时|那时|"
    "是[^，。！？]{1,16}的(?=[，。！？]|$)"
)
_CUES = Cues(
    clause="[，；：（）,;:…。！？]|但是?|不过|所以|因为|而且|然后|结果",
    tenses=(("future", _FUTURE), ("past", _PAST)),
    uncertain="可能|也许|大概|或许|说不定|估计|好像|不确定|不一定|大约|差不多|没准|看情况|或者|要么|还是",
    around="(?:大概|大约|差不多|约|可能)(?:在|是)?$",
    around_after="^(?:左右|前后|上下)",
)
_JOINTS = Joints(
    span=rf" *(?:一直|[开待住放休忙玩办])?{_TO} *(?:周|星期|礼拜)?",
    choice=r" *(?:，|,)?(?:或者?|还是|要么|或是)(?:是)? *(?:周|星期|礼拜)?",
    since="(?:从|自|自从)$",
    until="(?:到|直到|至)$",
)

CHINESE = Language(
    months=_MONTHS,
    weekdays=_WEEKDAYS,
    units=_UNITS,
    offsets=_OFFSETS,
    shifts=_SHIFTS,
    counts=_COUNTS,
    seasons=_SEASONS,
    ordinals=_ORDINALS,
    holidays=_HOLIDAYS,
    parts=_PARTS,
    this_year=True,
    absolute=_ABSOLUTE,
    partial=_PARTIAL,
    relative=_RELATIVE,
    repeats=_REPEATS,
    cues=_CUES,
    joints=_JOINTS,
    hints=frozenset("年月日天周号晚早节期拜前后旦庆诞昨今明夜时分五每隔"),
)
