"""Dates in English.

Weeks begin on Monday. "Last Tuesday" is the latest Tuesday before today, "next Friday" the Friday of the next
calendar week, "this Friday" the one in the current week. 5/6/2023 is read in the American order, month first.
"""

from __future__ import annotations

from recollect.text.numbers import ENGLISH_NUMBER

from . import resolvers as r
from .language import (
    LAST_YEAR,
    WEEKEND,
    WORKDAYS,
    YEAR,
    YEAR_FIRST,
    Cues,
    Joints,
    Language,
    Patterns,
    Repeat,
    either,
    numbered,
    one_of,
    words,
)

_FULL_MONTHS = numbered("january february march april may june july august september october november december", 1)
_SHORT_MONTHS = numbered("jan feb mar apr _ jun jul aug sep/sept oct nov dec", 1)
_WEEKDAYS = numbered("monday tuesday wednesday thursday friday saturday sunday")
_SHORT_WEEKDAYS = numbered("mon tue/tues wed/weds thu/thur/thurs fri sat sun")
_COUNTED_UNITS = ("minute", "hour", "day", "week", "fortnight", "month", "year", "decade")
_UNITS = {f"{unit}{plural}": unit for unit in _COUNTED_UNITS for plural in ("", "s")} | {
    "weekend": "weekend",
    "quarter": "quarter",
    "half a year": "half-year",
    "half year": "half-year",
}
_OFFSETS = {
    "day before yesterday": -2, "yesterday": -1, "last night": -1,
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "tomorrow": 1, "tomorow": 1, "tommorow": 1, "tommorrow": 1, "tmrw": 1, "day after tomorrow": 2,
}  # fmt: skip
_SHIFTS = {
    "last": -1, "previous": -1, "past": -1, "this past": -1, "before last": -2,
    "this": 0, "current": 0,
    "next": 1, "coming": 1, "following": 1, "this coming": 1, "after next": 2,
}  # fmt: skip
_FEW = (2, 6)
_COUNTS = {
    "a": (1, 1), "an": (1, 1), "a couple": (2, 2), "a couple of": (2, 2), "couple": (2, 2), "couple of": (2, 2),
    "few": _FEW, "a few": _FEW, "several": (3, 7), "other": (2, 2), "second": (2, 2), "third": (3, 3),
}  # fmt: skip
_ORDINALS = numbered("first/1st second/2nd third/3rd fourth/4th fifth/5th", 1) | {"last": -1}
_HOLIDAYS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new year's day": (1, 1), "new year's": (1, 1),
    "valentine's day": (2, 14), "halloween": (10, 31),
}  # fmt: skip
_PARTS = {
    "early": "early", "beginning of": "early", "start of": "early",
    "mid": "mid", "middle of": "mid",
    "late": "late", "end of": "late",
}  # fmt: skip
_SEASONS = {"spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn", "winter": "winter"}

