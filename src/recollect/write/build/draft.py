"""A memory on its way in, as a writer hands it over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...types import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory as somebody states it, and what only the writer knows about it."""

    memory: Memory
    before: Memory | None = None
    """The memory as it is stored now, when the draft changes it."""
    merge: bool = True
    """Whether it may be merged into a memory that says the same."""
    states: bool = False
    """Whether the gist and `about` of a new memory are derived from its text where they are not given."""
    about: str | None = None
    """Subject and attribute (`user/live in`) of a single-valued statement, where the writer knows them."""
    views: Mapping[str, tuple[str, ...]] | None = field(default_factory=dict)
    """Further views by name, each the mean of the vectors of some texts; `full` is the memory's own text unless it
    is given here. None leaves all views to a later `refresh`."""
    taken_from: tuple[str, ...] = ()
    """Texts it was taken from: when one of them is suspicious, so is the memory."""
    released: bool = False
    """Somebody released it from quarantine: it is not screened again."""
    takes_back: bool = False
    """It takes an earlier change back, with the quarantine reasons of that time."""


def stated(memory: Memory, *, merge: bool) -> Draft:
    """A single new memory. One that may not be merged is stored as it is: nothing is derived from it."""
    return Draft(memory=memory, merge=merge, states=merge)
