"""The marks that two texts must share to be the same statement, however close their vectors are.

An embedding hardly separates "limit is 100" from "limit is 200", or "Ada manages Bob" from "Bob manages
Ada". The marks are what differs: numbers, dates, names, who it is about, identifiers, negation,
opposites, and the order of things if the order carries the meaning. The comparison is strict: the same
statement in another order may be stored twice, but two different statements are never merged.
"""

from __future__ import annotations

import re

from recollect.text.analyze import is_stop
from recollect.text.identifiers import find_identifiers
from recollect.text.names import find_names, subjects
from recollect.text.names_chinese import find_chinese_names
from recollect.text.numbers import find_numbers
from recollect.text.words import fold, stem

_CLOCK = re.compile(r"\d ?([ap])\.?m\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def _groups(table: str) -> dict[str, str]:
    """Maps each word to the first word of its group. Commas separate the groups."""
    return {word: group.split()[0] for group in table.split(",") for word in group.split()}


_WHO = _groups(
    """
    i me my mine myself i'm i've i'd i'll, we us our ours we're we've we'll, you your yours you're you've,
    he him his he's he'd he'll, she her hers she's she'd she'll, they them their theirs they're they've,
    mother mom mum mama, father dad papa, brother, sister, son, daughter, wife, husband, partner, girlfriend,
    boyfriend, boss, manager, friend, colleague coworker, uncle, aunt, cousin, nephew, niece, neighbor neighbour,
    grandmother grandma, grandfather grandpa, roommate flatmate, teacher, doctor, dog, cat
    """
)
_WHEN = _groups(
    """
    monday mondays, tuesday tuesdays, wednesday wednesdays, thursday thursdays, friday fridays,
    saturday saturdays, sunday sundays, january jan, february feb, march mar, april apr, may, june jun,
    july jul, august aug, september sep sept, october oct, november nov, december dec,
    today, yesterday, tomorrow, tonight, morning, afternoon, evening, night, noon, midnight, spring, summer,
    autumn fall, winter, last previous, next upcoming, daily, weekly, monthly, yearly annually, weekday weekdays,
    weekend weekends, second seconds, minute minutes min mins, hour hours hr hrs, day days, week weeks,
    month months, year years, first, third, fourth, fifth
    """
)
_MEASURE = _groups(
    """
    km kilometer kilometers kilometre kilometres, mile miles, meter meters metre metres, kg kilogram kilograms,
    gram grams, pound pounds lb lbs, liter liters litre litres, dollar dollars usd, euro euros eur, gbp,
    percent, mb megabyte megabytes, gb gigabyte gigabytes, kb, tb, ms milliseconds, celsius, fahrenheit
    """
)
# Words with opposites. An embedder gives both similar vectors.
_OPPOSITE = _groups(
    """
    like likes liked love loves loved enjoy enjoys adore adores, hate hates hated dislike dislikes detest loathe,
    prefer prefers preferred, enable enabled enables, disable disabled disables, off, increase increased raise
    raised, decrease decreased reduce reduced lower lowered, open opened opens, close closed closes shut,
    start started starts begin began begins, stop stopped stops quit ended ends, allow allowed allows accept,
    deny denied forbid forbidden reject rejected block blocked, true, false, before, after, more, less fewer,
    minimum min, maximum max, good great, bad, best favorite favourite, worst, hot, cold, left, right, buy bought,
    sell sold, win won, lose lost, add added, remove removed delete deleted, early, late, married, divorced,
    single, pass passed, fail failed, always, sometimes, often, rarely seldom, import imports, export exports,
    north, south, east, west, hire hired, fire fired, vegan, vegetarian, up, down, in, out, joined, arrived,
    public, private, read, write, required, optional, old, new, push, pull, client, server
    """
)
_TABLES = {"is": _OPPOSITE, "measure": _MEASURE, "when": _WHEN, "who": _WHO}
_MARKS = {word: f"{kind}:{mark}" for kind, table in _TABLES.items() for word, mark in table.items()}

_NEGATIONS = frozenset("not no never none nobody nothing neither nor without cannot hardly barely".split())
# With these words, and with a negation, the order of the other words carries the meaning.
_ORDERING = frozenset("than over instead rather before after from prefer prefers preferred versus vs".split())
_FILLERS = frozenset("really very so that much too quite any ever even longer yet".split())

_CHINESE_MARK = re.compile(
    "我们|咱们|我|你|他|她|妈妈|母亲|爸爸|父亲|哥哥|弟弟|姐姐|妹妹|儿子|女儿|丈夫|老公|妻子|老婆|男朋友|女朋友|朋友|同事|老板|老师|"
    "周[一二三四五六日末]|星期[一二三四五六日天]|昨天|今天|明天|前天|后天|去年|今年|明年|上个?月|下个?月|早上|上午|下午|晚上|中午|"
    "喜欢|讨厌|最|更|开始|停止|戒|买|卖|结婚|离婚|单身|春天|夏天|秋天|冬天|每天|每周|每月|公里|公斤|小时|分钟|天|周|月|年"
)
_CHINESE_NEGATION = re.compile("(?:不再|不|没有|没|别|无|未|非)[\u4e00-\u9fff]{0,2}")
_CHINESE_ORDER = re.compile("比|胜过|而不是|不如|从.+到")


def statement_marks(text: str) -> frozenset[str]:
    """The marks of a text. Two texts are the same statement only if their marks are equal."""
    words = [fold(word.replace("’", "'")) for word in _WORD.findall(text)]
    names = [fold(name) for _, name in (*find_names(text), *find_chinese_names(text))]
    numbers = find_numbers(text)
    marks = {_MARKS[word] for word in words if word in _MARKS}
    marks |= {f"name:{name}" for name in (*names, *subjects(text))}
    marks |= {f"code:{written.lower()}" for _, written in find_identifiers(text)}
    marks |= {f"number:{number}" for number in numbers}
    marks |= {f"when:{half.lower()}m" for half in _CLOCK.findall(text)}
    marks |= _in_order("names", names) | _in_order("numbers", numbers)
    marks |= _polarity(words)
    if not text.isascii():
        marks |= _chinese_marks(text)
    return frozenset(marks)


def names_and_numbers(text: str) -> frozenset[str]:
    """The names, numbers and identifiers of a text. They separate Ada's invoice 1042 from Bob's 1043."""
    written = (*find_identifiers(text), *find_names(text), *find_chinese_names(text))
    return frozenset({fold(part) for _, part in written}.union(find_numbers(text)))


def _in_order(what: str, found: list[str]) -> set[str]:
    return {f"{what}:{'>'.join(found)}"} if len(found) > 1 else set()


def _polarity(words: list[str]) -> set[str]:
    """A mark for each negated word, and one for the order of all words if the order carries the meaning."""
    marks = set()
    for position, word in enumerate(words):
        if word in _NEGATIONS or word.endswith("n't"):
            denied = next((w for w in words[position + 1 :] if not is_stop(w) and w not in _FILLERS), "")
            marks.add(f"not:{stem(denied)}")
    if not _ORDERING.isdisjoint(words):
        marks.add("order:" + ">".join(stem(word) for word in words if not is_stop(stem(word))))
    return marks


def _chinese_marks(text: str) -> set[str]:
    marks = {f"说:{mark}" for mark in _CHINESE_MARK.findall(text)}
    marks |= {f"not:{denied}" for denied in _CHINESE_NEGATION.findall(text)}
    if _CHINESE_ORDER.search(text):
        marks.add(f"order:{''.join(re.findall('[一-鿿]+', text))}")
    return marks
