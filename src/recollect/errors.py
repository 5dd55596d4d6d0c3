"""Everything recollect raises on purpose.

RecollectError
├── InvalidInput            what was passed in can't be used (also a ValueError)
│   ├── UnknownName         no such recipe, embedder, link kind …; says the nearest one
│   └── InvalidRecipe       a recipe's field is unknown or out of range
├── NotFound                the memory, event or recall asked for is not there (also a LookupError)
├── Conflict                it is there, but has moved on since (an undo that comes too late)
├── Unauthorized            no key, or one that is unknown, expired or revoked
├── Forbidden               the key is good, but not for this
├── StoreError              the store can't be used
│   ├── StoreLocked         another process held the write lock for too long
│   ├── StoreDamaged        the file is not a recollect store, or is broken
│   ├── StoreTooNew         a newer recollect wrote it
│   ├── StoreReadOnly       it can be read, not written
│   └── EmbedderMismatch    its vectors come from another embedder
├── EmbedderUnavailable     the model can't be loaded, or its server does not answer
└── ServerUnavailable       a client's server does not answer, or has no time

An error's text says what happened, to which thing, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable


class RecollectError(Exception):
    """The root of the tree above."""


class InvalidInput(RecollectError, ValueError):
    pass


class UnknownName(InvalidInput):
    """A name that is not in its list; the message offers the nearest one."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        from difflib import get_close_matches

        names = sorted(known)
        near = get_close_matches(str(name), names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(names)
        super().__init__(f"unknown {what} {name!r}: {hint}")


class InvalidRecipe(InvalidInput):
    pass


class NotFound(RecollectError, LookupError):
    pass


class Conflict(RecollectError):
    pass


class Unauthorized(RecollectError):
    pass


class Forbidden(RecollectError):
    pass


class StoreError(RecollectError):
    pass


class StoreLocked(StoreError):
    pass


class StoreDamaged(StoreError):
    pass


class StoreTooNew(StoreError):
    pass


class StoreReadOnly(StoreError):
    pass


class EmbedderMismatch(StoreError):
    pass


class EmbedderUnavailable(RecollectError):
    pass


class ServerUnavailable(RecollectError):
    pass
