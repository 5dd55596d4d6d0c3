"""Finds the whole id that a caller means by the beginning of one."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InvalidInput
from ..store.protocol import Store
from ..types import Filter

LEAST_CHARS = 8
WHOLE_CHARS = 36
"""The length of a UUID as text."""
_SHOWN = 3
"""How many matches an error names."""
_AFTER_EVERY_DIGIT = "g"
"""Sorts after every character of an id."""
ANYWHERE = Filter()


def memory_id(store: Store, given: str, within: Filter = ANYWHERE) -> str:
    """The id of the only memory inside `within` whose id begins like this. Other text comes back as it is."""
    if not _may_be_a_beginning(given) or store.get([given], within):
        return given
    found = store.scan(within, order="id", after=given, limit=_SHOWN)
    return _only("memory", given, [memory.id for memory in found])


def event_id(store: Store, given: str) -> str:
    """The same for an event of the log."""
    if not _may_be_a_beginning(given) or store.events(id=given):
        return given
    found = store.events(limit=_SHOWN, before=f"{given}{_AFTER_EVERY_DIGIT}")
    return _only("event", given, [event.id for event in found])


def recall_id(store: Store, given: str) -> str:
    """The same for a logged recall."""
    if not _may_be_a_beginning(given) or store.recalls(id=given):
        return given
    found = store.recalls(limit=_SHOWN, before=f"{given}{_AFTER_EVERY_DIGIT}")
    return _only("recall", given, [record.entry.id for record in found])


def of_hits(store: Store, recall: str, given: Sequence[str]) -> list[str]:
    """The ids of those hits of a recall whose ids begin like these. Other text comes back as it is."""
    hits = [id for record in store.recalls(id=recall) for id, _ in record.entry.hits]
    return [id if id in hits or not _may_be_a_beginning(id) else _only("hit", id, hits) for id in given]


def _may_be_a_beginning(given: object) -> bool:
    return isinstance(given, str) and LEAST_CHARS <= len(given) < WHOLE_CHARS and given.isprintable()


def _only(what: str, given: str, found: Sequence[str]) -> str:
    """Not found is not said here: whoever uses the id says so in the usual words."""
    matches = [id for id in found if id.startswith(given)]
    if len(matches) > 1:
        shown = ", ".join(sorted(matches)[:_SHOWN])
        raise InvalidInput(f"several {what} ids begin with {given!r}, such as {shown}: give more characters")
    return matches[0] if matches else given
