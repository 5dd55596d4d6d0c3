"""Which statements say the same: another value of one of them concerns the others too. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...text.words import fold
from ...types import Memory
from .subjects import USER, About, about


def saying_the_same(shown: Collection[Memory], memories: Iterable[Memory]) -> dict[str, tuple[str, ...]]:
    """Shown statement → the others of its namespace that give the same attribute of the same subject the same value."""
    places = {_place(memory, known) for memory in shown if (known := about(memory)).key}
    by_place: dict[tuple[str, str], list[tuple[Memory, str]]] = {}
    for memory in memories:
        known = about(memory)
        if known.value and (place := _place(memory, known)) in places:
            by_place.setdefault(place, []).append((memory, known.value))
    found = {memory.id: _others(memory, by_place) for memory in shown}
    return {id: others for id, others in found.items() if others}


def _others(memory: Memory, by_place: dict[tuple[str, str], list[tuple[Memory, str]]]) -> tuple[str, ...]:
    from ...extractors.values import is_same_value  # its patterns take time to compile

    known = about(memory)
    if not known.value:
        return ()
    beside = [pair for pair in by_place[_place(memory, known)] if pair[0].id != memory.id]
    return tuple(sorted(other.id for other, value in beside if is_same_value(known.value, value)))


def _place(memory: Memory, known: About) -> tuple[str, str]:
    """Namespace and key. A namespace that is called like a person is that person's: "Ada lives in Lyon" in `team/ada`
    is about its owner."""
    subject, _, attribute = (known.key or "").partition("/")
    owner = fold(memory.namespace.rpartition("/")[2])
    return memory.namespace, f"{USER if fold(subject) == owner else subject}/{attribute}"
