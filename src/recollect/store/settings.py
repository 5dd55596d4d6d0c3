"""The settings of a store, by name."""

from __future__ import annotations

from .protocol import Store
from .tables import Mark, Setting
from .values import Batch

EMBEDDER, FINGERPRINT = "embedder", "fingerprint"
"""The name and the exact version of the embedder that made the store's vectors."""


def setting(store: Store, key: str) -> str | None:
    return next((row.value for row in store.rows(Setting, key=key)), None)


def set_setting(store: Store, key: str, value: str) -> None:
    store.write(Batch(rows=[Setting(key=key, value=value)]))


def held_embedder(store: Store) -> tuple[str | None, str | None]:
    """Name and fingerprint of the embedder that made the store's vectors."""
    found = {row.key: row.value for row in store.rows(Setting)}
    return found.get(EMBEDDER), found.get(FINGERPRINT)


def set_embedder(store: Store, name: str, fingerprint: str) -> None:
    store.write(Batch(rows=[Setting(key=EMBEDDER, value=name), Setting(key=FINGERPRINT, value=fingerprint)]))


def mark(store: Store, task: str, namespace: str) -> str | None:
    return next((row.value for row in store.rows(Mark, task=task, namespace=namespace)), None)


def set_mark(store: Store, task: str, namespace: str, value: str) -> None:
    store.write(Batch(rows=[Mark(task=task, namespace=namespace, value=value)]))
