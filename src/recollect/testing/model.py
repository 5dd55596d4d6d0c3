"""What a filter admits and what the statistics are, said again in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ..store.values import Document
from ..types import FIELDS, Condition, Corpus, Filter, Junction, Memory, Statistics


def admits(filter: Filter, memory: Memory) -> bool:
    """Whether the filter admits the memory."""
    return (
        any(_inside(memory.namespace, path, filter.exact) for path in filter.namespaces or (memory.namespace,))
        and memory.status in (filter.statuses or (memory.status,))
        and memory.tier in (filter.tiers or (memory.tier,))
        and memory.kind in (filter.kinds or (memory.kind,))
        and memory.granularity in (filter.granularities or (memory.granularity,))
        and set(filter.tags) <= set(memory.tags)
        and filter.session_id in (None, memory.session_id)
        and (not filter.turns or memory.turn in filter.turns)
        and _in_time(filter, memory)
        and (filter.where is None or matches(filter.where, memory.metadata))
    )


def _inside(namespace: str, path: str, exact: bool) -> bool:
    return namespace == path or (not exact and namespace.startswith(f"{path}/"))


def _in_time(filter: Filter, memory: Memory) -> bool:
    return (
        (filter.since is None or memory.happened_at >= filter.since)
        and (filter.until is None or memory.happened_at < filter.until)
        and (filter.as_of is None or (memory.valid_from or memory.created_at) <= filter.as_of)
        and (filter.as_of is None or memory.valid_to is None or memory.valid_to > filter.as_of)
        and (filter.live_at is None or memory.expires_at is None or memory.expires_at > filter.live_at)
    )


def matches(test: Condition | Junction, metadata: Mapping[str, Any]) -> bool:
    """Whether metadata pass the test."""
    if isinstance(test, Condition):
        return _holds(test, metadata.get(test.key))
    held = [matches(part, metadata) for part in test.parts]
    return {"all": all(held), "any": any(held), "none": not any(held)}[test.how]


def _holds(test: Condition, found: Any) -> bool:  # noqa: ANN401 - JSON
    wanted = test.value
    match test.op:
        case "eq":
            return _same(found, wanted)
        case "ne":
            return not _same(found, wanted)
        case "in":
            return any(_same(found, value) for value in wanted)
        case "nin":
            return not any(_same(found, value) for value in wanted)
        case "contains":
            return _contains(found, wanted)
        case "icontains":
            return _contains(_folded(found), _folded(wanted))
    return _ordered(test.op, found, wanted)


def _same(found: Any, wanted: Any) -> bool:  # noqa: ANN401 - JSON
    return isinstance(found, bool) == isinstance(wanted, bool) and bool(found == wanted)


def _contains(found: Any, wanted: Any) -> bool:  # noqa: ANN401 - JSON
    if isinstance(found, list):
        return any(_same(item, wanted) for item in found)
    return isinstance(found, str) and str(wanted) in found


def _folded(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_folded(item) for item in value]
    return value.casefold() if isinstance(value, str) else value


def _ordered(op: str, found: Any, wanted: Any) -> bool:  # noqa: ANN401 - JSON
    comparable = str if isinstance(wanted, str) else (int, float)
    if isinstance(found, bool) or not isinstance(found, comparable):
        return False
    return bool({"gt": found > wanted, "gte": found >= wanted, "lt": found < wanted, "lte": found <= wanted}[op])


def statistics(documents: Iterable[tuple[Memory, Document]], terms: Iterable[str]) -> Statistics:
    """The corpus statistics of these memories, counted from nothing."""
    wanted = set(terms)
    groups: dict[tuple[str, str], list[Document]] = {}
    for memory, document in documents:
        groups.setdefault((memory.tenant, memory.granularity), []).append(document)
    return {pair: _corpus(group, wanted) for pair, group in groups.items()}


def _corpus(documents: list[Document], wanted: set[str]) -> Corpus:
    held = [{term for name in FIELDS for term in getattr(document, name)} for document in documents]
    return Corpus(
        documents=len(documents),
        lengths={name: sum(len(getattr(document, name)) for document in documents) for name in FIELDS},
        document_frequencies=dict(Counter(term for terms in held for term in terms & wanted)),
    )
