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

_OWNER = r"(?:my|our|your|his|her|their|the|(?-i:[A-Z]\w+)['’]s)\s+\w"
_SUBJECT = r"(?:i|we|you|he|she|they|it|my|our|your|his|her|their|the|(?-i:[A-Z]\w+))\b"
_CLAUSE = rf"(?:what|where|when|who|which\s\w+|how(?:\s(?:much|many|long|often))?|why)\s+{_SUBJECT}"
_ITEM = re.compile(rf"^(?:{_OWNER}|{_CLAUSE})", re.I)
_ASKS = re.compile(
    r"^(?:what|where|when|who|which|how|why)(?:['’]s\b|\s+(?:\w+\s+)?(?:do|does|did|is|are|was|were|has|have|had|can|could|will"
    r"|would|should)\b)",
    re.I,
)
_START = re.compile(rf"(?<!\w)(?:{_OWNER}|{_CLAUSE})", re.I)
_JOINT = re.compile(r",?\s+(?:and(?:\s+also)?|as\s+well\s+as|plus)\s+|,\s+|;\s+", re.I)
_LAST = re.compile(r"\s(?:and|as\s+well\s+as|plus)\s", re.I)
_QUESTIONS = re.compile(
    r"\?\s+(?:and\s+)?|;\s+(?:and\s+)?|,?\s+and\s+(?:also\s+)?(?=(?:what|where|when|who|which|how|why)\b)", re.I
)
_ONE_EVENT = re.compile(
    r"\b(?:do|does|did)\s*$|\b(?:between|from|versus|vs|compare\w*|differ\w*|same|both|together|meet|met|with|mix\w*"
    r"|combin\w*|join\w*|marr\w+|before|after|while)\b[^,;]*$",
    re.I,
)
"""What comes before a list whose things take part in one event or relation."""
_LAST_CLAUSE = re.compile(r"^(?:what|where|when|who|which|how|why)\s+\w", re.I)
_BARE = re.compile(r"^[a-z][\w'’-]*(?:\s[\w'’-]+){0,2}$", re.I)

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
    found = _chinese(text) if _CHINESE.search(text) else _questions(text) or _listed(text)
    parts = tuple(dict.fromkeys(part.strip(" ,;:.?!？。，") for part in found))
    return parts if 1 < len(parts) <= _MOST_TOPICS and all(map(_tells, parts)) else ()


def _questions(text: str) -> Sequence[str]:
    """ "Where do I live, and when is my next appointment?" """
    parts = _QUESTIONS.split(text.rstrip(" ?"))
    return parts if len(parts) > 1 and all(_ASKS.match(part) for part in parts) else ()


def _listed(text: str) -> Sequence[str]:
    """The items of a list at the end: each names its owner or is a clause. After a comma, a short bare item will do."""
    for start in _START.finditer(text):
        listed = text[start.start() :].rstrip(" ?.!")
        if not _LAST.search(listed):
            return ()
        items = _JOINT.split(listed)
        if len(items) > 1 and _are_items(items):
            return () if _ONE_EVENT.search(text[: start.start()]) else items
    return ()


def _are_items(items: Sequence[str]) -> bool:
    named = [bool(_ITEM.match(item)) for item in items]
    named[-1] = named[-1] or bool(_LAST_CLAUSE.match(items[-1]))
    short = [bool(_BARE.match(item)) for item in items]
    return all(named) or (len(items) > 2 and named[0] and all(a or b for a, b in zip(named, short, strict=True)))


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
