"""Turns rows of a damaged file into memories, events, recalls and small rows. Rows that make no sense are left out."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

from .. import checks
from ..errors import InvalidInput
from ..store.sql.carry_over import PREFIXES, small_rows
from ..store.sql.rows import COLUMNS, from_micros, moment
from ..store.sqlite.dialect import decoded
from ..store.sqlite.salvage.rows import Key, Salvaged
from ..store.sqlite.salvage.shapes import Row as RawRow
from ..store.tables import KINDS, Row, Setting, columns, is_copied, moments
from ..store.values import Embedded, Feedback, Put, RecallEntry, RecallRecord
from ..types import GRANULARITIES, TIERS, Change, Event, Link, Memory
from ..write.build.put import saved, saved_altered
from .salvaged_chain import Hashed

T = TypeVar("T")
SENSELESS = (ValueError, TypeError, OverflowError, KeyError)
TABLES = ("memory", "link", "event", "revision", "recall", "recalled", "feedback", *(kind.TABLE for kind in KINDS))
"""The tables whose losses are told. Words and vectors are made again."""
_ELSEWHERE = "recovered"
"""The namespace of memories whose own can't be read."""
_SHARES = ("importance", "confidence", "strength")


class Left:
    """The rows that can't be saved: table → their keys."""

    def __init__(self) -> None:
        self.keys: dict[str, dict[Key, None]] = {}

    def add(self, table: str, *keys: Key) -> None:
        self.keys.setdefault(table, {}).update(dict.fromkeys(keys))


def sensible(found: Salvaged, table: str, left: Left, read: Callable[[dict[str, Any]], T]) -> list[T]:
    """What `read` makes of the whole rows of a table. The keys of the other rows are added to `left`."""
    made = []
    for key, row in found.rows.get(table, {}).items():
        try:
            if not row.whole:
                raise ValueError("the checksum is wrong")
            made.append(read(row.values))
        except SENSELESS:
            left.add(table, key)
    return made


# Memories -----------------------------------------------------------------------------------------


def puts(found: Salvaged, left: Left) -> Iterator[Put]:
    """The memories in the order they were stored. One with an altered row goes to quarantine."""
    vectors = Vectors(found)
    for key, row in sorted(found.rows.get("memory", {}).items(), key=lambda each: each[1].values["row"]):
        put = _whole(row, vectors) if row.whole else None
        if put is None:
            put = _altered(found, key, row, left)
        if put is not None:
            yield put


def _whole(row: RawRow, vectors: Vectors) -> Put | None:
    values = row.values
    try:
        memory = decoded([values[name] for name in COLUMNS])
    except SENSELESS:
        return None
    return saved(memory, values["digest"], values["about"], vectors.of(memory.id, values["row"]))


def _altered(found: Salvaged, key: Key, row: RawRow, left: Left) -> Put | None:
    """An altered row, with plain values in place of those that make no sense."""
    values = {name: _printable(value) for name, value in row.values.items()}
    ids = [named[0] for named, index in found.named.get("memory", {}).items() if index["row"] == values["row"]]
    if ids and key not in found.named["memory"]:
        values["id"] = ids[0]  # the index knows the id better
        if (ids[0],) in found.rows["memory"]:
            left.add("memory", key)
            return None
    try:
        return saved_altered(_mended(values))
    except SENSELESS:
        left.add("memory", (values["id"],))
        return None


def _printable(value: Any) -> Any:  # noqa: ANN401 - what a column holds
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if isinstance(value, str) else value


def _mended(values: dict[str, Any]) -> Memory:
    made = {name: values[name] for name in COLUMNS}
    for name in ("tags", "entities"):
        made[name] = tuple(map(str, _json(made[name], list)))
    made["metadata"] = _json(made["metadata"], dict)
    for name in COLUMNS:
        if name.endswith("_at") or name.startswith("valid_"):
            made[name] = _moment(made[name])
    made["created_at"] = made["created_at"] or _made_at(made["id"])
    for name in _SHARES:
        made[name] = made[name] if 0 <= made[name] <= 1 else 0.5
    for name in ("access_count", "retrieval_count"):
        made[name] = max(0, made[name])
    made["granularity"] = made["granularity"] if made["granularity"] in GRANULARITIES else "memory"
    made["tier"] = made["tier"] if made["tier"] in TIERS else "searchable"
    return replace(Memory(**made), namespace=_namespace(made["namespace"], values["tenant"]))


def _json(text: str, kind: type[T]) -> T:
    try:
        found = json.loads(text)
    except ValueError:
        return kind()
    return found if isinstance(found, kind) else kind()


def _moment(micros: int | None) -> datetime | None:
    try:
        return from_micros(micros)
    except OverflowError:
        return None


def _made_at(id: str) -> datetime:
    """An id begins with the moment it was made."""
    return datetime.fromtimestamp((UUID(id).int >> 80) / 1000, UTC)


def _namespace(path: str, tenant: str) -> str:
    """An altered namespace must not show the memory to another tenant."""
    try:
        return path if checks.path(path).partition("/")[0] == tenant else _ELSEWHERE
    except InvalidInput:
        return _ELSEWHERE


# Vectors ------------------------------------------------------------------------------------------


