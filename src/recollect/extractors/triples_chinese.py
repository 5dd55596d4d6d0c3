"""The subject, attribute and value of a Chinese sentence that gives a single-valued attribute.

The attributes have the same names as in English, so that an update may come in either language.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.extractors.triples import USER, Triple

_KIN = (
    "妈妈|爸爸|母亲|父亲|哥哥|弟弟|姐姐|妹妹|儿子|女儿|老公|丈夫|老婆|妻子|男朋友|女朋友|上司|下属|同事|室友|朋友|猫|狗"
)
# A name contains no function word. 他 and 她 are left out: the sentence does not say who they are.
_NAME = "(?:(?![我你他她它们的是在去年月日昨今明上下])[\u4e00-\u9fff]){2,3}?"
_PERSON = f"(?P<person>我们?(?:的?(?:{_KIN}))?|{_NAME})"
_NOW = "(?:现在|目前|已经|最近|刚刚|刚|又|去年|今年|上个月|上周|昨天|[0-9一二三四五六七八九十]{1,4}[月年日号])*"
_REST = "(?P<value>(?:[^，。！；,.!;]|[.,](?=\\w))+?)"
_COUNT = "[0-9一二两三四五六七八九十百]+"
_END = "(?:了|的)?(?=[，。！；!;]|[,.](?!\\w)|$)"

_PERSON_RULES: tuple[tuple[str, str], ...] = (
    ("live in", f"{_PERSON}{_NOW}住在了?{_REST}{_END}"),
    ("live in", f"{_PERSON}{_NOW}搬(?:到|去|来)了?{_REST}{_END}"),
    ("work at", f"{_PERSON}{_NOW}在{_REST}(?:工作|上班|任职){_END}"),
    ("is called", f"{_PERSON}(?:的?名字)?(?:叫做?|名叫){_REST}{_END}"),
    ("age", f"{_PERSON}{_NOW}(?P<value>{_COUNT})岁{_END}"),
    ("number of {0}", f"{_PERSON}{_NOW}有(?P<value>{_COUNT})[个只条头辆位](?P<of>[^，。]{{1,4}}){_END}"),
)  # fmt: skip
_SETTING = "地点|时间|日期|职业|单位|电话|邮箱|生日|年龄|学历|地址|名字|密码|版本|状态|负责人|价格|限制|端口"
_THING = "(?P<thing>[^，。我你他她]{2,10}?)"
_THING_RULES: tuple[str, ...] = (
    f"(?P<owner>我们?)的?{_THING}(?:现在|目前)?(?:是|为|改成|改为|变成|换成)了?{_REST}{_END}",
    f"(?P<owner>我们?)?{_THING}(?:改成|改为|改到|变成|换成|调整为|提高到|降到|推迟到)了?{_REST}{_END}",
    f"(?P<thing>[^，。我你他她]{{2,16}}?(?:{_SETTING}))(?:是|为){_REST}{_END}",
    f"{_THING}(?:是|为)(?P<value>[^，。]*[0-9一二三四五六七八九十][^，。]*?){_END}",
)
_NOT_SO = re.compile("不|没|想|打算|希望|可能|也许|如果|以前|曾经|小时候|出生|要|会(?=[去来是有在做想再把给跟和])")
_NOT_A_HOME = re.compile("办公室|座位|教室|公司|部门|小组|前排|沙发|酒店|宾馆|医院|朋友家")
_MINE = re.compile(rf"我们?的?({_KIN})")


@cache
def _rules() -> tuple[tuple[tuple[str, re.Pattern[str]], ...], tuple[re.Pattern[str], ...]]:
    people = tuple((attribute, re.compile(source)) for attribute, source in _PERSON_RULES)
    return people, tuple(re.compile(source) for source in _THING_RULES)


def chinese_triple(sentence: str, speaker: str | None = None) -> Triple | None:
    """The triple that holds now, or None. Wishes, negations and the past give None."""
    bare = sentence.strip()
    if _NOT_SO.search(bare.replace("要求", "")):
        return None
    people, things = _rules()
    for attribute, pattern in people:
        match = pattern.match(bare)
        if match:
            of = match.groupdict().get("of") or ""
            if attribute == "live in" and _NOT_A_HOME.search(match["value"]):
                return None
            return Triple(_who(match["person"], speaker), attribute.format(of), match["value"])
    for pattern in things:
        match = pattern.match(bare)
        if match:
            owner = match.groupdict().get("owner")
            subject, attribute = (_who(owner, speaker), match["thing"]) if owner else (match["thing"], "is")
            return Triple(subject, attribute, match["value"])
    return None


def _who(words: str, speaker: str | None) -> str:
    me = (speaker or USER).lower()
    if words in ("我", "我们"):
        return me
    mine = _MINE.fullmatch(words)
    return f"{me}'s {mine[1]}" if mine else words
