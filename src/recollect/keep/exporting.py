"""Exports a store, or a namespace of it, to a file of JSON lines (format: docs/export-format.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..namespaces import is_within
from ..progress import progress
from ..store.copying import pages
from ..store.files import replacing
from ..store.protocol import Store
from ..store.values import Batch, Put, RecallRecord
from ..types import Event
from .lines import KINDS, VERSION, event_line, link_line, memory_line, recall_line

_PLAIN = (str, int, float, bool, type(None))


def export(store: Store, path: Path, namespace: str | None, *, overwrite: bool, show: bool) -> int:
    """Writes the file atomically. Returns the number of memories in it."""
    _check(store, path, overwrite)
    total = store.counts(() if namespace is None else (namespace,)).memories if show else None
    try:
        with progress("exporting", total, show) as advance, replacing(path.resolve()) as beside:
            chosen = _Chosen(store, namespace, advance)
            with beside.open("w", encoding="utf-8") as file:
                file.writelines(map(_json_line, chosen.lines()))
    except OSError as error:
        raise InvalidInput(f"{path} can't be written: {error.strerror}") from None
    return len(chosen.ids)


def lines(store: Store, namespace: str | None) -> Iterator[str]:
    """The lines of an export, read page by page."""
    chosen = _Chosen(store, namespace, lambda count: None)
    return map(_json_line, chosen.lines())


def _json_line(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


def _check(store: Store, path: Path, overwrite: bool) -> None:
    if not path.exists():
        return
    if path.resolve() == Path(store.url).resolve():
        raise InvalidInput(f"{path} is the store itself: choose another name for the export")
    if not path.is_file():
        raise InvalidInput(f"{path} can't be written: it is not a regular file")
    if not overwrite:
        raise InvalidInput(f"{path} exists already: choose another name, or overwrite it with overwrite=True")


@dataclass(slots=True)
class _Chosen:
    """Selects the content of the file."""

    store: Store
    namespace: str | None
    """None exports everything."""
    advance: Callable[[int], None]
    ids: set[str] = field(default_factory=set)
    """The ids of the memories written so far."""
    _recalls: set[str] = field(default_factory=set)

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """The first line, the memories in the order they were stored, links, recalls, events, and a last line with
        counts."""
        counts = dict.fromkeys(KINDS.values(), 0)
        yield {"type": "recollect", "version": VERSION}
        for batch in pages(self.store):
            for line in self._lines_of(batch):
                counts[KINDS[line["type"]]] += 1
                yield line
        yield {"type": "end", **counts}

    def _lines_of(self, batch: Batch) -> Iterator[Mapping[str, Any]]:
        yield from self._memories(batch.puts)
        # a link that leaves the namespace would reveal a memory there
        yield from (link_line(link) for link in batch.links if {link.a, link.b} <= self.ids)
        yield from self._recall_lines(batch.recalls)
        yield from map(event_line, batch.events if self.namespace is None else self._own_events(batch.events))

    def _inside(self, namespace: str) -> bool:
        return self.namespace is None or is_within(namespace, self.namespace)

    def _memories(self, puts: Sequence[Put]) -> Iterator[Mapping[str, Any]]:
        inside = [put for put in puts if self._inside(put.memory.namespace)]
        yield from map(memory_line, inside)
        self.ids |= {put.memory.id for put in inside}
        self.advance(len(inside))

    def _recall_lines(self, recalls: Sequence[RecallRecord]) -> Iterator[Mapping[str, Any]]:
        for recall in recalls:
            if self._inside(recall.entry.namespace):
                self._recalls.add(recall.entry.id)
                yield recall_line(recall if self.namespace is None else self._own_part(recall))

    def _own_part(self, recall: RecallRecord) -> RecallRecord:
        hits = [hit for hit in recall.entry.hits if hit[0] in self.ids]
        said = [each for each in recall.feedback if each.memory_id in self.ids]
        entry = replace(recall.entry, hits=hits)
        return RecallRecord(entry=entry, feedback=said, feedback_at=recall.feedback_at if said else None)

    def _own_events(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events that changed a memory of the namespace or gave feedback in it, without data of other
        namespaces."""
        for event in events:
            changes = tuple(change for change in event.changes if change.memory_id in self.ids)
            if changes or event.detail.get("recall") in self._recalls:
                yield replace(event, changes=changes, detail=self._own_detail(event.detail))

    def _own_detail(self, detail: Mapping[str, Any]) -> dict[str, Any]:
        own: dict[str, Any] = {name: value for name, value in detail.items() if isinstance(value, _PLAIN)}
        for name in ("linked", "unlinked"):
            if name in detail:
                own[name] = [link for link in detail[name] if {link[0], link[1]} <= self.ids]
        if "quarantine" in detail:
            own["quarantine"] = {id: why for id, why in detail["quarantine"].items() if id in self.ids}
        return own