_FULL_MONTH = one_of(_FULL_MONTHS)
_MONTH = rf"(?P<month>{one_of(_FULL_MONTHS | _SHORT_MONTHS)})\b\.?"
_MONTHS = rf"(?P<month>{_FULL_MONTH}) ?(?:to|and|or|through|until|till|-|–) ?(?P<last_month>{_FULL_MONTH})"
_WEEKDAY = rf"(?P<weekday>{one_of(_WEEKDAYS)})"
# "mon", "sat" and "sun" are also other words, so a short form needs a word such as "on" before it.
_SHORT_WEEKDAY = rf"(?P<weekday>{one_of(_SHORT_WEEKDAYS)})\b"
_ORDINAL = "(?:st|nd|rd|th)"
_DAY = rf"(?P<day>\d{{1,2}}){_ORDINAL}?"
_TO_DAY = rf" ?(?:[-–]|to|or|through|until) ?(?:the )?(?P<last>\d\d?){_ORDINAL}?(?!\d|:|[ap]m)"
_DAY_MONTH = rf"\b(?:the )?{_DAY}(?:{_TO_DAY})?(?: of)? {_MONTH}"
_MONTH_DAY = rf"\b{_MONTH} (?:the )?{_DAY}(?!\d)(?:{_TO_DAY})?"
_NO_DAY = r"(?! (?:the )?\d\d?(?!\d|:))"
_COUNT = rf"(?P<count>\d{{1,3}}|{ENGLISH_NUMBER}|an?(?: couple(?: of)?| few)?|few|several|couple(?: of)?)"
_UNIT = rf"(?P<unit>(?:{'|'.join(_COUNTED_UNITS)})s?|half (?:a )?year)"
_SHIFT = r"(?P<shift>last|previous|this past|past|this coming|this|current|next|coming|following)"
_YEAR_SHIFT = "(?P<year_shift>last|this|next) year"
_PART = r"(?:the )?(?P<part>(?:early|mid|late)(?=[- ])|(?:beginning|start|middle|end) of)[- ]"
_NTH = rf"\b(?:on )?the (?P<ordinal>{one_of(_ORDINALS)}) {_WEEKDAY} (?:of|in) "
_SEASON = rf"(?P<season>{one_of(_SEASONS)})"
_HOLIDAY = rf"(?P<holiday>{one_of(_HOLIDAYS)})"
_BEFORE_MONTH = "in|during|since|until|till|by|before|after|from|around|about|of|for|maybe|come"
_BEFORE_YEAR = "in|during|since|until|till|by|before|after|from|around|year|end of|start of|beginning of"
_BEFORE_DAY = "on|by|until|till|to|from|before|after|since|around|about|through|for|between|and|or|is|was"
# One of these words after "in 2000" makes it a quantity, not a year.
_COUNTED = "words|people|users|dollars|euros|rows|items|steps|points|calories|km|miles|meters|tokens|times"
_NOT_A_DAY = "floor|street|avenue|century|time|page|try|place|attempt|anniversary|birthday|grade|row|of"
# "It will last two weeks" is a duration.
_VERB_LAST = "".join(f"(?<!{word} )" for word in ("will", "to", "can", "would", "could", "might", "should"))
_NOT_EVERY = "(?<!every )(?<!each )(?<!other )"

_ABSOLUTE: Patterns = (
    (YEAR_FIRST, r.full_date),
    (r"(?<![\d.])(?P<day>\d\d?)\.(?P<number>\d\d?)\.(?P<year>\d{4})(?!\.?\d)", r.full_date),
    (r"(?<![\d/.])(?P<first>\d\d?)/(?P<second>\d\d?)/(?P<year>\d{4}|\d\d)(?![\d/])", r.slashed_date),
    (rf"{_DAY_MONTH},? {YEAR}\b", r.named_day),
    (rf"{_MONTH_DAY},? {YEAR}\b", r.named_day),
    (rf"\b(?:{_PART})?{_MONTH}(?: of|,)? {YEAR}\b", r.named_month),
    (rf"\b{_MONTHS},? {YEAR}\b", r.months),
    (rf"\b(?:{_BEFORE_YEAR}) {YEAR}\b(?! (?:{_COUNTED})\b|[-.,]\d)", r.whole_year),
    (rf"\b(?:from|between) {YEAR} (?:to|and|until|till|through) {LAST_YEAR}\b", r.years),
    (rf"\b{_PART}{YEAR}\b", r.whole_year),
    (r"\b(?:the )?(?P<year>(?:19|20)\d0)s\b", r.decade),
    (rf"\b{_SEASON}(?: of|,)? {YEAR}\b", r.season),
    (rf"\bQ(?P<quarter>[1-4])(?: of)?[ -]?{YEAR}\b", r.quarter),
    (rf"\b{_HOLIDAY}(?: day)?,? (?:of )?{YEAR}\b", r.holiday),
)

