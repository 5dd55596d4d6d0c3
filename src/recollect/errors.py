"""All errors that recollect raises on purpose.

RecollectError
├── InvalidInput            an argument can't be used (also a ValueError)
│   ├── UnknownName         no such recipe, embedder, link kind …; suggests the nearest name
│   └── InvalidRecipe       a recipe's field is unknown or out of range
├── NotFound                no such memory, event or recall (also a LookupError)
├── Conflict                it was changed since, for example before an undo
├── Unauthorized            no key, or an unknown, expired or revoked one
├── Forbidden               the key is valid, but does not allow this
├── StoreError              the store can't be used
│   ├── StoreLocked         another process held the write lock for too long
│   ├── StoreDamaged        the file is not a recollect store, or is damaged
│   ├── StoreTooNew         a newer version of recollect wrote it
│   ├── StoreReadOnly       it can be read, but not written
│   ├── StoreReplaced       its file was replaced or removed while it was open
│   ├── StoreUnreachable    its database server does not answer
│   └── EmbedderMismatch    its vectors come from another embedder
├── EmbedderUnavailable     the model can't be loaded, or its server does not answer
└── ServerUnavailable       a client's server does not answer, or is overloaded

An error's message says what happened, to which thing, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable


class RecollectError(Exception):
    """The base class of the errors above."""


class InvalidInput(RecollectError, ValueError):
    pass


class UnknownName(InvalidInput):
    """An unknown name; the message suggests the nearest known one."""

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


class StoreReplaced(StoreError):
    pass


class StoreUnreachable(StoreError):
    pass


class EmbedderMismatch(StoreError):
    pass


class EmbedderUnavailable(RecollectError):
    pass


class ServerUnavailable(RecollectError):
    pass
