"""The URL of a database: what the driver reads from it, and how messages show it."""

from __future__ import annotations

import re
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ...errors import StoreError

_PASSWORD = re.compile(r"[?&][^=&]*pass", re.IGNORECASE)


def parameters(url: str) -> dict[str, Any]:
    """The parameters of libpq in a URL."""
    scheme, _, rest = url.partition("://")
    try:
        found = dict(conninfo_to_dict(f"{scheme.lower()}://{rest}"))
    except psycopg.Error:  # its message repeats parts of the URL, which may be the password
        found = {"host": "@"}
    if "@" in str(found.get("host")):  # an @ in the password: its end is taken for the host
        raise StoreError(
            f"{shown(url)} is not a URL such as postgresql://user:password@host:5432/database: correct it; special "
            "characters of a password are written as %40 for @, %2F for /, %25 for %"
        )
    return found


def has_several_hosts(url: str) -> bool:
    found = parameters(url)
    return any("," in str(found.get(name)) for name in ("host", "hostaddr", "port"))


def shown(url: str) -> str:
    """The URL without its password and options, for messages."""
    plain = url.partition("?")[0] if _PASSWORD.search(url) else url
    head, at, tail = plain.rpartition("@")
    scheme, slashes, user = head.partition("://")
    name = user.partition(":")[0]
    return f"{scheme}{slashes}{name}@{tail}" if at and slashes else plain
