"""The servers that hold partitions. Each is a foreign server of postgres_fdw, so PostgreSQL keeps the list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ....errors import InvalidInput, NotFound, StoreError
from ..connections import BUSY_TIMEOUT_SECONDS, NETWORK, Database, is_pooled
from ..failures import translated
from ..schema import SCHEMA
from ..urls import parameters, shown
from .layout import HERE, PREFIX

_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
_OF_THE_USER = ("user", "password")
_SESSION = {
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.ef_search": "200",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "random_page_cost": "1.1",
    "lock_timeout": f"{BUSY_TIMEOUT_SECONDS:g}s",
}
"""The settings of a store's own sessions that its sessions on other servers need too."""
_OPTIONS = {
    "extensions": "vector",
    # a search reads few rows, and a row with a vector is large
    "fetch_size": "100",
    "batch_size": "100",
    "keep_connections": "on",
    "options": " ".join(f"-c {name}={value}" for name, value in _SESSION.items()),
    **{name: str(value) for name, value in NETWORK.items()},
}


def check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name == HERE:
        raise InvalidInput(
            f"{name!r} is not a name for a server: use up to 31 small letters, digits and _, and not `{HERE}`"
        )


def names(db: Database) -> list[str]:
    """The other servers."""
    rows = db.execute(
        "SELECT srvname FROM pg_foreign_server WHERE starts_with(srvname, %s) ORDER BY 1", (PREFIX,)
    ).fetchall()
    return [name.removeprefix(PREFIX) for (name,) in rows]


def add(db: Database, name: str, url: str) -> None:
    """Adds a server, or changes its address. The caller has checked that it can be reached (`prepare_server`)."""
    check_name(name)
    given = parameters(url)
    _require_fdw(db)
    options = _OPTIONS | {key: str(value) for key, value in given.items() if key not in _OF_THE_USER}
    user = {key: str(given[key]) for key in _OF_THE_USER if key in given}
    with db.transaction():
        if name in names(db):
            db.execute(sql.SQL("DROP USER MAPPING IF EXISTS FOR CURRENT_USER SERVER {}").format(_server(name)))
            db.execute(sql.SQL("ALTER SERVER {} OPTIONS ({})").format(_server(name), _changed(db, name, options)))
        else:
            db.execute(
                sql.SQL("CREATE SERVER {} FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({})").format(
                    _server(name), _listed(options)
                )
            )
        db.execute(
            sql.SQL("CREATE USER MAPPING FOR CURRENT_USER SERVER {} OPTIONS ({})").format(_server(name), _listed(user))
        )


def _require_fdw(db: Database) -> None:
    if db.execute("SELECT 1 FROM pg_extension WHERE extname = 'postgres_fdw'").fetchone():
        return
    if not db.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'postgres_fdw'").fetchone():
        raise StoreError("the server has no postgres_fdw: install it there (such as the package postgresql-contrib)")
    db.execute("CREATE EXTENSION postgres_fdw")


def _server(name: str) -> sql.Identifier:
    return sql.Identifier(f"{PREFIX}{name}")


def _listed(options: Mapping[str, str]) -> sql.Composed:
    return sql.SQL(", ").join(sql.SQL("{} {}").format(sql.Identifier(k), sql.Literal(v)) for k, v in options.items())


def _changed(db: Database, name: str, options: Mapping[str, str]) -> sql.Composed:
    held = _held(db, name)[0]
    verbs = {key: "SET" if key in held else "ADD" for key in options}
    return sql.SQL(", ").join(
        sql.SQL("{} {} {}").format(sql.SQL(verbs[key]), sql.Identifier(key), sql.Literal(value))
        for key, value in options.items()
    )


def _held(db: Database, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """The options of a server, and those of the user on it."""
    row = db.execute(
        "SELECT s.srvoptions, m.umoptions FROM pg_foreign_server s "
        "LEFT JOIN pg_user_mappings m ON m.srvid = s.oid AND m.usename = CURRENT_USER WHERE s.srvname = %s",
        (f"{PREFIX}{name}",),
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no server {name}: add it with `recollect partitions apply --server {name}=URL`")
    return _options(row[0]), _options(row[1])


def _options(given: list[str] | None) -> dict[str, str]:
    return dict(option.split("=", 1) for option in given or ())


def is_at(db: Database, name: str, url: str) -> bool:
    """Whether the server has this address and user, and the options of this version."""
    server, user = _held(db, name)
    return server | user == _OPTIONS | {key: str(value) for key, value in parameters(url).items()}


def address(db: Database, name: str) -> dict[str, Any]:
    """The parameters of libpq with which the store's server connects with the server."""
    server, user = _held(db, name)
    return {key: value for key, value in server.items() if key not in _OPTIONS} | user


@contextmanager
def session(db: Database, name: str) -> Iterator[Database]:
    """A connection to the server, in autocommit mode. For the server of the store, it is the given one."""
    if name == HERE:
        yield db
        return
    with connected(make_conninfo("", **address(db, name)), f"server {name}") as there:
        yield there


@contextmanager
def patient_session(db: Database, name: str) -> Iterator[Database]:
    """The same for work that waits for others as long as it takes, such as building indexes."""
    with session(db, name) as there:
        if there is not db:
            there.execute("SET lock_timeout = 0")
        yield there


@contextmanager
def connected(conninfo: str, named: str) -> Iterator[Database]:
    whole = make_conninfo("", **NETWORK | conninfo_to_dict(conninfo))
    with translated(named), psycopg.connect(whole, autocommit=True) as there:
        if is_pooled(there):
            raise StoreError(f"{named} is a pooler, which keeps no session: name the PostgreSQL server behind it")
        there.execute(f"SET lock_timeout = '{BUSY_TIMEOUT_SECONDS}s'")
        row = there.execute(
            "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
            "WHERE e.extname = 'vector'"
        ).fetchone()
        path = [SCHEMA] if row is None else [SCHEMA, row[0]]
        there.execute(sql.SQL("SET search_path = {}").format(sql.SQL(", ").join(map(sql.Identifier, path))))
        yield there


def prepare_server(db: Database, url: str) -> None:
    """Makes what a server needs to hold partitions: the extension in the same schema, and ours."""
    row = db.execute(
        "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    ).fetchone()
    assert row is not None
    with connected(make_conninfo("", **parameters(url)), shown(url)) as there:
        if there.execute("SHOW server_encoding").fetchone() != ("UTF8",):
            raise StoreError(f"{shown(url)} is not a UTF8 database: make one with `createdb -E UTF8 -T template0`")
        if _is_same_database(db, there):
            raise InvalidInput(f"{shown(url)} is the store's own database: name another server")
        if there.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.setting",)).fetchone() != (None,):
            raise InvalidInput(f"{shown(url)} holds a memory of its own: name an empty database")
        schema = sql.Identifier(row[0])
        there.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
        there.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS vector SCHEMA {}").format(schema))
        there.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")


def _is_same_database(one: Database, other: Database) -> bool:
    asked = (
        "SELECT system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()) "
        "FROM pg_control_system()"
    )
    return one.execute(asked).fetchone() == other.execute(asked).fetchone()
