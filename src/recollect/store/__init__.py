"""Stores for memories: one protocol, one folder per database engine."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import StoreError, UnknownName
from ..extras import install_command
from .protocol import Store

_POSTGRES = ("postgresql", "postgres")
_SYNCHRONOUS = ("normal", "full")


def open_store(url: str, *, synchronous: str = "full", read_urls: str | Sequence[str] = ()) -> Store:
    """Opens the store at a path, `:memory:` or a URL. Creates it if it does not exist. `read_urls` are read replicas of
    a database, as a list or separated by blanks; a file has none."""
    scheme, is_url, _ = url.partition("://")
    if is_postgres(url):
        return _open_postgres(url, read_urls.split() if isinstance(read_urls, str) else read_urls)
    if is_url:  # the URL is not shown: it may hold a password
        raise StoreError(f"no store is known for {scheme}:// URLs: give the path of a file or a postgresql:// URL")
    if synchronous not in _SYNCHRONOUS:
        raise UnknownName("synchronous setting", synchronous, _SYNCHRONOUS)
    from .sqlite.store import SqliteStore

    return SqliteStore(url, synchronous=synchronous)


def is_postgres(url: str) -> bool:
    scheme, is_url, _ = url.partition("://")
    return bool(is_url) and scheme.lower() in _POSTGRES


def require_psycopg() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise StoreError(f"PostgreSQL needs the package psycopg: run: {install_command('postgres')}") from None


def _open_postgres(url: str, read_urls: Sequence[str]) -> Store:
    require_psycopg()
    from .postgres.store import PostgresStore

    return PostgresStore(url, read_urls)
