"""LangGraph's `BaseStore` over a recollect store: `graph = builder.compile(store=RecollectStore(mind))`.

An item is a memory of the kind `langgraph`. The namespace `("users", "ada")` is the path `users/ada` below the memory's
own namespace. docs/langgraph.md lists what differs from LangGraph's own stores.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from .. import Memory, Recollect
from ..checks import MOST_PATH_CHARS, clean, metadata
from ..checks.where import parse_where
from ..errors import InvalidInput
from ..namespaces import decoded, encoded, is_within
from ..recipes import Recipe
from ..types import STATUSES, Filter
from . import missing
from .langgraph_items import KIND, about, flattened, lines, session_of, unflattened

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        InvalidNamespaceError,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
        tokenize_path,
    )
except ModuleNotFoundError as error:
    raise missing("langgraph", "langgraph") from error

HELD = tuple(status for status in STATUSES if status not in ("forgotten", "expired"))
RENEWED_AFTER = 0.05
"""A read renews an item's TTL when at least this share of it is used up, so not every read is a write."""
_OUTERMOST, _OUTERMOST_WHOLE = sys.float_info.max, (1 << 63) - 1


class RecollectStore(BaseStore):
    """A LangGraph store that keeps its items in a recollect memory.

    `fields` are the default paths to index ("$" is the whole value). With `only_answers`, a search that recall refuses
    finds nothing; otherwise it returns what comes nearest, as LangGraph's own stores do.
    """

    supports_ttl = True

    def __init__(
        self,
        mind: Recollect,
        *,
        fields: Sequence[str] = ("$",),
        ttl: TTLConfig | None = None,
        recipe: str | Path | Recipe | None = None,
        only_answers: bool = False,
    ) -> None:
        self.mind = mind
        self.ttl_config = ttl
        self._fields = tuple(fields)
        self._recipe = recipe
        self._only_answers = only_answers

    @classmethod
    @contextmanager
    def from_conn_string(
        cls,
        path: str | Path,
        *,
        fields: Sequence[str] = ("$",),
        ttl: TTLConfig | None = None,
        recipe: str | Path | Recipe | None = None,
        only_answers: bool = False,
    ) -> Iterator[RecollectStore]:
        """Opens a file or a PostgreSQL URL and closes it at the end. The options are those of the class."""
        with Recollect(path) as mind:
            yield cls(mind, fields=fields, ttl=ttl, recipe=recipe, only_answers=only_answers)

    def setup(self) -> None:
        """Does nothing: opening a memory makes its tables. LangGraph's own stores need this call."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads first, then writes in one transaction. Of several writes to one item, the last one counts."""
        listed, now = list(ops), datetime.now(UTC)
        for op in listed:
            _check_labels(op)
        results = [self._read(op, now) for op in listed]
        puts = {(op.namespace, op.key): op for op in listed if isinstance(op, PutOp)}
        if puts:
            with self.mind.store.transaction():
                self._write(list(puts.values()), now)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    # Reading --------------------------------------------------------------------------------------

    def _read(self, op: Op, now: datetime) -> Result:
        if isinstance(op, GetOp):
            return self._get(op, now)
        if isinstance(op, SearchOp):
            return self._search(op, now)
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op, now)
        if isinstance(op, PutOp):
            return None
        raise InvalidInput(f"unknown operation {op!r}")

    def _get(self, op: GetOp, now: datetime) -> Item | None:
        memory = self._find(op.namespace, op.key, now)
        if memory is None:
            return None
        self._renew([memory], op.refresh_ttl, now)
        return Item(**self._parts(memory))

    def _find(self, namespace: Sequence[str], key: str, now: datetime) -> Memory | None:
        found = self.mind.store.scan(
            Filter(
                namespaces=(self._path(namespace),),
                exact=True,
                kinds=(KIND,),
                statuses=HELD,
                session_id=session_of(key),
                live_at=now,
                where=parse_where({"key": clean("key", key)}),
            ),
            limit=1,
        )
        return found[0] if found else None

    def _search(self, op: SearchOp, now: datetime) -> list[SearchItem]:
        asked = op.query and op.query.strip()
        found = self._recalled(op, now) if asked else self._listed(op, now)
        found = found[op.offset : op.offset + op.limit]
        self._renew([memory for memory, _ in found], op.refresh_ttl, now)
        return [SearchItem(**self._parts(memory), score=score) for memory, score in found]

    def _recalled(self, op: SearchOp, now: datetime) -> list[tuple[Memory, float | None]]:
        found = self.mind.recall(
            op.query or "",
            limit=max(1, op.offset + op.limit),
            namespace=self._path(op.namespace_prefix),
            kinds=[KIND],
            where={"indexed": True, **_where(op.filter or {})},
            recipe=self._recipe,
            at=now,
        )
        hits = found.hits if self._only_answers else found.hits or found.nearest
        return [(hit.memory, hit.score) for hit in hits]

    def _listed(self, op: SearchOp, now: datetime) -> list[tuple[Memory, float | None]]:
        within = Filter(
            namespaces=(self._path(op.namespace_prefix),),
            kinds=(KIND,),
            statuses=HELD,
            live_at=now,
            where=parse_where(_where(op.filter or {})),
        )
        return [(memory, None) for memory in self.mind.store.scan(within, limit=op.offset + op.limit)]

    def _list_namespaces(self, op: ListNamespacesOp, now: datetime) -> list[tuple[str, ...]]:
        base = self.mind.namespace
        below = [self._labels(path) for path in self.mind.namespaces() if is_within(path, base)]
        matching = [found for found in below if all(_matches(each, found) for each in op.match_conditions or ())]
        held = [found for found in matching if self._has_items(found, now)]
        return sorted({found[: op.max_depth] for found in held})[op.offset : op.offset + op.limit]

    def _has_items(self, namespace: tuple[str, ...], now: datetime) -> bool:
        within = Filter(namespaces=(self._path(namespace),), exact=True, kinds=(KIND,), statuses=HELD, live_at=now)
        return bool(self.mind.store.scan(within, limit=1))

    def _renew(self, memories: Iterable[Memory], asked: bool, now: datetime) -> None:
        for memory in memories if asked and not self.mind.store.read_only else ():
            minutes = memory.metadata.get("ttl_minutes")
            if minutes is None or memory.expires_at is None:
                continue
            renewed = now + timedelta(minutes=minutes)
            if renewed - memory.expires_at >= timedelta(minutes=minutes) * RENEWED_AFTER:
                self.mind.update(memory.id, expires_at=renewed)

    def _parts(self, memory: Memory) -> dict[str, Any]:
        return {
            "namespace": self._labels(memory.namespace),
            "key": memory.metadata["key"],
            "value": unflattened(memory.metadata),
            "created_at": memory.created_at,
            "updated_at": datetime.fromisoformat(memory.metadata["updated_at"]),
        }

    # Writing --------------------------------------------------------------------------------------

    def _write(self, puts: Sequence[PutOp], now: datetime) -> None:
        new = []
        for op in puts:
            held = self._find(op.namespace, op.key, now)
            if op.value is None:
                self._delete(held)
            elif held is None:
                new.append({**self._fields_of(op, op.value, now), **self._fixed(op, now)})
            else:
                self.mind.update(held.id, **self._fields_of(op, op.value, now))
        if new:
            self.mind.remember_many(new)

    def _delete(self, held: Memory | None) -> None:
        if held is not None:
            self.mind.purge(held.id)

    def _fixed(self, op: PutOp, now: datetime) -> dict[str, Any]:
        """What stays as it is when an item is put again. A chunk is never merged with another or superseded by it."""
        path, session = self._path(op.namespace), session_of(op.key)
        fixed = {"kind": KIND, "granularity": "chunk", "dedup": False, "at": now}
        return {**fixed, "namespace": path, "session_id": session}

    def _fields_of(self, op: PutOp, given: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        value = _checked(given)
        text = _text(value, self._fields if op.index is None else op.index or ())
        return {
            "text": text or op.key.strip() or "item",
            "metadata": {**about(op.key, bool(text), now, op.ttl), **flattened(value)},
            "expires_at": None if op.ttl is None else now + timedelta(minutes=op.ttl),
        }

    # Namespaces -----------------------------------------------------------------------------------

    def _path(self, namespace: Sequence[str]) -> str:
        path = "/".join([self.mind.namespace, *map(encoded, namespace)])
        if len(path) > MOST_PATH_CHARS:
            raise InvalidInput(
                f"the namespace {tuple(namespace)!r} makes a path of more than {MOST_PATH_CHARS} characters"
            )
        return path

    def _labels(self, path: str) -> tuple[str, ...]:
        below = path[len(self.mind.namespace) + 1 :]
        return tuple(map(decoded, below.split("/"))) if below else ()


def _check_labels(op: Op) -> None:
    """As LangGraph's own methods check them: a program can also call `batch` itself."""
    if isinstance(op, ListNamespacesOp):
        paths = [condition.path for condition in op.match_conditions or ()]
    else:
        paths = [op.namespace_prefix if isinstance(op, SearchOp) else op.namespace]
    for label in (label for path in paths for label in path):
        if not isinstance(label, str) or not label or "." in label:
            raise InvalidNamespaceError(f"a label of a namespace must be a text without periods, not {label!r}")


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", found) for wanted, found in zip(path, part, strict=True))


# Values ---------------------------------------------------------------------------------------------


def _checked(value: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return metadata(value)
    except InvalidInput as error:
        raise InvalidInput(str(error).replace("metadata", "the value", 1)) from None


def _where(filter: Mapping[str, Any]) -> dict[str, Any]:
    """LangGraph's filter as conditions on the metadata."""
    return {pointer: _condition(pointer, wanted) for pointer, wanted in _conditions(filter).items()}


def _conditions(filter: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, wanted in filter.items():
        pointer = f"{above}/{str(name).replace('~', '~0').replace('/', '~1')}"
        nested = isinstance(wanted, Mapping) and wanted and not any(str(key).startswith("$") for key in wanted)
        found |= _conditions(wanted, pointer) if nested else {pointer: wanted}
    return found


def _condition(pointer: str, wanted: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    if not isinstance(wanted, Mapping) or not wanted:
        return {"eq": wanted}
    if any(isinstance(value, Mapping) and value for value in wanted.values()):
        raise InvalidInput(f"filter: {pointer} can't be compared with an object; compare its fields")
    if any(value != value for value in wanted.values()):  # NaN, which nothing compares with
        return {"in": []}
    return {str(op).removeprefix("$"): _comparable(value) for op, value in wanted.items()}


def _comparable(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Infinity and numbers beyond those of a database as the outermost number that it has."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(max(-_OUTERMOST, min(_OUTERMOST, value))) if is_number and abs(value) > _OUTERMOST_WHOLE else value


# Text -----------------------------------------------------------------------------------------------


def _text(value: Mapping[str, Any], fields: Sequence[str]) -> str:
    """What an item is found by: the text of these paths, a line each."""
    return "\n".join(line for field in fields for line in _lines(value, field) if line.strip())


def _lines(value: Mapping[str, Any], field: str) -> list[str]:
    if field == "$":
        return lines(value)
    found: list[str] = get_text_at_path(value, tokenize_path(field))
    return found
