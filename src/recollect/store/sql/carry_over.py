"""Moves rows that schema 2 stored in `setting` to the tables that schema 3 has for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ...errors import StoreDamaged
from ...text.moments import parse_moment
from ..tables import ApiKey, LoginLink, Mark, Reply, RetentionRule, Row, Setting
from . import tables
from .dialect import Database, Dialect

_REPLY_LIFE = timedelta(days=1)


def carry_over(db: Database, dialect: Dialect) -> None:
    """Moves keys, login links, replies, retention rules and marks out of the settings."""
    held = {row.key: row.value for row in tables.rows(db, dialect, Setting, {}, checksums=False)}
    try:
        carried = list(small_rows(held))
    except (ValueError, TypeError) as error:
        raise StoreDamaged(
            f"a setting of the version before can't be read ({error}): restore a copy with `recollect restore-backup`"
        ) from error
    tables.insert(db, dialect, carried, checksums=False)  # a later migration adds them
    for key in held:
        if key.startswith(PREFIXES):
            tables.delete(db, dialect, Setting, {"key": key})


PREFIXES = ("key/", "serve/tickets", "idempotency/", "retention:", "tended:", "moving")


def small_rows(settings: Mapping[str, str]) -> Iterable[Row]:
    """The rows of the new tables. The mark of an interrupted copy (`moving`) is dropped: it can't be continued."""
    for key, value in settings.items():
        if key.startswith("key/"):
            yield _api_key(json.loads(value))
        elif key == "serve/tickets":
            yield from _login_links(json.loads(value))
        elif key.startswith("idempotency/"):
            yield from _replies(json.loads(value))
        elif key.startswith("retention:"):
            yield RetentionRule(namespace=key.removeprefix("retention:"), **json.loads(value))
        elif key.startswith("tended:"):
            _, task, namespace = key.split(":", 2)
            yield Mark(task=task, namespace=namespace, value=value)


def _api_key(held: Mapping[str, Any]) -> ApiKey:
    moments = {name: parse_moment(value) for name, value in held.items() if name.endswith("_at") and value}
    return ApiKey(**{**held, **moments})


def _login_links(held: Mapping[str, Any]) -> Iterator[LoginLink]:
    for sha256, (key_id, ends) in held.items():
        yield LoginLink(sha256=sha256, key_id=key_id, expires_at=parse_moment(ends))


def _replies(held: Mapping[str, Any]) -> Iterator[Reply]:
    for name, (at, digest, status, body) in held.items():
        ends = datetime.fromtimestamp(at, UTC) + _REPLY_LIFE
        yield Reply(name=name, digest=digest, status=status, body=json.dumps(body), expires_at=ends)
