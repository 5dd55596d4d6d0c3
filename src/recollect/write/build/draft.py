"""A memory before it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...types import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory to be stored, with options of the writer that are not stored themselves."""

    memory: Memory
    before: Memory | None = None
    """The memory as it is stored now, when the draft changes it."""
    merge: bool = True
    """Whether it may be merged into a duplicate."""
    states: bool = False
    """Whether a missing gist and a missing `about` of a new memory are derived from its text."""
    about: str | None = None
    """Subject and attribute (`user/live in`) of a single-valued statement; None if the writer does not know them."""
    views: Mapping[str, tuple[str, ...]] | None = field(default_factory=dict)
    """Further views by name. A view is the mean of the vectors of its texts. `full` is the memory's own text unless
    it is given here. With None, no view is built now; a later `refresh` builds them."""
    taken_from: tuple[str, ...] = ()
    """The texts it was extracted from. If one of them is suspicious, the memory is suspicious too."""
    released: bool = False
    """Whether somebody released it from quarantine. It is not screened again."""
    takes_back: bool = False
    """Whether it undoes an earlier change. The quarantine reasons of that time are restored as well."""


def stated(memory: Memory, *, merge: bool) -> Draft:
    """The draft of a single new memory. Without `merge`, no gist and no `about` are derived from its text."""
    return Draft(memory=memory, merge=merge, states=merge)
