"""Row security: the database limits what a call may read and write, too, not only the program.

`enable` makes a role, `recollect_caller`. A transaction of a call that is limited to a namespace takes this role and
says which namespace it is. The policies hold for the role. They don't hold for the owner of the tables: what the
program does for itself, such as reading keys and looking after the whole store, goes on as before.

Rows that belong to a memory, a recall or an event are visible if that is. Such a row may be written before the memory,
so a new one may belong to one that is not there yet, but to none outside: functions with the owner's rights look for
that. The table `lexicon` has no policy: behind one, PostgreSQL would not use its GIN index. The role reads and writes
it through a view instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from psycopg import errors, sql

from ...errors import StoreError
from ..chain import HEAD
from ..settings import EMBEDDER, FINGERPRINT
from ..tables import CHAIN
from .connections import Database
from .online import LOCK_TIMEOUT_MS, patiently
from .schema import INTERNAL, SCHEMA

ROLE = "recollect_caller"
LIMITED = "recollect_limited"
"""The schema of the view that stands for `lexicon`, and of functions."""
SWITCH = f"{INTERNAL}row_security"
_REFRESHING = 0x5EC0_11F0
_TAKING_IS_A_RIGHT = 16_00_00
"""PostgreSQL 16, as the server numbers its versions."""
_TENANT = "tenant = current_setting('recollect.tenant')"
_NAMESPACE, _BELOW, _BEYOND = (f"current_setting('recollect.{name}')" for name in ("namespace", "below", "beyond"))
_WITHIN = (  # in another collation, the range may leave out `a/b` and hold `a=b`
    f'(namespace = {_NAMESPACE} OR (namespace COLLATE "C" >= {_BELOW} AND namespace COLLATE "C" < {_BEYOND}))'
)
_HIDDEN_SETTINGS = "serve/"
"""The server's secret is a setting whose name begins like this."""

_BY_NAMESPACE = ("memory", "event", "recall")
_BY_PARENT = {
    "usage": ("memory", "id"),
    "view": ("memory", "id"),
    "revision": ("event", "event"),
    "recalled": ("recall", "recall"),
    "feedback": ("recall", "recall"),
}
"""Table → the table whose rows its own belong to, and the column that names one."""
_PARENTS = {"memory": "id text", "recall": "id text", "event": "seq bigint"}
_REVISED = (
    "(revision.before IS NULL OR EXISTS "
    "(SELECT 1 FROM {schema}.memory o WHERE o.tenant = revision.tenant AND o.id = revision.memory_id))"
)
_BY_TENANT = ("corpus", "term")
_LINK_ENDS = (
    "EXISTS (SELECT 1 FROM {schema}.memory p WHERE p.tenant = link.tenant AND p.id = link.a) "
    "AND EXISTS (SELECT 1 FROM {schema}.memory p WHERE p.id = link.b)"
)
_ABOVE = f"starts_with({_BELOW}, namespace || '/')"


def limits(path: str, scope: str | None) -> list[str]:
    """The statements that limit a transaction to a namespace, or lift the limit. `path` is the search path."""
    if scope is None:
        return ["SET LOCAL ROLE NONE", f"SET LOCAL search_path = {path}"]
    # '0' is the character after '/'
    values = {"tenant": scope.partition("/")[0], "namespace": scope, "below": f"{scope}/", "beyond": f"{scope}0"}
    said = [f"SET LOCAL recollect.{name} = {sql.quote(value)}" for name, value in values.items()]
    return [*said, f"SET LOCAL search_path = {LIMITED}, {path}", f"SET LOCAL ROLE {ROLE}"]


def is_on(db: Database) -> bool:
    return _value(db) is not None


def _value(db: Database) -> str | None:
    row = db.execute(f"SELECT value FROM {SCHEMA}.setting WHERE key = %s", (SWITCH,), prepare=False).fetchone()
    return None if row is None else str(row[0])


def _digest() -> str:
    return sha256("\n".join(_statements()).encode()).hexdigest()[:16]


# Switching on and off -----------------------------------------------------------------------------


def refresh(db: Database, *, again: bool) -> None:
    """Makes the policies of this version, where row security is on and they are not there; or `again`."""
    if _value(db) in ((None,) if again else (None, _digest())):
        return

    def made() -> None:
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(%s)", (_REFRESHING,))
            db.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_MS}ms'")
            if again or _value(db) != _digest():
                enable(db)

    patiently(made)


def enable(db: Database) -> None:
    """In one transaction. The user needs the right to make roles, unless the role is there and the user's."""
    disable(db)
    _make_role(db)
    for statement in _statements():
        db.execute(statement.replace("{schema}", SCHEMA))
    db.execute(f"INSERT INTO {SCHEMA}.setting VALUES (%s, %s)", (SWITCH, _digest()))


def _make_role(db: Database) -> None:
    # who makes a role may give it to others, but since PostgreSQL 16 not take it
    needed = "SET" if db.info.server_version >= _TAKING_IS_A_RIGHT else "MEMBER"
    try:
        if db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone() is None:
            db.execute(f"CREATE ROLE {ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS")
        if db.execute("SELECT pg_has_role(%s, %s)", (ROLE, needed)).fetchone() != (True,):
            db.execute(f"GRANT {ROLE} TO CURRENT_USER")
    except errors.InsufficientPrivilege as error:
        raise StoreError(
            f"the user {db.info.user} may not make or take the role {ROLE}: let an administrator run "
            f"`CREATE ROLE {ROLE} NOLOGIN` if it is missing, and `GRANT {ROLE} TO {db.info.user}`"
        ) from error


