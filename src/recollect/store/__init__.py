"""Stores for memories: one protocol, one folder per database engine."""

from __future__ import annotations

from ..errors import StoreError, UnknownName
from ..extras import install_command
from .protocol import Store

_POSTGRES = ("postgresql", "postgres")
_SYNCHRONOUS = ("normal", "full")


def open_store(url: str, *, synchronous: str = "normal") -> Store:
    """Opens the store at a path, `:memory:` or a URL. Creates it if it does not exist."""
    scheme, is_url, _ = url.partition("://")
    if scheme.lower() in _POSTGRES and is_url:
        return _open_postgres(url)
    if is_url:  # the URL is not shown: it may hold a password
        raise StoreError(f"no store is known for {scheme}:// URLs: give the path of a file or a postgresql:// URL")
    if synchronous not in _SYNCHRONOUS:
        raise UnknownName("synchronous setting", synchronous, _SYNCHRONOUS)
    from .sqlite.store import SqliteStore

    return SqliteStore(url, synchronous=synchronous)


def _open_postgres(url: str) -> Store:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise StoreError(f"PostgreSQL needs the package psycopg: run: {install_command('postgres')}") from None
    from .postgres.store import PostgresStore

    return PostgresStore(url)
