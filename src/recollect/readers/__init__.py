"""Does this memory answer this question? A reader reads both together.

`load` is cheap: the model is loaded at the first `read`.
"""

from __future__ import annotations

from ..errors import UnknownName
from .protocol import Passage, Reader, Reading

__all__ = ["DEFAULT", "Passage", "Reader", "Reading", "load", "names"]

DEFAULT = "recollect-reader"


def load(name: str) -> Reader:
    """The reader of that name."""
    if name != DEFAULT:
        raise UnknownName("reader", name, names())
    from .recollect_reader import RecollectReader

    return RecollectReader()


def names() -> tuple[str, ...]:
    return (DEFAULT,)
