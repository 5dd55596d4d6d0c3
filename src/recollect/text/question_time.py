"""Does a question ask what holds now, what held in the past, or when something is or was?"""

from __future__ import annotations

import re
from functools import cache

_ENGLISH = (
    r"\b(?:before|originally|initially|at first|(?:the|my|our|his|her|their) first|used to|previous(?:ly)?|"
    r"former(?:ly)?|"
    r"back (?:then|in|when)|at the time|at that time|in those days|earlier|(?:the|my|our|his|her|their) old|"
    r"in the beginning|at the beginning|until|till|did|didn['’]t|was|wasn['’]t|were|weren['’]t|had|hadn['’]t|ago|once|"
    r"last (?:year|month|week|spring|summer|autumn|fall|winter|christmas|easter))\b"
)
_MONTH = (
    r"\b(?:in|last|during|since|by|around|of) (?:early |mid[- ]|late )?(?:january|february|march|april|may|june|july|"
    r"august|september|october|november|december)\b"
)
_OTHERS = (
    r"\b(?:antes|al principio|originalmente|entonces|anterior|era|eras|eran|estaba|vivía|tenía|trabajaba|fue|hacía|"
    r"früher|damals|ursprünglich|zuerst|anfangs|vorher|war|waren|hatte|hatten|wohnte|ehemalige\w*|"
    r"avant|au début|autrefois|à l['’]époque|ancien(?:ne)?|était|avait|habitait|travaillait)\b"
    r"|以前|当时|原来|最初|之前|那时|去年|曾|本来|一开始|过去|上次"
)

_WHEN = (
    r"^\W*(?:and |so |but |remind me |tell me |do you (?:know|remember) )?(?:when\b|how long ago\b|"
    r"(?:(?:on|at|by|from|since) )?(?:what|which) (?:day|date|time|month|year|weekday|evening|morning|hour)s?\b|"
    r"wann\b|am wievielten\b|an welchem (?:tag|datum)\b|um wie ?viel uhr\b|"
    r"quand\b|(?:à )?quelle (?:heure|date)\b|quel jour\b|cuándo\b|(?:(?:a|en) )?qué (?:día|hora|fecha)\b)"
    r"|什么时候|哪天|哪一天|几号|几点|何时|哪年|几月"
)
_AS_PLANNED = (
    r"\b(?:original(?:ly)?|initial(?:ly)?|first|before|supposed to|meant to|planned|used to|previous(?:ly)?|"
    r"former(?:ly)?|old|earlier|ursprünglich|zuerst|früher|vorher|geplant|au début|avant|prévue?|antes|"
    r"al principio|previsto|originalmente)\b"
    r"|原来|本来|原定|最初|以前|之前|一开始"
)


@cache
def _past() -> re.Pattern[str]:
    return re.compile(f"{_ENGLISH}|{_MONTH}|{_OTHERS}", re.IGNORECASE)


def asks_about_the_past(question: str) -> bool:
    """Whether the question names a past time, or is in the past tense.

    "What car did I drive before?" does. "Where do I live?" asks for what holds now, and so does "my address?".
    """
    return _past().search(question) is not None


@cache
def _when() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_WHEN, re.IGNORECASE), re.compile(_AS_PLANNED, re.IGNORECASE)


def asks_when(question: str) -> bool:
    """Whether the question asks for the date or time of something, and not for one that was planned before.

    "When was the interview?" does, and the last date that was told is right. "When was it planned at first?" does not.
    """
    when, as_planned = _when()
    return when.search(question) is not None and as_planned.search(question) is None
