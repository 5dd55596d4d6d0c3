"""Words before a statement that do not change what it states: "big news:", "since Monday,"."""

from __future__ import annotations

import re

_DAYS = (
    "(?:next |last )?(?:week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|"
    "march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter)"
)
_OPENING = re.compile(
    r"^(?:(?:and|but|so|well|yes|yeah|no|ok(?:ay)?|oh|hey|hi|also|actually|anyway|btw|fyi|by the way|guess what|"
    r"turns out|it turns out(?: that)?|correction|sorry|wait|update|p\.?s\.?|"
    r"(?:not )?(?:big|great|good|sad|bad|quick|some|happy) (?:news|update|note)|news|news flash|heads[- ]up|"
    r"just so you know|for the record|these days|nowadays|lately|currently|"
    r"(?:since|as of|from|starting|after) [^,:]{1,30}(?=,)|(?:(?:last|this) \w+|yesterday|now|today)(?=,)|"
    rf"(?:from|since|as of|starting) (?:now on|today|tomorrow|yesterday|{_DAYS}|the \d{{1,2}}(?:st|nd|rd|th))(?: on)?)"
    r"(?:[,:!.–—-]+ *| +))+",
    re.IGNORECASE,
)
"""What may stand before a statement without changing it. Never who said it."""


def without_opening(statement: str) -> str:
    found = _OPENING.match(statement)
    return statement[found.end() :] if found else statement