_PARTIAL: Patterns = (
    (_DAY_MONTH, r.named_day),
    (rf"{_MONTH_DAY}\b(?!:\d| ?[ap]m\b)", r.named_day),
    (r"\b(?:on|by|until|till|from|since) (?P<first>\d\d?)/(?P<second>\d\d?)\b(?!/)", r.slashed_day),
    (rf"\b(?:{_BEFORE_MONTH}) (?P<month>{one_of(_FULL_MONTHS | _SHORT_MONTHS)})\b{_NO_DAY}", r.named_month),
    (rf"\b{_PART}(?P<month>{_FULL_MONTH})\b", r.named_month),
    (rf"\b{_MONTHS}\b", r.months),
    (rf"\b{_SHIFT} (?P<month>{_FULL_MONTH})\b", r.shifted_month),
    # The other months are also names or words: April, May, June, August, march.
    (
        rf"{_NOT_EVERY}\b(?P<month>january|february|july|september|october|november|december)\b{_NO_DAY}",
        r.named_month,
    ),
    (rf"\b(?:in|during) (?:the )?{_SEASON}\b", r.season),
    (
        rf"(?:\b(?:{_BEFORE_DAY})|^)(?: (?:around|about|maybe))? ?the {_DAY}(?<=[a-z])\b(?! (?:{_NOT_A_DAY})\b)",
        r.day_alone,
    ),
    (rf"{_NOT_EVERY}\b(?:{_SHIFT} |on )?{_HOLIDAY}\b", r.holiday),
    (r"\bQ(?P<quarter>[1-4])\b", r.quarter),
)

_RELATIVE: Patterns = (
    (rf"\b(?:the )?(?P<word>{one_of(_OFFSETS)})\b", r.offset),
    (r"\b(?:the )?day after(?! tomorrow)\b", r.next_day),
    (rf"\b{_COUNT}[ -]{_UNIT} (?:ago|back)\b", r.ago),
    (rf"\b{_COUNT} {_UNIT} from (?:now|today)\b", r.from_now),
    (rf"\bin {_COUNT} {_UNIT}(?:'s?)?(?: time)?\b", r.in_some_time),
    (rf"{_VERB_LAST}\b(?:the )?(?:last|past|previous) {_COUNT} {_UNIT}\b", r.until_now),
    (r"\b(?:the|this) past (?P<unit>week|month|year)\b", r.until_now),
    (rf"\b(?:{_PART})?(?:the )?{_SHIFT} (?P<unit>weekend|week|month|quarter|year)\b", r.unit),
    (r"\b(?:the )?(?P<unit>weekend|week|month|year) (?P<shift>before last|after next)\b", r.unit),
    (rf"\b{_PART}the (?P<unit>week|month|quarter|year)\b", r.unit),
    (r"\b(?:at|on|over|for) the (?P<unit>weekend)\b", r.weekend),
    (rf"{_NOT_EVERY}\b(?:(?:on )?(?:the )?{_SHIFT} |on |the )?{_WEEKDAY}\b(?! (?:of|in) (?:each|every))", r.weekday),
    (rf"\b(?:(?:on )?{_SHIFT}|on) {_SHORT_WEEKDAY}", r.weekday),
    (rf"\b(?:on )?{_WEEKDAY},? (?:of )?{_SHIFT} week\b", r.weekday_of_week),
    (rf"\b{_SHIFT} week(?:'s)?,? (?:on )?{_WEEKDAY}\b", r.weekday_of_week),
    (rf"\b(?:on )?(?:the )?{_WEEKDAY},? {_COUNT} {_UNIT} ago\b", r.weekday_ago),
    (rf"{_NTH}(?P<month>{_FULL_MONTH})(?: {YEAR})?\b", r.nth_weekday),
    (rf"{_NTH}(?:the |{_SHIFT} )(?P<unit>month)\b", r.nth_weekday),
    (rf"\b(?:a|one) week (?:on|from(?: on)?|this|next|after) {_WEEKDAY}\b", r.weekday_in_weeks(1)),
    (rf"\b(?:on )?{_WEEKDAY} week\b", r.weekday_in_weeks(1)),
    (rf"\b(?:two weeks|a fortnight) (?:on|from) {_WEEKDAY}\b", r.weekday_in_weeks(2)),
    (rf"\b(?:on )?the {_DAY} of (?P<month_shift>last|this|next) month\b", r.day_alone),
    (rf"\b{_SHIFT} {_SEASON}\b", r.season),
    (rf"\b(?:in )?(?P<month>{_FULL_MONTH})(?: of)? {_YEAR_SHIFT}\b", r.named_month),
    (rf"\b{_YEAR_SHIFT},? (?:in )?(?P<month>{_FULL_MONTH})\b", r.named_month),
)

