"""Which stored statements might a new one replace, if they have no key in common?"""

from __future__ import annotations

from ..store.protocol import Store
from ..text.analyze import analyze_query
from ..types import CORRECTS, Filter, Memory
from .build.statements import ENDING, STATING
from .links import words_of

MOST_ALIKE = 8
"""Statements that share words with a new one are compared up to this number."""
FEW_WORDS = 12
MOST_REPEATED = 0.6
"""The least share of a reply's words that were said before, if it only confirms them."""
_USER = "user"


def related_keys(key: str | None) -> tuple[str, ...]:
    """The `about` keys under which the same thing may be stored: "our rent" and "the rent"."""
    if key is None or key == ENDING:
        return ()
    subject, _, attribute = key.partition("/")
    if attribute == "is":
        return key, f"{_USER}/{subject}"
    return (key, f"{attribute}/is") if subject == _USER else (key,)


def alike(store: Store, memory: Memory, key: str | None) -> list[Memory]:
    """Active statements of the namespace that share the most words with one that may say the opposite of them."""
    if not _may_deny(words_of(memory), key):
        return []
    within = Filter(namespaces=(memory.namespace,), exact=True, statuses=("active",), granularities=STATING)
    return _sharing_words(store, memory, within)


def _sharing_words(store: Store, memory: Memory, within: Filter) -> list[Memory]:
    content = analyze_query(words_of(memory)).content
    if not content:
        return []
    found = store.search_text(content, (), within, match="any", fields={"text": 1.0}, limit=MOST_ALIKE).postings
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
    return key == ENDING or (says_change(text) and len(text.split()) <= FEW_WORDS)
