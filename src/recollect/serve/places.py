"""How other commands get to this store, and where its memories are if the namespace that is shown has none."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..namespaces import is_within
from ..recollect import Recollect

MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """The memories of a store outside of a namespace."""

    memories: int
    namespaces: tuple[str, ...]
    """The tenants they are in, the largest first; at most five."""
    more: int
    """How many other tenants there are."""
    command: str
    """Makes a key for the first of them."""


def is_file(mind: Recollect) -> bool:
    """Whether `--db` can name the store to anybody. The URL of a database may hold a password."""
    return "://" not in mind.url and mind.url != ":memory:"


def options_of(mind: Recollect, namespace: str) -> list[str]:
    """The options that lead another command there."""
    return [*(["--db", str(Path(mind.url).resolve())] if is_file(mind) else []), "--namespace", namespace]


def elsewhere(mind: Recollect, namespace: str) -> Elsewhere | None:
    """Where the memories are, if a namespace has none. Only for who may know the names of all namespaces."""
    if mind.list(namespace=namespace, limit=1) or not (counts := _others(mind, namespace)):
        return None
    tenants = Counter[str]()
    for path, count in counts.items():
        tenants[path.split("/")[0]] += count
    named = tuple(tenant for tenant, _ in tenants.most_common(MOST_NAMED))
    return Elsewhere(
        memories=tenants.total(),
        namespaces=named,
        more=len(tenants) - len(named),
        command=key_command(mind, named[0], named[0]),
    )


def _others(mind: Recollect, namespace: str) -> dict[str, int]:
    """The memories by namespace; nothing if some are inside. This counts all memories of the store."""
    counts = mind.namespaces()
    return {} if any(is_within(path, namespace) for path in counts) else counts


def key_command(mind: Recollect, namespace: str, name: str) -> str:
    """Makes a key that opens the page on a namespace, as its owner."""
    return shlex.join(
        ["recollect", "keys", "add", name, *options_of(mind, namespace), "--role", "admin", "--trust", "user"]
    )