class Vectors:
    """The vectors of the memories whose views are all whole."""

    def __init__(self, found: Salvaged) -> None:
        self._held = _embedded(found.of("vector"))
        self._views: defaultdict[int, dict[str, int | None]] = defaultdict(dict)
        for row, name in found.named.get("view", {}):
            self._views[row][name] = None
        for view in found.of("view"):
            self._views[view.values["row"]][view.values["name"]] = view.values["vector"]
        self._rows = {id: index["row"] for (id,), index in found.named.get("memory", {}).items()}
        self._shared = Counter(memory.values["row"] for memory in found.of("memory"))

    def of(self, id: str, row: int) -> dict[str, Embedded]:
        """View → vector; none if one of them is not whole, so that `reembed` makes all of them."""
        if self._rows.get(id, row) != row or self._shared[row] > 1:
            return {}  # the row's number is damaged
        views = self._views.get(row, {})
        made = {name: self._held[number] for name, number in views.items() if number in self._held}
        return made if len(made) == len(views) else {}


def _embedded(rows: Iterable[RawRow]) -> dict[int | None, Embedded]:
    """Number → vector, for vectors that are whole and as long as most."""
    whole = [row.values for row in rows if row.whole]
    if not whole:
        return {}
    import numpy as np

    [(size, _)] = Counter(len(each["data"]) for each in whole).most_common(1)
    read = {
        each["number"]: (each["hash"], each["data"]) for each in whole if len(each["data"]) == size and size % 2 == 0
    }
    numbers = {number: (hash, np.frombuffer(data, np.float16)) for number, (hash, data) in read.items()}
    return {
        number: Embedded(hash=hash, vector=vector.astype(np.float32))
        for number, (hash, vector) in numbers.items()
        if np.isfinite(vector).all()
    }


# Links and logs -----------------------------------------------------------------------------------


def links(found: Salvaged, left: Left, ids: Collection[str]) -> list[Link]:
    def read(values: dict[str, Any]) -> Link:
        if values["a"] not in ids or values["b"] not in ids:
            raise ValueError("a memory is missing")
        return Link(
            a=values["a"],
            b=values["b"],
            kind=values["kind"],
            weight=values["weight"],
            created_at=from_micros(values["created_at"]),
        )

    return sensible(found, "link", left, read)


def events(found: Salvaged, left: Left) -> list[Hashed]:
    """The events in the order they were logged. A change of an event that is lost is lost too."""
    changes: defaultdict[int, list[Change]] = defaultdict(list)
    for seq, change in sensible(found, "revision", left, _change):
        changes[seq].append(change)

    def read(values: dict[str, Any]) -> tuple[int, Hashed]:
        changed = sorted(changes[values["seq"]], key=lambda change: change.memory_id)
        return values["seq"], Hashed(event=_event(values, changed), hash=values.get("hash"))

    made = sorted(sensible(found, "event", left, read), key=lambda pair: pair[0])
    for seq in changes.keys() - {seq for seq, _ in made}:
        left.add("revision", *((change.memory_id, seq) for change in changes[seq]))
    return [logged for _, logged in made]


def _event(values: dict[str, Any], changes: Iterable[Change]) -> Event:
    return Event(
        id=values["id"],
        at=moment(values["at"]),
        actor=values["actor"],
        action=values["action"],
        namespace=values["namespace"],
        changes=tuple(changes),
        detail=json.loads(values["detail"]),
        undone_by=values["undone_by"],
    )


def _change(values: dict[str, Any]) -> tuple[int, Change]:
    before = None if values["before"] is None else json.loads(values["before"])
    return values["event"], Change(memory_id=values["memory_id"], before=before)


def recalls(found: Salvaged, left: Left) -> list[RecallRecord]:
    hits: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for values in sensible(found, "recalled", left, dict):
        hits[values["recall"]].append(values)
    said: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for values in sensible(found, "feedback", left, dict):
        said[values["recall"]].append(values)
    return sensible(found, "recall", left, lambda row: _recall(row, hits[row["id"]], said[row["id"]]))


def _recall(row: dict[str, Any], hits: list[dict[str, Any]], said: list[dict[str, Any]]) -> RecallRecord:
    ranked = sorted(hits, key=lambda hit: int(hit["rank"]))
    entry = RecallEntry(
        id=row["id"],
        at=moment(row["at"]),
        actor=row["actor"],
        namespace=row["namespace"],
        query=row["query"],
        recipe=row["recipe"],
        rejected=row["rejected"],
        confidence=row["confidence"],
        hits=[(hit["memory_id"], hit["score"]) for hit in ranked],
        ms=row.get("ms"),
    )
    given = [
        Feedback(
            memory_id=each["memory_id"],
            used=bool(each["used"]),
            outcome=each["outcome"],
            strength=each["strength"],
            importance=each["importance"],
        )
        for each in said
    ]
    return RecallRecord(entry=entry, feedback=given, feedback_at=moment(said[0]["at"]) if said else None)


# Small tables -------------------------------------------------------------------------------------


def small(found: Salvaged, left: Left) -> list[Row]:
    """The rows of the small tables. A file of schema 2 has them among its settings."""
    made: list[Row] = []
    for kind in KINDS:
        made += sensible(found, kind.TABLE, left, lambda values, kind=kind: _small(kind, values))  # type: ignore[misc]
    settings = {row.key: row.value for row in made if isinstance(row, Setting)}
    for key, value in settings.items():
        try:
            made += small_rows({key: value})
        except SENSELESS:
            left.add("setting", (key,))
    return [row for row in made if is_copied(row) and not _is_old(row)]


def _is_old(row: Row) -> bool:
    return isinstance(row, Setting) and row.key.startswith(PREFIXES)


def _small(kind: type[Row], values: dict[str, Any]) -> Row:
    times = moments(kind)
    return kind(**{name: from_micros(values[name]) if name in times else values[name] for name in columns(kind)})
