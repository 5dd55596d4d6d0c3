"""Which stored statements might a new one replace, if they have no key in common?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..store.protocol import Store
from ..text.analyze import analyze_query
from ..text.words import stem
from ..types import CORRECTS, Filter, Memory
from .build.statements import ENDING, STATING
from .links import words_of

MOST_ALIKE = 8
"""Statements that share words with a new one are compared up to this number."""
MOST_LOOKED_FOR = 8
"""So many words of a statement are looked for first."""
SHORTEST = 3
"""Shorter words may be written in another way: "U.S."."""
FEW_WORDS = 12
MOST_REPEATED = 0.6
"""The least share of a reply's words that were said before, if it only confirms them."""
_USER = "user"
_OF_A_JOB = ("work at", "work as")


def related_keys(key: str | None) -> tuple[str, ...]:
    """The `about` keys under which the same thing may be stored: "our rent" and "the rent"; a job by its role and by
    its place."""
    if key is None or key == ENDING:
        return ()
    subject, _, attribute = key.partition("/")
    if attribute in _OF_A_JOB:
        return tuple(f"{subject}/{each}" for each in _OF_A_JOB)
    if attribute == "is":
        return key, f"{_USER}/{subject}"
    return (key, f"{attribute}/is") if subject == _USER else (key,)


def alike(store: Store, memory: Memory, key: str | None) -> list[Memory]:
    """Active statements of the namespace that share the most words with one that may say the opposite of them."""
    if not _may_deny(words_of(memory), key):
        return []
    within = Filter(namespaces=(memory.namespace,), exact=True, statuses=("active",), granularities=STATING)
    is_said_now = memory.told_at >= memory.created_at
    needed = _needed(memory) if key in (None, ENDING) and is_said_now else ()
    return [] if needed is None else _sharing_words(store, memory, within, needed)


def _needed(memory: Memory) -> tuple[str, ...] | None:
    """Some words of each statement that this one, which was made now, may replace or contradict; None if there can't be
    one. A search for them costs little if one is a name or a number: these are rare."""
    from ..extractors.judgement import may_replace

    words = may_replace(words_of(memory))
    if words is None:
        return None
    longest = sorted((word for word in words if len(word) >= SHORTEST), key=lambda word: (len(word), word))
    return tuple(dict.fromkeys(map(stem, longest[-MOST_LOOKED_FOR:])))


def _sharing_words(store: Store, memory: Memory, within: Filter, needed: Sequence[str] = ()) -> list[Memory]:
    """`needed`: words that each of them must have."""
    content = analyze_query(words_of(memory)).content
    if not content:
        return []
    wanted, others = (needed, tuple(set(content).difference(needed))) if needed else (content, ())
    match: Literal["all", "any"] = "all" if needed else "any"
    found = store.search_text(wanted, others, within, match=match, fields={"text": 1.0}, limit=MOST_ALIKE).postings
    shared = {p.memory_id: len(p.frequencies.get("text", ())) for p in found if p.memory_id != memory.id}
    best = sorted(shared, key=lambda id: (-shared[id], id))[:MOST_ALIKE]
    return list(store.get(best).values())


def corrected(store: Store, memory: Memory) -> list[Memory]:
    """The active statements and messages of the same speaker that contain the sentence which the memory corrects. A
    message is left out if a statement was taken from it: it goes with that one."""
    wanted = memory.metadata.get(CORRECTS)
    if not isinstance(wanted, str):
        return []
    from ..extractors.corrections import says

    within = Filter(namespaces=(memory.namespace,), exact=True, statuses=("active",), granularities=(*STATING, "turn"))
    close = [m for m in _sharing_words(store, memory, within) if m.message != memory.message and m.role == memory.role]
    found = [m for m in close if says(words_of(m), wanted)]
    stated = {m.message for m in found if m.granularity == "fact"}
    return [m for m in found if m.granularity != "turn" or m.message not in stated]


def repeats(reply: str, said: str) -> bool:
    """Whether a short reply only confirms what was said: "Meeting scheduled for Monday."."""
    told, known = set(analyze_query(reply).content), set(analyze_query(said).content)
    return bool(told) and len(told) <= FEW_WORDS and len(told & known) >= MOST_REPEATED * len(told)


def _may_deny(text: str, key: str | None) -> bool:
    """Whether it says that something is over, or, in few words, that something is so now. A statement with another key
    finds its like by the key, unless it says more."""
    from ..extractors.judgement import ends_something, says_change, states_more  # their patterns take time to compile

    if key not in (None, ENDING):
        return states_more(text) and ends_something(text)
    return key == ENDING or (len(text.split()) <= FEW_WORDS and says_change(text))
