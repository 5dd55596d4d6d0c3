"""A whole memory from one store to another, and the proof that it arrived.

Recalls go first: recording one moves the counters of the memories it found, which come afterwards with the counters
they had. Each page is one transaction of the target that also notes how far it got, so a move that was broken off
goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any

from ..types import Event, Link, plain
from .protocol import Batch, Put, RecallRecord, Store

PAGE = 1_000
_MARKS = "moving"
"""The target's setting that says where a move came from and how far it got; empty when it is done."""
_OWN = ("vector_generation", "postgres:", _MARKS)
"""Settings that are about a file or database, not about the memory in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """How many rows of a kind there are, and a checksum that does not depend on their order."""

    count: int
    checksum: str


# Copying ------------------------------------------------------------------------------------------


def copy(source: Store, target: Store, advance: Callable[[int], None]) -> None:
    """Everything; what an earlier attempt copied already is passed over."""
    if not is_begun(source, target):
        target.set_setting(_MARKS, json.dumps({"source": source.url}))
    _in_pages(target, "recalls", lambda after: _recalls(source, after), _add_recalls)
    _in_pages(target, "memories", lambda after: _puts(source, after), _add_puts, advance)
    _in_pages(target, "links", lambda after: _links(source, after), _add_links)
    _in_pages(target, "events", lambda after: _events(source, after), _add_events)
    with target.transaction():
        for key, value in _settings(source).items():
            target.set_setting(key, value)
        target.set_setting(_MARKS, "")


def is_begun(source: Store, target: Store) -> bool:
    """Whether a move from this source to this target was broken off."""
    return _marks(target).get("source") == source.url


def _marks(target: Store) -> dict[str, str]:
    held: dict[str, str] = json.loads(target.setting(_MARKS) or "{}")
    return held


def _in_pages(
    target: Store,
    kind: str,
    read: Callable[[str], tuple[str, list[Any]]],
    add: Callable[[Store, list[Any]], None],
    advance: Callable[[int], None] = lambda count: None,
) -> None:
    mark = _marks(target).get(kind, "")
    while True:
        mark, page = read(mark)
        if not mark:
            return
        with target.transaction():
            add(target, page)
            target.set_setting(_MARKS, json.dumps(_marks(target) | {kind: mark}))
        advance(len(page))


def _recalls(source: Store, after: str) -> tuple[str, list[RecallRecord]]:
    page = source.all_recalls(after=after, limit=PAGE)
    return page[-1].logged.id if page else "", page


def _add_recalls(target: Store, page: list[RecallRecord]) -> None:
    for remark in page:
        target.record(remark.logged)
        if remark.said_at is not None:
            target.set_feedback(remark.logged.id, remark.feedback, remark.said_at)


def _puts(source: Store, after: str) -> tuple[str, list[Put]]:
    page = source.all_puts(after=int(after or 0), limit=PAGE)
    return str(page[-1][0]) if page else "", [put for _, put in page]


def _add_puts(target: Store, page: list[Put]) -> None:
    target.write(Batch(puts=page))


def _links(source: Store, after: str) -> tuple[str, list[Link]]:
    page = source.all_puts(after=int(after or 0), limit=PAGE)
    ids = {put.memory.id for _, put in page}
    # each link once, with its first end
    return str(page[-1][0]) if page else "", [link for link in source.links(ids) if link.a in ids]


def _add_links(target: Store, page: list[Link]) -> None:
    target.write(Batch(links=page))


def _events(source: Store, after: str) -> tuple[str, list[Event]]:
    page = source.all_events(after=int(after or 0), limit=PAGE)
    return str(page[-1][0]) if page else "", [event for _, event in page]


def _add_events(target: Store, page: list[Event]) -> None:
    target.write(Batch(events=[replace(event, undone_by=None) for event in page]))
    for event in page:
        if event.undone_by is not None:
            target.mark_undone(event.id, event.undone_by)


def _settings(store: Store) -> dict[str, str]:
    return {key: value for key, value in store.settings("").items() if not key.startswith(_OWN)}


# Proving ------------------------------------------------------------------------------------------


def sums(store: Store) -> dict[str, Sum]:
    """What a store holds, by kind: two stores with equal sums hold the same."""
    return {kind: _sum(rows) for kind, rows in _everything(store).items()}


def _everything(store: Store) -> Mapping[str, Iterator[Any]]:
    return {
        "memories": (_memory(put) for put in _paged(lambda after: _puts(store, after))),
        "vectors": (row for put in _paged(lambda after: _puts(store, after)) for row in _vectors(put)),
        "links": (link.to_dict() for link in _paged(lambda after: _links(store, after))),
        "events": (event.to_dict() for event in _paged(lambda after: _events(store, after))),
        "recalls": (_recall(remark) for remark in _paged(lambda after: _recalls(store, after))),
        "statistics": _statistics(store),
        "settings": iter(_settings(store).items()),
    }


def _paged(read: Callable[[str], tuple[str, list[Any]]]) -> Iterator[Any]:
    mark = ""
    while True:
        mark, page = read(mark)
        if not mark:
            return
        yield from page


def _memory(put: Put) -> Any:  # noqa: ANN401 - JSON
    terms = None if put.document is None else asdict(put.document)
    return [put.memory.to_dict(), terms, put.digest.hex() if put.digest else None, put.about]


def _vectors(put: Put) -> Iterator[Any]:
    for name, embedded in (put.vectors or {}).items():
        yield [put.memory.id, name, embedded.hash.hex(), blake2b(embedded.vector.tobytes()).hexdigest()]


def _recall(remark: RecallRecord) -> Any:  # noqa: ANN401 - JSON
    return [asdict(remark.logged), [asdict(said) for said in remark.feedback], remark.said_at]


def _statistics(store: Store) -> Iterator[Any]:
    """What BM25 reads, of every tenant and every term that occurs."""
    terms: dict[str, set[str]] = {}
    for put in _paged(lambda after: _puts(store, after)):
        if put.document is not None:
            held = terms.setdefault(put.memory.tenant, set())
            held.update(*asdict(put.document).values())
    for tenant, words in sorted(terms.items()):
        for (_, granularity), corpus in store.statistics([tenant], words).items():
            if corpus.documents:
                yield [tenant, granularity, corpus.documents, dict(corpus.lengths)]
                yield from ([tenant, granularity, *item] for item in corpus.document_frequencies.items())


def _sum(rows: Iterator[Any]) -> Sum:
    count = total = 0
    for row in rows:
        made = json.dumps(plain(row), ensure_ascii=False, sort_keys=True)
        total += int.from_bytes(blake2b(made.encode(), digest_size=16).digest())
        count += 1
    return Sum(count=count, checksum=f"{total % (1 << 128):032x}")