_EVERY = r"\b(?:every|each)(?: single)? "
_TIMES = r"\b(?:once|twice|\w+ times) (?:a|per) "
_AND = "(?:,|,? and|,? or| ?/| ?&) "
_NAMED = rf"(?:{one_of(_WEEKDAYS)})"
_PLURAL = rf"(?:{one_of(_WEEKDAYS | _SHORT_WEEKDAYS)})s"
_REPEATS = (
    Repeat(rf"{_EVERY}{_NAMED}(?:{_AND}(?:every )?{_NAMED})*\b", "weekly"),
    Repeat(rf"\b(?:every|each) (?P<count>other|second|third) {_NAMED}\b", "weekly"),
    Repeat(rf"\b{_PLURAL}(?:{_AND}(?:on )?{_PLURAL})*\b", "weekly"),
    Repeat(r"\b(?:every|each|on) weekdays?\b|\bweekdays\b", "weekly", WORKDAYS),
    Repeat(r"\b(?:every|each) weekend\b|\b(?:on|at) (?:the )?weekends\b", "weekly", WEEKEND),
    Repeat(rf"{_EVERY}(?:day|morning|afternoon|evening|night|lunchtime)\b|\b(?:daily|nightly)\b", "daily"),
    Repeat(rf"{_EVERY}week\b|\bweekly\b|{_TIMES}week\b", "weekly"),
    Repeat(rf"{_EVERY}month\b|\bmonthly\b|{_TIMES}month\b", "monthly"),
    Repeat(rf"{_EVERY}(?:year|{_FULL_MONTH}|{one_of(_SEASONS)}|{one_of(_HOLIDAYS)})\b", "yearly"),
    Repeat(rf"\b(?:yearly|annually)\b|{_TIMES}year\b", "yearly"),
    Repeat(rf"\bevery (?P<count>other|second|third|\d|{ENGLISH_NUMBER}) (?P<unit>day|week|month|year)s?\b", "weekly"),
)

