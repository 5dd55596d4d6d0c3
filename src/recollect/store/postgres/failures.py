"""Translates PostgreSQL's errors to errors of recollect. Each is one line that tells what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from ...errors import StoreError, StoreLocked, StoreReadOnly

_LOST = ("57P01", "57P02", "57P03", "08000", "08003", "08006", "25P03")
_AT_THE_DOOR = {
    "password authentication failed": "the password is wrong: correct it in the URL, in PGPASSWORD or in ~/.pgpass",
    "no password supplied": "it wants a password: put it in the URL, in PGPASSWORD or in ~/.pgpass",
    'role ".*" does not exist': "there is no such user: correct the URL, or make it with `createuser`",
    'database ".*" does not exist': "there is no such database: correct the URL, or make it with `createdb`",
    "no pg_hba.conf entry": "the server does not let this user in from here: add a line to its pg_hba.conf",
    "too many clients": "it has no connection left: raise max_connections, or put a pooler in front of it",
    "remaining connection slots": "it has no connection left: raise max_connections, or put a pooler in front of it",
    "starting up|not yet accepting": "the server is still starting: try again",
    "shutting down": "the server is shutting down: try again when it is back",
    "Connection refused": "nothing answers there: is the server running, and is the port right?",
    "No such file or directory": "nothing answers there: is the server running, and is the socket right?",
    "could not translate host name": "there is no such host: correct the URL",
    "failed to resolve host": "there is no such host: correct the URL",
    "timeout expired": "it does not answer in time: is the host right, and does a firewall stand between?",
}


@contextmanager
def translated(url: str) -> Iterator[None]:
    try:
        yield
    except psycopg.ProgrammingError as error:
        raise _other(url, error) from error
    except psycopg.Error as error:
        raise explained(url, error) from error


def explained(url: str, error: psycopg.Error) -> StoreError:
    match error:
        case errors.LockNotAvailable() | errors.DeadlockDetected():
            return StoreLocked(f"{url} is locked by another writer (waited as long as allowed): try again")
        case errors.ReadOnlySqlTransaction():
            return StoreReadOnly(f"{url} is a read-only replica: write to the primary server")
        case errors.DiskFull():
            return StoreError(f"the disk of {url} is full: the write was undone, make room")
    if (refused := _refused(url, error)) is not None:
        return refused
    if str(error).startswith("connection failed"):
        return StoreError(f"{url} can't be opened ({_first_line(error)}): check the URL and the server")
    if is_lost(error):
        return StoreError(f"the connection to {url} was lost ({_first_line(error)}): try again when the server is back")
    return _other(url, error)


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection failed, not the statement."""
    return error.sqlstate in _LOST or (isinstance(error, psycopg.OperationalError) and error.sqlstate is None)


def _refused(url: str, error: psycopg.Error) -> StoreError | None:
    """The error for a failed connection attempt. psycopg gives no error code for it, so the message is read."""
    said = str(error) if isinstance(error, psycopg.OperationalError) else ""
    for words, advice in _AT_THE_DOOR.items():
        if re.search(words, said):
            return StoreError(f"{url} can't be opened: {advice}")
    return None


def _other(url: str, error: psycopg.Error) -> StoreError:
    if isinstance(error, errors.InsufficientPrivilege):
        return StoreError(f"{url}: {_first_line(error)}: ask its owner for the right to do so")
    return StoreError(f"{url}: {_first_line(error)}")


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