def disable(db: Database) -> None:
    for table, name in db.execute(
        "SELECT tablename, policyname FROM pg_policies WHERE schemaname = %s AND %s = ANY(roles)", (SCHEMA, ROLE)
    ).fetchall():
        db.execute(f"DROP POLICY {name} ON {SCHEMA}.{table}")
        db.execute(f"ALTER TABLE {SCHEMA}.{table} DISABLE ROW LEVEL SECURITY")
    if db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone():
        db.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA {SCHEMA} FROM {ROLE}")
    db.execute(f"DROP SCHEMA IF EXISTS {LIMITED} CASCADE")
    db.execute(f"DELETE FROM {SCHEMA}.setting WHERE key = %s", (SWITCH,))


def _statements() -> Iterator[str]:
    yield f"GRANT USAGE ON SCHEMA {{schema}} TO {ROLE}"
    yield f"CREATE SCHEMA {LIMITED}"
    yield f"GRANT USAGE ON SCHEMA {LIMITED} TO {ROLE}"
    yield from map(_outside, _PARENTS)
    yield _function("has_chain()", f"SELECT EXISTS (SELECT 1 FROM {{schema}}.setting WHERE key = '{HEAD}')")
    for table in _BY_NAMESPACE:
        seen = f"{_TENANT} AND {_WITHIN}"
        # an id is that of one memory, whichever tenant has it
        unique = f" AND {_not_outside('memory', 'id')}" if table == "memory" else ""
        yield from _policies(table, seen, seen + unique)
    for table, (parent, column) in _BY_PARENT.items():
        key = _PARENTS[parent].partition(" ")[0]
        same = f"p.tenant = {table}.tenant AND p.{key} = {table}.{column}"
        seen = f"{_TENANT} AND EXISTS (SELECT 1 FROM {{schema}}.{parent} p WHERE {same})"
        extra = f" AND {_REVISED}" if table == "revision" else ""
        yield from _policies(table, seen + extra, f"{_TENANT} AND {_not_outside(parent, column)}")
    ends = f"{_not_outside('memory', 'a')} AND {_not_outside('memory', 'b')}"
    yield from _policies("link", f"{_TENANT} AND {_LINK_ENDS}", f"{_TENANT} AND {ends}")
    for table in _BY_TENANT:
        yield from _policies(table, _TENANT, _TENANT)
    # a call goes on with the chain of the log, and the first vector names its embedder; the rest is the owner's
    chain = f"starts_with(key, '{CHAIN}')"
    made = f"({chain} AND {LIMITED}.has_chain()) OR key IN ('{EMBEDDER}', '{FINGERPRINT}')"
    seen = f"NOT starts_with(key, '{_HIDDEN_SETTINGS}')"
    yield from _policies("setting", seen, made, owned=chain, removed="false")
    yield from _policies("mark", _WITHIN, _WITHIN)
    yield from _policies("retention", f"{_WITHIN} OR {_ABOVE}", _WITHIN, owned=_WITHIN)
    yield from _lexicon()


def _outside(parent: str) -> str:
    """A function that tells whether a row is outside. The role's own queries can't, because they don't see it."""
    key, kind = _PARENTS[parent].split()
    found = f"SELECT 1 FROM {{schema}}.{parent} p WHERE p.{key} = wanted AND NOT (p.{_TENANT} AND {_WITHIN})"
    return _function(f"{parent}_is_outside(wanted {kind})", f"SELECT EXISTS ({found})")


def _function(name: str, body: str) -> str:
    return (
        f"CREATE FUNCTION {LIMITED}.{name} RETURNS boolean LANGUAGE sql STABLE "
        f"SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $${body}$$"
    )


def _not_outside(parent: str, column: str) -> str:
    return f"NOT {LIMITED}.{parent}_is_outside({column})"


def _policies(
    table: str, seen: str, made: str, *, owned: str | None = None, removed: str | None = None
) -> Iterator[str]:
    """What the role may see and add, and what it may change (`owned`) and delete (`removed`): all that it sees,
    unless something else is given."""
    mine = owned or seen
    yield f"ALTER TABLE {{schema}}.{table} ENABLE ROW LEVEL SECURITY"
    yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON {{schema}}.{table} TO {ROLE}"
    yield f"CREATE POLICY {table}_seen ON {{schema}}.{table} FOR SELECT TO {ROLE} USING ({seen})"
    yield f"CREATE POLICY {table}_made ON {{schema}}.{table} FOR INSERT TO {ROLE} WITH CHECK ({made})"
    yield f"CREATE POLICY {table}_changed ON {{schema}}.{table} FOR UPDATE TO {ROLE} USING ({mine}) WITH CHECK ({made})"
    yield f"CREATE POLICY {table}_removed ON {{schema}}.{table} FOR DELETE TO {ROLE} USING ({removed or mine})"


def _lexicon() -> Iterator[str]:
    yield (
        f"CREATE VIEW {LIMITED}.lexicon AS SELECT * FROM {{schema}}.lexicon l WHERE l.{_TENANT} AND EXISTS "
        f"(SELECT 1 FROM {{schema}}.memory p WHERE p.tenant = l.tenant AND p.id = l.id AND {_WITHIN}) "
        "WITH CASCADED CHECK OPTION"
    )
    yield f"GRANT SELECT, INSERT, DELETE ON {LIMITED}.lexicon TO {ROLE}"
