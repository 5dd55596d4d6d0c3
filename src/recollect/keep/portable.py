"""Export and import as JSON lines (format: docs/export-format.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from .. import checks
from ..embedders.optional import OptionalEmbedder
from ..errors import InvalidInput
from ..ids import digest
from ..store.protocol import Batch, Embedded, Put, Store
from ..types import GRANULARITIES, LINK_KINDS, Change, Filter, Link, Memory, plain
from ..write.build.embed import FULL, remember_embedder
from ..write.build.words import document
from ..write.changes import revise
from ..write.path import BATCH
from ..write.stamp import Stamp

VERSION = 1
_PAGE = 1_000
_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    **revise.PARSERS,
    "id": lambda v: checks.label("id", v),
    "namespace": checks.path,
    "session_id": lambda v: checks.optional("session_id", v),
    "turn": lambda v: checks.position("turn", v),
    "role": lambda v: checks.optional("role", v),
    "granularity": lambda v: checks.one_of("granularity", v, GRANULARITIES),
    "origin": lambda v: checks.label("origin", v),
    "trust": lambda v: checks.label("trust", v),
    "created_at": lambda v: checks.moment("created_at", v),
    "access_count": lambda v: checks.position("access_count", v) or 0,
    "last_accessed_at": lambda v: checks.moment("last_accessed_at", v),
    "retrieval_count": lambda v: checks.position("retrieval_count", v) or 0,
    "last_retrieved_at": lambda v: checks.moment("last_retrieved_at", v),
    "decayed_at": lambda v: checks.moment("decayed_at", v),
}
"""Every field of a memory: what is written, and how it is read back."""
_NEEDED = ("created_at", "id", "namespace", "text")


def export(store: Store, target: TextIO, within: Filter, advance: Callable[[int], None]) -> int:
    """Writes line by line: a head, memories oldest first, their links, and an end that counts them."""
    _line(target, {"type": "recollect", "version": VERSION})
    memories, links, after = 0, 0, None
    while page := store.scan(within, order="id", limit=_PAGE, after=after):
        for memory in page:
            record = {name: plain(getattr(memory, name)) for name in sorted(_PARSERS)}
            _line(target, {"type": "memory", **record})
        after = page[-1].id
        memories += len(page)
        advance(len(page))
    after = None
    while page := store.scan(within, order="id", limit=_PAGE, after=after):
        ids = {memory.id for memory in page}
        for link in store.links(ids):
            if link.a in ids:  # each link once, with its first end
                _line(target, {"type": "link", **link.to_dict()})
                links += 1
        after = page[-1].id
    _line(target, {"type": "end", "memories": memories, "links": links})
    return memories


def _line(target: TextIO, record: Mapping[str, Any]) -> None:
    target.write(json.dumps(record, ensure_ascii=False) + "\n")


def import_(store: Store, embedder: OptionalEmbedder, path: Path, stamp: Stamp, advance: Callable[[int], None]) -> int:
    """All of a file or nothing. Memories whose id is there already are left as they are."""
    expected = _verify(path)
    with store.transaction():
        added: list[str] = []
        records = _records(path, "memory")
        while batch := [_memory(record) for record in islice(records, BATCH)]:
            added += _add(store, embedder, batch)
            advance(len(batch))
        links = [_link(record) for record in _records(path, "link")]
        known = store.get({end for link in links for end in (link.a, link.b)})
        kept = [link for link in links if link.a in known and link.b in known]
        changes = [Change(memory_id=memory_id, before=None) for memory_id in added]
        event = stamp.event("import", "", changes, {"memories": len(added), "read": expected})
        store.write(Batch(links=kept, events=[event]))
    return len(added)


def _add(store: Store, embedder: OptionalEmbedder, memories: list[Memory]) -> list[str]:
    """The ids of those that are new."""
    known = store.get([memory.id for memory in memories])
    fresh = [memory for memory in memories if memory.id not in known]
    if not fresh:
        return []
    vectors = embedder.vectors([memory.text for memory in fresh])
    remember_embedder(store, embedder)
    puts = []
    for n, memory in enumerate(fresh):
        views = None
        if vectors is not None:
            views = {FULL: Embedded(hash=embedder.hash(memory.text), vector=vectors[n])}
        puts.append(Put(memory=memory, document=document(memory), digest=digest(memory.text), vectors=views))
    store.write(Batch(puts=puts))
    return [memory.id for memory in fresh]


def _verify(path: Path) -> int:
    """Reads the whole file once before anything is changed: head, end, counts."""
    counts = {"memory": 0, "link": 0}
    ids: set[str] = set()
    end: Mapping[str, Any] | None = None
    for number, record in enumerate(_lines(path), start=1):
        kind = record.get("type")
        if number == 1:
            _check_head(path, record)
        elif kind in counts:
            counts[kind] += 1
            _check_record(path, number, record, ids)
        elif kind == "end":
            end = record
        else:
            raise InvalidInput(f"{path}, line {number}: unknown type {kind!r}")
    if end is None or end.get("memories") != counts["memory"] or end.get("links") != counts["link"]:
        raise InvalidInput(f"{path} is not complete (it was cut off or edited): nothing was imported")
    return counts["memory"]


def _check_record(path: Path, number: int, record: Mapping[str, Any], ids: set[str]) -> None:
    try:
        if record["type"] == "link":
            _link(record)
            return
        memory_id = _memory(record).id
        if memory_id in ids:
            raise InvalidInput(f"the id {memory_id!r} is there twice")
        ids.add(memory_id)
    except InvalidInput as error:
        raise InvalidInput(f"{path}, line {number}: {error}; nothing was imported") from None


def _check_head(path: Path, record: Mapping[str, Any]) -> None:
    if record.get("type") != "recollect":
        raise InvalidInput(f"{path} is not a recollect export: its first line must name the format")
    if record.get("version") != VERSION:
        raise InvalidInput(f"{path} has format version {record.get('version')!r}, this recollect reads {VERSION}")


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                yield _parsed(path, number, line)
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text: nothing was imported") from None
    except OSError as error:
        raise InvalidInput(f"{path} can't be read: {error.strerror}") from None


def _parsed(path: Path, number: int, line: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidInput(f"{path}, line {number}: not JSON ({error}); nothing was imported") from None
    if not isinstance(record, dict):
        raise InvalidInput(f"{path}, line {number}: must be a JSON object")
    return record


def _records(path: Path, kind: str) -> Iterator[Mapping[str, Any]]:
    return (record for record in _lines(path) if record.get("type") == kind)


def _memory(record: Mapping[str, Any]) -> Memory:
    for name in _NEEDED:
        if record.get(name) is None:
            raise InvalidInput(f"the memory lacks {name!r}")
    return Memory(**{name: _PARSERS[name](value) for name, value in record.items() if name in _PARSERS})


def _link(record: Mapping[str, Any]) -> Link:
    kind = checks.one_of("link kind", record.get("kind"), LINK_KINDS)
    weight = checks.share("weight", record.get("weight", 0.5))
    made = checks.moment("created_at", record.get("created_at"))
    a, b = str(record.get("a")), str(record.get("b"))
    if a == b:
        raise InvalidInput(f"{a} can't be linked to itself")
    return Link(a=a, b=b, kind=kind, weight=weight, created_at=made)
