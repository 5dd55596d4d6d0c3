"""The facets of a Chinese sentence: personal information, preferences, events."""

from __future__ import annotations

import re
from functools import cache

from recollect.extractors.protocol import Facet

_KIN = (
    "妈妈|母亲|爸爸|父亲|父母|爸妈|哥哥|弟弟|姐姐|妹妹|儿子|女儿|孩子|丈夫|老公|妻子|老婆|爱人|男朋友|女朋友|爷爷|奶奶|外公|外婆|"
    "叔叔|阿姨|舅舅|姑姑|表[哥弟姐妹]|室友|邻居|老板|房东|上司|下属|同事|舅妈|婶婶|堂[哥弟姐妹]"
)
_JOB = (
    "老师|教师|医生|护士|工程师|程序员|会计|律师|学生|经理|设计师|作家|记者|司机|厨师|警察|研究员|教授|翻译|演员|画家|老板|职员|"
    "销售|科学家|公务员|店主|农民|工人|素食者|单身|独生子|独生女"
)

_PERSONAL = (
    "我叫|我姓|我的?(?:名字|全名)(?:是|叫)",
    rf"(?:我|他|她|{_KIN}|[\u4e00-\u9fff]{{2,3}})是(?:一[名个位])?[^，。]{{0,8}}(?:{_JOB})",
    "(?:我|他|她)是[^，。不]{1,6}人(?:$|[，。！])",
    "[一二三四五六七八九十\\d]+岁",
    "住在|住的是|租住|老家|出生[于在]|家乡|籍贯",
    "在[^，。]{1,12}(?:工作|上班|任职|当[^，。]{1,6}|实习|读书|上学)",
    "毕业于|毕业了|专业是|学的是|就读",
    f"我有[^，。]{{0,4}}(?:{_KIN}|猫|狗|兄弟|姐妹|糖尿病|高血压|哮喘|房|车)",
    "对[^，。]{1,8}过敏|我患有|我得了[^，。]{1,6}病",
    f"我的?(?:{_KIN})(?:[\u4e00-\u9fff]{{0,3}})?(?:是|在|住|叫|今年|有)",
    "我的?(?:生日|手机号|电话|邮箱|地址|身高|体重|年龄|职业|工资|血型|星座|车)(?:号码)?(?:是|为)",
    f"是我的?(?:{_KIN})|(?:{_KIN}|其|他|她)的?[^，。]{{0,4}}"
    "(?:生日|职业|学历|教育背景|工作地|单位|年龄|邮箱|电话|兴趣爱好|身高|体重)[^，。]{0,3}(?:是|为|叫|\\d)",
    "我身高|我体重|我会说|我会讲|我养了|我养着|我家有",
    "结了?的?婚|离了?婚|搬(?:到|去|家|来)|换了?工作|怀孕",
)
_PREFERENCE = (
    "喜欢|讨厌|爱[吃喝看听玩]|最爱|偏爱|钟爱|热爱|热衷|痴迷|反感|受不了|忍不了|不能忍",
    "感兴趣|(?:从来不|从不|一般不|很少|总是|习惯)(?!了)",
    "宁愿|宁可|希望你|以后请|请(?:一直|总是|始终)|倾向于",
    "我是[^，。]{1,8}(?:迷|粉丝|控|爱好者)",
    "我(?:不吃|不喝|只吃|只喝|只买)",
)
_DONE = "[去来看买卖吃喝见做参跑爬丢摔坏报通完结搬换开发给过滑游拍办修收送考赢输寄订签找打读学写玩住到升入离失断]"
_EVENT_VERB = (
    "去|来|参加|考试|旅游|旅行|出差|开会|见|看|买|"
    "体检|手术|搬|结婚|毕业|出发|回|面试|生日|聚会|比赛|发布|上线|开始|做|过|吃|打|飞|办"
)
# A finished action without a date: an action, an object, 了.
_SURE_EVENT = (
    f"(?:我们?|他们?|她们?|[\u4e00-\u9fff]{{2,3}})[^，。不没]{{0,10}}{_DONE}[^，。]{{0,3}}了(?!解)|"
    "刚刚?[^，。]{1,6}了|报名了|通过了|我们?(?:将要?|打算|计划|准备)(?:去|参加|出席|办)"
)
_NOT_AN_EVENT = (
    "我(?:明白|知道|懂|记住|了解|理解|习惯|养)了|每(?:天|周|月|年|个)|生日是|的生日|岁了?[。，]?$|好了|太[^，。]{1,4}了"
)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    sources = {
        "personal_info": "|".join(f"(?:{pattern})" for pattern in _PERSONAL),
        "preferences": "|".join(f"(?:{pattern})" for pattern in _PREFERENCE),
        "sure_event": _SURE_EVENT,
        "dated_event": f"{_EVENT_VERB}|[了过]|的婚|{_DONE}",
        "no_event": _NOT_AN_EVENT,
    }
    return {name: re.compile(source) for name, source in sources.items()}


def chinese_facets(sentence: str, dated: bool) -> tuple[Facet, ...]:
    """The facets of a statement. `dated`: whether it names a time."""
    patterns = _patterns()
    found: list[Facet] = []
    if patterns["personal_info"].search(sentence):
        found.append("personal_info")
    if patterns["preferences"].search(sentence):
        found.append("preferences")
    happens = patterns["dated_event" if dated else "sure_event"].search(sentence)
    if happens and not patterns["no_event"].search(sentence):
        found.append("events")
    return tuple(found)
