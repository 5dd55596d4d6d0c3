"""Finds the topics of a question that asks about several things: "my diet, my allergies and what the doctor said".

One vector for three topics is nearest to memories about one of them, so each topic is also searched on its own. Only a
list at the end of a question is split, and two questions that "and" joins. A list of things that belong together ("my
salt and pepper mills") stays whole. English, and Chinese lists with 、.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from .analyze import analyze_query

_MOST_CHARS = 300
_MOST_TOPICS = 4
"""Each topic costs a search. A longer list is pasted text."""
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)

_WH = r"(?:what|where|when|who|whose|which|how|why)"
_OWNER = rf"(?:my|our|your|his|her|their|the|(?!{_WH}['’])(?-i:[A-Z]\w+)['’]s)\s+\w"
_SUBJECT = r"(?:i|we|you|he|she|they|it|my|our|your|his|her|their|the|(?-i:[A-Z]\w+))\b"
_CLAUSE = rf"(?:what|where|when|who|which\s\w+|how(?:\s(?:much|many|long|often))?|why)\s+{_SUBJECT}"
_ITEM = re.compile(rf"^(?:{_OWNER}|{_CLAUSE})", re.I)
_START = re.compile(rf"(?<!\w)(?:{_OWNER}|{_CLAUSE})", re.I)
_JOINT = re.compile(r",?\s+(?:and(?:\s+also)?|as\s+well\s+as|plus)\s+|,\s+|;\s+", re.I)
_LAST = re.compile(r"\s(?:and|as\s+well\s+as|plus)\s", re.I)
_YES_OR_NO = rf"(?:is|are|was|were|has|have|had|do|does|did)\s+{_SUBJECT}"
_ASKS = re.compile(rf"^(?:{_WH}(?:['’]s)?\s+\S+\s+\S|{_YES_OR_NO})", re.I)
_QUESTIONS = re.compile(
    rf"\?\s+(?:and\s+)?|;\s+(?:and\s+)?|,?\s+and\s+(?:also\s+)?(?={_WH}\b)|,\s+and\s+(?={_YES_OR_NO})", re.I
)
_NEXT_QUESTION = re.compile(rf",\s+(?={_WH}\b)", re.I)
_POLITELY = r"^(?:(?:please|(?:can|could|would|will)\s+you|i(?:['’]d|\s+would)\s+like\s+you\s+to)\s+)*"
_INDIRECT = re.compile(
    rf"{_POLITELY}(?:(?:tell|remind|show)\s+(?:me|us)|explain|do\s+you\s+(?:know|remember)"
    rf"|i(?:['’]d\s+like|\s+would\s+like|\s+need|\s+want)\s+to\s+know)\s+(?={_WH}\b)",
    re.I,
)
"""What may stand before indirect questions: "remind me who …, and when …"."""
_LEAD = re.compile(
    rf"{_POLITELY}(?:(?:tell|remind|brief|update|inform)\s+(?:me|us)\s+(?:about|of|on)|explain|summari[sz]e|describe"
    r"|(?:what|how)\s+about|[^,;:]*\bknow\s+about)\s+|^[^,;:]+:\s+",
    re.I,
)
"""What may stand before three or more items without owners."""
_ASIDE = re.compile(r"\s+[-–—]\s.*$")
_SHORT = re.compile(rf"^(?!(?:{_WH}|please)\b)\w\S*(?:\s\S+){{0,4}}$", re.I)
_ONE_EVENT = re.compile(
    r"\b(?:do|does|did)\s*$|\b(?:between|from|versus|vs|compare\w*|differ\w*|same|both|together|meet|met|with|mix\w*"
    r"|combin\w*|join\w*|marr\w+|before|after|while)\b[^,;]*$",
    re.I,
)
"""What comes before a list whose things take part in one event or relation."""
_BETWEEN = re.compile(r"\b(?:between|among)\b", re.I)
_REFERS = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|there|that|this|those|these|ones?|else|same|other)\b",
    re.I,
)
_LAST_CLAUSE = re.compile(rf"^{_WH}\s+\w", re.I)
_ENDS_WITH_NAME = re.compile(r"\s[A-Z]\w+$")
_BELONGS = re.compile(r"^(?:his|her|their|[A-Z]\w+['’]s)\s")
_MOST_WORDS = 12
"""In a clause of a list; half of it in another item."""
_BARE = re.compile(r"^(?!(?:i|we|you|he|she|they|it)\b)[a-z][\w'’-]*(?:\s[\w'’-]+){0,2}$", re.I)

_CHINESE_LEAD = re.compile(
    r"^(?:请|能不能|可以)?(?:再)?(?:告诉我|说说|介绍一下|总结一下|提醒我)?(?:一下)?(?:关于|有关)?(?:你还?记得)?"
)
_CHINESE_TAIL = re.compile(r"(?:都|分别|各)?(?:是什么|有哪些|是多少|怎么样|如何|是谁|呢|吗|的情况|的事)?[？?。！!\s]*$")
_CHINESE_JOINT = re.compile(r"、|，?以及|，?还有|和|与|跟")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def question_topics(question: str) -> tuple[str, ...]:
    """The topics of a question, each as text to search for. Empty if it asks about one thing."""
    text = " ".join(question.split())
    if len(text) > _MOST_CHARS:
        return ()
    if _CHINESE.search(text):
        found = _chinese(text)
    else:
        found = _without_owners(text) or max(_questions(text), _listed(text), key=len)
    parts = tuple(dict.fromkeys(part.strip(" ,;:.?!？。，") for part in found))
    return parts if 1 < len(parts) <= _MOST_TOPICS and all(map(_tells, parts)) else ()


def stands_alone(topic: str) -> bool:
    """Whether it is a question that needs nothing of the whole one: "where do I work now", not "when did it end"."""
    return _is_question(topic) and not _REFERS.search(topic)


def _is_question(topic: str) -> bool:
    return bool(_LAST_CLAUSE.match(topic) or _ASKS.match(topic))


def topic_question(topic: str) -> str:
    """The topic as a question of its own, for a reader, which was trained on questions."""
    if _is_question(topic):
        return f"{topic[0].upper()}{topic[1:]}?"
    return f"{topic}是什么？" if _CHINESE.search(topic) else f"What do you know about {topic}?"


def _questions(text: str) -> Sequence[str]:
    """ "Where do I live, and when is my next appointment?", "Remind me who called and when the lease ends" """
    asked = _INDIRECT.sub("", text.rstrip(" ?.!"))
    parts = _QUESTIONS.split(asked)
    if len(parts) < 2 or not all(_ASKS.match(part) for part in parts) or _BETWEEN.search(parts[0]):
        return ()
    return [each for part in parts for each in _without_asides(part)]


def _without_asides(part: str) -> Sequence[str]:
    """ "When is the freeze, who is on call" are two; "where does my aunt, who is a nurse, work" is one."""
    several = _NEXT_QUESTION.split(part)
    return several if not any("," in each or not _ASKS.match(each) for each in several) else [part]


def _listed(text: str) -> Sequence[str]:
    """The items of a list at the end: each names its owner or is a clause. After a comma, a short bare item will do."""
    for start in _START.finditer(text):
        listed = text[start.start() :].rstrip(" ?.!")
        if not _LAST.search(listed):
            return ()
        items = _JOINT.split(listed)
        if len(items) > 1 and _are_items(items):
            return () if _ONE_EVENT.search(text[: start.start()]) or _BETWEEN.search(items[0]) else items
    return ()


def _without_owners(text: str) -> Sequence[str]:
    """ "Brief me on feature flags, staging and load tests", "For the crew: parking, thrones, lamps" """
    lead = _LEAD.match(text)
    listed = _ASIDE.sub("", text[lead.end() :]).rstrip(" ?.!") if lead else ""
    items = [item for item in _JOINT.split(listed.replace(", and ", ", ").replace(", plus ", ", ")) if item]
    if len(items) < 3 or not all(map(_SHORT.match, items)) or _BETWEEN.search(items[0]):
        return ()
    return items


def _are_items(items: Sequence[str]) -> bool:
    named = [bool(_ITEM.match(item)) for item in items]
    named[-1] = named[-1] or bool(_LAST_CLAUSE.match(items[-1]))
    short = [bool(_BARE.match(item)) for item in items]
    if any(map(_is_attached, items, items[1:])) or any(map(_is_sentence, items)):
        return False
    return all(named) or (len(items) > 2 and named[0] and all(a or b for a, b in zip(named, short, strict=True)))


def _is_attached(item: str, after: str) -> bool:
    """ "organised by John and his friends", "Evan and Sam's house" """
    return bool(_ENDS_WITH_NAME.search(item) and _BELONGS.match(after))


def _is_sentence(item: str) -> bool:
    most = _MOST_WORDS if _LAST_CLAUSE.match(item) else _MOST_WORDS // 2
    return len(item.split()) > most or ":" in item


def _chinese(text: str) -> Sequence[str]:
    """ "我的饮食、过敏史和医生的建议是什么？" """
    listed = _CHINESE_TAIL.sub("", _CHINESE_LEAD.sub("", text))
    items = _CHINESE_JOINT.split(listed) if "、" in listed else ()
    return items if all(1 < len(item) <= 12 for item in items) else ()


def _tells(topic: str) -> bool:
    """Whether it names something besides a date or a number."""
    from .dates import find_dates  # its patterns take time to compile

    for span in find_dates(topic, _ANY_DAY):
        topic = topic.replace(span.text, " ")
    return any(term.isalpha() for term in analyze_query(topic).content)
