"""Reads the log of recalls: what was asked, by whom, what was returned and used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from .. import checks
from ..errors import UnknownName
from ..store.protocol import Store
from ..store.values import RecallRecord
from ..types import LoggedHit, LoggedRecall, RecallDay, RecallLog
from .question import namespaces

MOST_READ = 2_000
"""Entries that one call reads. With filters that match few, a page may have none and still continue."""
_PAGE = 500

Test = Callable[[RecallRecord], bool]


def page(
    store: Store, own: str, filters: Mapping[str, Any], *, before: str | None = None, limit: int = MOST_READ
) -> RecallLog:
    """The newest recalls that pass the filters, and where the next page begins. `own` is the caller's namespace."""
    found: list[LoggedRecall] = []
    (namespace,) = namespaces(own, filters.get("namespace"), None)
    wanted, last = _tests(filters), before
    for n, record in enumerate(_newest(store, namespace, before)):
        if len(found) == limit or n == MOST_READ:
            return RecallLog(recalls=tuple(found), before=last)
        last = record.entry.id
        if all(test(record) for test in wanted):
            found.append(logged(record))
    return RecallLog(recalls=tuple(found), before=None)


def _newest(store: Store, namespace: str, before: str | None) -> Iterator[RecallRecord]:
    while some := store.recalls(namespaces=(namespace,), before=before, limit=_PAGE):
        yield from some
        if len(some) < _PAGE:
            break
        before = some[-1].entry.id


def _tests(filters: Mapping[str, Any]) -> list[Test]:
    """One test for each filter that is given."""
    for name in filters:
        if name not in _FILTERS and name != "namespace":
            raise UnknownName("filter", name, ("namespace", *_FILTERS))
    return [_FILTERS[name](value) for name, value in filters.items() if name in _FILTERS and value is not None]


def _since(value: str | datetime) -> Test:
    first = _moment("since", value)
    return lambda record: record.entry.at >= first


def _until(value: str | datetime) -> Test:
    end = _moment("until", value)
    return lambda record: record.entry.at < end


def _moment(name: str, value: str | datetime) -> datetime:
    found = checks.moment(name, value)
    assert found is not None
    return found


def _actor(value: str) -> Test:
    """A key may be given by its name alone."""
    actor = checks.label("actor", value)
    known = {actor} if actor.startswith("key:") else {actor, f"key:{actor}"}
    return lambda record: record.entry.actor in known


def _text(value: str) -> Test:
    wanted = checks.short("text", value).casefold()
    return lambda record: wanted in record.entry.query.casefold()


def _outcome(value: str) -> Test:
    return _OUTCOMES[checks.one_of("outcome", value, tuple(_OUTCOMES))]


_FILTERS: Mapping[str, Callable[[Any], Test]] = {
    "since": _since,
    "until": _until,
    "actor": _actor,
    "text": _text,
    "outcome": _outcome,
}


def _is_used(record: RecallRecord) -> bool:
    return any(given.used for given in record.feedback)


_OUTCOMES: Mapping[str, Test] = {
    "answered": lambda record: record.entry.rejected is None,
    "refused": lambda record: record.entry.rejected is not None,
    "used": _is_used,
    "unused": lambda record: bool(record.feedback) and not _is_used(record),
}


def logged(record: RecallRecord) -> LoggedRecall:
    entry, said = record.entry, {given.memory_id: given for given in record.feedback}
    hits = [
        LoggedHit(
            memory_id=id,
            score=score,
            used=said[id].used if id in said else None,
            outcome=said[id].outcome if id in said else None,
        )
        for id, score in entry.hits
    ]
    return LoggedRecall(
        id=entry.id,
        at=entry.at,
        actor=entry.actor,
        namespace=entry.namespace,
        query=entry.query,
        recipe=entry.recipe,
        rejected=entry.rejected,
        confidence=entry.confidence,
        ms=entry.ms,
        hits=tuple(hits),
    )


def days(store: Store, namespace: str, actor: str | None) -> list[RecallDay]:
    """The newest recalls of a namespace, counted by day, oldest day first."""
    counts: dict[str, Counter[str]] = {}
    for recall in page(store, namespace, {"actor": actor}).recalls:
        counts.setdefault(recall.at.astimezone(UTC).date().isoformat(), Counter()).update(_counted(recall))
    return [
        RecallDay(day=day, **{name: count[name] for name in ("asked", "refused", "judged", "unused")})
        for day, count in sorted(counts.items())
    ]


def _counted(recall: LoggedRecall) -> dict[str, int]:
    judged = [hit for hit in recall.hits if hit.used is not None]
    unused = sum(not hit.used for hit in judged)
    return {"asked": 1, "refused": int(recall.rejected is not None), "judged": len(judged), "unused": unused}