_IRREGULAR = words(
    """
    was|were|wasn't|weren't|did|didn't|had|hadn't|went|been|got|came|took|saw|met|made|bought|ate|said|told|gave|
    began|left|ran|found|felt|won|lost|spent|wrote|read|paid|sold|flew|drove|knew|thought|brought|caught|taught|
    kept|slept|sat|stood|heard|held|fell|broke|chose|spoke|woke|wore|grew|drew|threw|sang|swam|drank|sent|built|
    led|fed|shot|rode|rose|stole|tore|froze|forgot|hid|bit|became|done|gone|seen|taken|given|eaten|born|quit|hung|
    stuck|lent|dug|understood|used to|(?:should|would|could) have
    """
)
_NOT_PAST = words(
    """
    need|feed|seed|speed|indeed|hundred|exceed|proceed|succeed|breed|weed|naked|wicked|sacred|shed|sped|embed|
    fred|alfred|ahmed|jared|mohammed|mohamed|wilfred|winifred|united
    """
)
_FUTURE = words(
    r"""
    will|won't|shall|(?:is|are|am|'m|'re|'s|not) going to|gonna|plan(?:s|ning)? (?:to|for|on)|due|deadline|upcoming|
    appointment|remind me|(?:need|needs|has|have|want|wants|hope|hoping|supposed|about) to|looking forward|let's|
    can't wait|must|tomorrow|booked|reserved|scheduled|rescheduled|planned|invited|postponed|signed up|registered|
    enrolled|pencilled|arranged|(?:got|bought|have|has) (?:\w+ ){0,2}tickets
    """
)
_PRESENT = either(
    r"(?:\b(?:am|is|are|isn't|aren't|be|being|get|gets|getting)|[’'](?:m|re))(?: (?:\w+ly|so|not|all|just))? \w+ed\b",
    r"[’']s (?:closed|open|due|off|on|away)\b",
    r"(?:\b(?:have|has|haven't|hasn't)|[’'](?:ve|s)) got\b",
    words("am|is|are|isn't|aren't|do|does|don't|doesn't|can|can't|should"),
    r"[’'](?:m|re)\b|[’']s (?=\w+ing\b)|\b(?:it|that|he|she|there|here|who|what)[’']s\b",
)
_CUES = Cues(
    clause=r"[,;:()–—]|\.{2,}|…| - |\b(?:and|but|so|because|although|though|while|cause|cos)\b",
    tenses=(
        ("future", rf"{_FUTURE}|[’']ll\b|(?:\bwould|[’']d)(?! (?:have|like|been))\b"),
        ("present", _PRESENT),
        ("past", rf"{_IRREGULAR}|(?!{_NOT_PAST})\b[a-z]{{2,}}ed\b|\bago\b"),
    ),
    past_before=r"\b(?:since|back in|back on)(?: the)? *$",
    future_before=either(
        r"\b(?:by|due|due on|due by|before)(?: the)? *$",
        r"\b(?:moved|pushed|postponed|rescheduled|shifted|changed|delayed)(?: \w+)? (?:to|until|till)(?: the)? *$",
    ),
    uncertain=either(
        words(
            """
            maybe|perhaps|might|probably|possibly|likely|could be|not sure|unsure|no idea|think|guess|believe|roughly|
            approximately|sometime|some time (?:in|around|on|next|this)|
            tentatively|provisionally|either|or so|or thereabouts|if all goes well
            """
        ),
        r"(?<!in )(?-i:\bmay) (?:be|come|go|have|not|get|take|visit|move|start|arrive|happen)\b",
    ),
    around=r"\b(?:about the|(?:around|roughly|approximately|circa|ca\.?)(?: the)?) *$",
    around_after=r"^ ?(?:or so|or thereabouts|-?ish|give or take)\b",
)
_JOINTS = Joints(
    span=r",? *(?:to|through|thru|until|till|til|up to|-|–|—) *(?:the |on )?",
    choice=r",? *(?:or|/) *(?:maybe |perhaps |possibly |even )?(?:on |in )?(?:the )?",
    between=r"\bbetween (?:the )?$",
    both=r" *and (?:the )?",
    since=r"\b(?:since|from|starting|beginning|as of)(?: on| in)?(?: the)? *$",
    until=r"\b(?:until|till|til|through)(?: the)? *$",
)
_HINTS = """
    ago back now today tonight yesterday tomorrow tomorow tommorow tommorrow tmrw night morning afternoon evening
    christmas halloween valentine boxing eve weekday weekdays weekend weekends daily nightly weekly monthly yearly
    annually quarter lunchtime
"""
_COMMON = """
    the a an and or of to in on at is are was were i you he she it we they my your his her our their me him us them
    this that with for from not have has had will would can could be been do did so if but about what there when
    just like get got out up back all really some then than who how why as by one day am no on son plus die s t m d
"""

ENGLISH = Language(
    months=_FULL_MONTHS | _SHORT_MONTHS,
    weekdays=_WEEKDAYS | _SHORT_WEEKDAYS,
    units=_UNITS,
    offsets=_OFFSETS,
    shifts=_SHIFTS,
    nearest=frozenset({"last", "previous", "past", "this past", "coming", "this coming"}),
    counts=_COUNTS,
    ordinals=_ORDINALS,
    seasons=_SEASONS,
    holidays=_HOLIDAYS,
    parts=_PARTS,
    day_first=False,
    absolute=_ABSOLUTE,
    partial=_PARTIAL,
    relative=_RELATIVE,
    repeats=_REPEATS,
    cues=_CUES,
    joints=_JOINTS,
    hints=frozenset(
        [*_FULL_MONTHS, *_SHORT_MONTHS, *_WEEKDAYS, *_SHORT_WEEKDAYS, *_SEASONS, *_UNITS, *_HINTS.split()]
        + [f"{day}s" for day in (*_WEEKDAYS, *_SHORT_WEEKDAYS)]
    ),
    common=frozenset(_COMMON.split()),
)
