"""Translates PostgreSQL's errors to errors of recollect. Each is one line that tells what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from ...errors import StoreError, StoreLocked, StoreReadOnly, StoreUnreachable

_LOST = ("57P01", "57P02", "57P03", "08000", "08003", "08006", "25P03")
_NOT_LET_IN = {
    "password authentication failed": "the password is wrong: correct it in the URL, in PGPASSWORD or in ~/.pgpass",
    "no password supplied": "it wants a password: put it in the URL, in PGPASSWORD or in ~/.pgpass",
    'role ".*" does not exist': "there is no such user: correct the URL, or make it with `createuser`",
    'database ".*" does not exist': "there is no such database: correct the URL, or make it with `createdb`",
    "no pg_hba.conf entry": "the server does not let this user in from here: add a line to its pg_hba.conf",
    "too many clients": "it has no connection left: raise max_connections, or put a pooler in front of it",
    "remaining connection slots": "it has no connection left: raise max_connections, or put a pooler in front of it",
}
_NOBODY_THERE = {
    "starting up|not yet accepting": "the server is still starting: try again",
    "shutting down": "the server is shutting down: try again when it is back",
    "Connection refused": "nothing answers there: is the server running, and is the port right?",
    "No such file or directory": "nothing answers there: is the server running, and is the socket right?",
    "could not translate host name": "there is no such host: correct the URL",
    "failed to resolve host": "there is no such host: correct the URL",
    "timeout expired": "it does not answer in time: is the host right, and does a firewall stand between?",
}

_NO_PARTITION_SERVER = re.compile(r'could not connect to server "recollect_(\w+)"')
_ASKING_ANOTHER = "remote SQL command"
"""In the context of an error, if the connection between two of the servers failed."""

_SUPERUSERS = (
    ('permission denied to create extension "(.*)"', "CREATE EXTENSION {}"),
    ("permission denied for foreign-data wrapper (.*)", "GRANT USAGE ON FOREIGN DATA WRAPPER {} TO …"),
)


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
        case errors.SerializationFailure() if "conflict with recovery" in str(error):
            return StoreUnreachable(f"{url} stopped the query, because it had to replay a change first: try again")
        case errors.LockNotAvailable() | errors.DeadlockDetected() | errors.SerializationFailure():
            return StoreLocked(f"{url} is locked by another writer (waited as long as allowed): try again")
        case errors.ReadOnlySqlTransaction():
            return StoreReadOnly(f"{url} is a read-only replica: write to the primary server")
        case errors.DiskFull():
            return StoreError(f"the disk of {url} is full: the write was undone, make room")
    if (away := _without_partition(url, error)) is not None:
        return away
    if (refused := _refused(url, error)) is not None:
        return refused
    if str(error).startswith("connection failed"):
        return StoreUnreachable(f"{url} can't be opened ({_first_line(error)}): check the URL and the server")
    if is_lost(error):
        said = _first_line(error)
        return StoreUnreachable(f"the connection to {url} was lost ({said}): try again when the server is back")
    return _other(url, error)


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection failed, not the statement."""
    return error.sqlstate in _LOST or (isinstance(error, psycopg.OperationalError) and error.sqlstate is None)


def _without_partition(url: str, error: psycopg.Error) -> StoreError | None:
    """The error for a server that answers, while another one that holds partitions does not."""
    found = _NO_PARTITION_SERVER.search(str(error))
    if found is None and not (is_lost(error) and _ASKING_ANOTHER in (error.diag.context or "")):
        return None
    which = f"the server {found[1]}" if found else "a server"
    return StoreUnreachable(
        f"{url} can't reach {which} of its partitions: see `recollect partitions status`, and try again when it is back"
    )


def _refused(url: str, error: psycopg.Error) -> StoreError | None:
    """The error for a failed connection attempt. psycopg gives no error code for it, so the message is read."""
    said = str(error) if isinstance(error, psycopg.OperationalError) else ""
    refusals = {StoreError: _NOT_LET_IN, StoreUnreachable: _NOBODY_THERE}
    for kind, known in refusals.items():
        for words, advice in known.items():
            if re.search(words, said):
                return kind(f"{url} can't be opened: {advice}")
    return None


def _other(url: str, error: psycopg.Error) -> StoreError:
    said = _first_line(error)
    if isinstance(error, errors.InsufficientPrivilege):
        return StoreError(f"{url}: {said}: {_right(said)}")
    return StoreError(f"{url}: {said}")


def _right(said: str) -> str:
    """What to do about a missing right."""
    for words, line in _SUPERUSERS:
        if (found := re.search(words, said)) is not None:
            return f"let a superuser run `{line.format(found[1])}` there"
    return "ask its owner for the right to do so"


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
