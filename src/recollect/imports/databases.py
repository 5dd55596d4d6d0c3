"""Reads the SQLite files of OpenMem, of mem0's history and of mem0's local vector store (Qdrant)."""

from __future__ import annotations

import io
import pickle
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from ..adapters import mem0_shapes
from ..errors import InvalidInput
from ..types import LINK_KINDS
from .found import Broken, Found, Relation, key_of
from .records import mem0_item, openmem_item

HISTORY = "history.db"
"""mem0's log. It does not say whose a memory is, so files that do are read first."""
_HEAD = b"SQLite format 3\0"
_LAST_OF_EACH = """
    SELECT memory_id, new_memory, event, created_at, actor_id, role, max(rowid) AS last FROM history GROUP BY memory_id
"""


def is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_HEAD)) == _HEAD
    except OSError as error:
        raise InvalidInput(f"{path} can't be read: {error.strerror}") from None


def found_in_database(path: Path, base: str) -> Found:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            db.row_factory = sqlite3.Row
            yield from _found(db, path, base)
    except sqlite3.Error as error:
        raise InvalidInput(f"{path} can't be read as an SQLite file: {error}") from None


def _found(db: sqlite3.Connection, path: Path, base: str) -> Found:
    tables = {row["name"] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if {"memories", "edges"} <= tables:
        yield from _openmem(db, path)
    elif "points" in tables:
        yield from _qdrant(db, path, base)
    elif "history" in tables:
        yield from _mem0_history(db, base)
    else:
        raise InvalidInput(f"{path} is an SQLite file of an unknown program: it has {', '.join(sorted(tables)[:6])}")


def _openmem(db: sqlite3.Connection, path: Path) -> Found:
    for row in db.execute("SELECT * FROM memories ORDER BY created_at, id"):
        try:
            yield openmem_item(dict(row))
        except ValueError as error:
            yield Broken(f"{path}, memory {row['id']}", str(error))
    for row in db.execute("SELECT source_id, target_id, rel_type, weight FROM edges ORDER BY created_at, id"):
        a, b = (key_of("openmem", row[end]) for end in ("source_id", "target_id"))
        kind = row["rel_type"] if row["rel_type"] in LINK_KINDS else "related"
        yield Relation(a, b, kind, min(1.0, max(0.0, row["weight"] or 0.0)))


def _mem0_history(db: sqlite3.Connection, base: str) -> Found:
    """The last text of each memory."""
    for row in db.execute(_LAST_OF_EACH):
        if row["event"] != "DELETE" and row["new_memory"]:
            yield mem0_item({**dict(row), "id": row["memory_id"]}, row["new_memory"], base)


# Qdrant's local store: pickled points. Only plain data and their own class are unpickled -----------


_NOT_A_POINT = (
    *(pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, KeyError, MemoryError, OverflowError),
    *(RecursionError, TypeError, ValueError),
)
"""What unpickling a blob that is not a point can raise."""


class _Point:
    """Takes the state of a pickled point, whichever class it was."""

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.fields: Mapping[str, Any] = state.get("__dict__") or state


class _OnlyPoints(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - pickle's
        if module.startswith("qdrant_client.") and name == "PointStruct":
            return _Point
        raise pickle.UnpicklingError(f"the class {module}.{name} is not allowed")


def _qdrant(db: sqlite3.Connection, path: Path, base: str) -> Found:
    for number, (blob,) in enumerate(db.execute("SELECT point FROM points ORDER BY rowid"), start=1):
        try:
            yield from _point(_OnlyPoints(io.BytesIO(blob)).load(), base)
        except _NOT_A_POINT as error:
            yield Broken(f"{path}, point {number}", f"not a memory of mem0: {error or type(error).__name__}")


def _point(point: _Point, base: str) -> Iterator[Any]:
    payload = dict(point.fields.get("payload") or {})
    if "entity_type" in payload and "linked_memory_ids" in payload:
        return  # a name that mem0 found in memories, not a memory
    text = str(payload.pop("data"))
    own = {name: payload.pop(name) for name in mem0_shapes.OWN if name in payload}
    rest = {name: value for name, value in payload.items() if name not in ("hash", "text_lemmatized")}
    yield mem0_item({**own, "id": point.fields.get("id"), "metadata": rest}, text, base)
