"""Where memories are kept: one protocol, one folder per engine."""

from __future__ import annotations

from ..errors import StoreError, UnknownName
from .protocol import Store

_SYNCHRONOUS = ("normal", "full")


def open_store(url: str, *, synchronous: str = "normal") -> Store:
    """The store behind a path, `:memory:` or a URL; made when it is not there."""
    if url.startswith(("postgresql://", "postgres://")):
        raise StoreError("PostgreSQL stores are not part of this version: use a file path")
    if synchronous not in _SYNCHRONOUS:
        raise UnknownName("synchronous setting", synchronous, _SYNCHRONOUS)
    from .sqlite.store import SqliteStore

    return SqliteStore(url, synchronous=synchronous)
