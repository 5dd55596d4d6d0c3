"""Does a question ask what holds now, or what held in the past?"""

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


@cache
def _past() -> re.Pattern[str]:
    return re.compile(f"{_ENGLISH}|{_MONTH}|{_OTHERS}", re.IGNORECASE)


def asks_about_the_past(question: str) -> bool:
    """Whether the question names a past time, or is in the past tense.

    "What car did I drive before?" does. "Where do I live?" asks for what holds now, and so does "my address?".
    """
    return _past().search(question) is not None
