"""What a text mentions: names, dates, quantities, identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.text.dates import written_dates
from recollect.text.identifiers import find_identifiers
from recollect.text.names import find_names
from recollect.text.names_chinese import find_chinese_names
from recollect.text.quantities import find_quantities

MOST_ENTITIES = 32
# The rest of a longer text is found through its chunks.
_LONGEST_READ = 20_000
_PREPOSITION = re.compile(r"^(?:in|on|by|since|until|till|during|before|after|from|around|about|of|the) ", re.I)


def entities(text: str) -> tuple[str, ...]:
    """What `text` mentions, as written, in order of appearance, without repetitions; at most 32."""
    text = text[:_LONGEST_READ]
    claimed: list[tuple[int, str]] = []
    for finder in (find_identifiers, written_dates, find_quantities, find_names, find_chinese_names):
        claimed += _free(finder(text), claimed)
    named: dict[str, str] = {}
    for _, written in sorted(claimed):
        name = _PREPOSITION.sub("", written)
        named.setdefault(name.casefold(), name)
        if len(named) == MOST_ENTITIES:
            break
    return tuple(named.values())


def _free(found: Iterable[tuple[int, str]], claimed: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The ones that do not overlap with those of an earlier, more reliable finder."""
    taken = {position for start, text in claimed for position in range(start, start + len(text))}
    return [(start, text) for start, text in found if taken.isdisjoint(range(start, start + len(text)))]
