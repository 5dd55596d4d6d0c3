"""Metrics in Prometheus' text format.

Every value is counted under the namespace of the key that sent the request. A key sees the metrics of its own
namespace and of those below it.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from ...store.operated import Server
from ...store.values import Counts

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram buckets, in seconds."""
ABOUT = {
    "recollect_requests_total": "Requests, by method, route and status.",
    "recollect_request_seconds": "How long requests took.",
    "recollect_recalls_total": "Recalls.",
    "recollect_recalls_rejected_total": "Recalls that were rejected: the answer is not in memory.",
    "recollect_recall_stage_seconds": "How long the stages of recalls took.",
    "recollect_quarantined_total": "Memories that were quarantined when they were written.",
    "recollect_memories": "Memories in the store, by status.",
    "recollect_store_bytes": "Size of the store; with a key, of the texts in its namespace.",
    "recollect_model_ready": "1 when the embedding model is loaded.",
    "recollect_database_up": "1 when the database server answers.",
    "recollect_database_connections": "Connections of this process to the server, by use.",
    "recollect_database_reads": "Reads of this process that the server has answered.",
    "recollect_replication_lag_bytes": "How much of the primary's log a replica has not replayed.",
    "recollect_replication_lag_seconds": "The age of the last change that a replica has replayed, while it is behind.",
    "recollect_statements": "Statements of this process to the server.",
    "recollect_statement_seconds": "How long these statements took together.",
    "recollect_slow_statements": "Statements that took longer than 1 s.",
}

Labels: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Histogram:
    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds

    def merge(self, other: Histogram) -> None:
        self.counts = [mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True)]
        self.total += other.total


class Meter:
    """Counters and histograms, by the caller's namespace ("" when there is no caller)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str, Labels], int] = {}
        self._times: dict[tuple[str, str, Labels], Histogram] = {}

    def count(self, namespace: str, name: str, by: int = 1, **labels: str) -> None:
        with self._lock:
            key = (namespace, name, tuple(labels.items()))
            self._counts[key] = self._counts.get(key, 0) + by

    def time(self, namespace: str, name: str, seconds: float, **labels: str) -> None:
        with self._lock:
            self._times.setdefault((namespace, name, tuple(labels.items())), Histogram()).add(seconds)

    def lines(self, may_see: Callable[[str], bool], gauges: Iterable[tuple[str, Labels, float]]) -> str:
        """The metrics of the namespaces that the caller may see, as text."""
        counts, times = self._visible(may_see)
        written: dict[str, list[str]] = {}
        for (name, labels), value in counts.items():
            written.setdefault(name, [_head(name, "counter")]).append(_line(name, labels, value))
        for (name, labels), histogram in times.items():
            written.setdefault(name, [_head(name, "histogram")]).extend(_buckets(name, labels, histogram))
        for name, labels, number in gauges:
            written.setdefault(name, [_head(name, "gauge")]).append(_line(name, labels, number))
        return "\n".join(line for name in sorted(written) for line in written[name]) + "\n"

    def _visible(
        self, may_see: Callable[[str], bool]
    ) -> tuple[dict[tuple[str, Labels], int], dict[tuple[str, Labels], Histogram]]:
        counts: dict[tuple[str, Labels], int] = {}
        times: dict[tuple[str, Labels], Histogram] = {}
        with self._lock:
            for (namespace, name, labels), value in self._counts.items():
                if may_see(namespace):
                    counts[name, labels] = counts.get((name, labels), 0) + value
            for (namespace, name, labels), histogram in self._times.items():
                if may_see(namespace):
                    times.setdefault((name, labels), Histogram()).merge(histogram)
        return counts, times


def gauges(counts: Counts, ready: bool) -> Iterator[tuple[str, Labels, float]]:
    """The gauges: counts of the store, and the state of the model."""
    for status, number in sorted(counts.by_status.items()):
        yield "recollect_memories", (("status", status),), number
    yield "recollect_store_bytes", (), counts.bytes
    yield "recollect_model_ready", (), float(ready)


def server_gauges(servers: Iterable[Server]) -> Iterator[tuple[str, Labels, float]]:
    """The state of each database server, and what this process does with it."""
    for server in servers:
        which = ("server", server.name)
        yield "recollect_database_up", (which,), float(server.state != "gone")
        if not server.url:  # no connections of this process
            continue
        yield "recollect_database_connections", (which, ("use", "in use")), server.in_use
        yield "recollect_database_connections", (which, ("use", "idle")), server.idle
        yield "recollect_database_reads", (which,), server.reads
        yield "recollect_statements", (which,), server.statements
        yield "recollect_statement_seconds", (which,), server.statement_seconds
        yield "recollect_slow_statements", (which,), server.slow_statements
        if server.lag_bytes is not None:
            yield "recollect_replication_lag_bytes", (which,), server.lag_bytes
        if server.lag_seconds is not None:
            yield "recollect_replication_lag_seconds", (which,), server.lag_seconds


def _head(name: str, kind: str) -> str:
    return f"# HELP {name} {ABOUT[name]}\n# TYPE {name} {kind}"


def _line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{inside}}} {value:g}" if inside else f"{name} {value:g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _buckets(name: str, labels: Labels, histogram: Histogram) -> Iterator[str]:
    below = 0
    for bound, count in zip((*map(str, BOUNDS), "+Inf"), histogram.counts, strict=True):
        below += count
        yield _line(f"{name}_bucket", (*labels, ("le", bound)), below)
    yield _line(f"{name}_sum", labels, round(histogram.total, 6))
    yield _line(f"{name}_count", labels, below)
