"""Imports an export file into a store (format: docs/export-format.md).

The whole file is checked first. Then it is written in pages, so that others can write in between, and texts are
embedded before the lock is taken. A mark notes which memories the store had before. So an interrupted import goes on
when the same file is imported again. Memories, links, events and recalls that are in the store already stay as they
are. So a second import of the same file changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from ..embedders.optional import OptionalEmbedder
from ..progress import progress
from ..store.call import limited_to
from ..store.protocol import Store
from ..store.settings import mark, set_mark
from ..store.tables import IMPORTING, Mark
from ..store.values import Batch, RecallRecord
from ..types import Change, Event, Filter, Memory
from ..write.build.draft import Draft
from ..write.build.put import build, write
from ..write.build.statements import STATING, stating
from ..write.build.views import around, rebuild
from ..write.changes.pages import EventChain, pages
from ..write.conversations.records import is_record
from ..write.path import BATCH
from ..write.screening.quarantine import OWNER, newly_held_back, without_secrets
from ..write.stamp import Stamp
from .export_file import ExportFile, Record, survey
from .lines import about_of, event_of, link_of, memory_of, recall_of
from .reembed import as_held


def import_(store: Store, embedder: OptionalEmbedder, path: Path, stamp: Stamp, *, show: bool) -> int:
    """Imports the file. Returns the number of new memories."""
    file = survey(path)
    begun = _begin(store, file)
    work = _Import(store, embedder, file, stamp, begun)
    with progress("importing", len(file.ids), show) as advance:
        if stamp.trust == OWNER:  # only the owner is trusted to write history
            work.add_recalls()
        work.add_memories(advance)
        work.add_links()
        work.refresh_conversations()
        if stamp.trust == OWNER:
            work.add_events()
        work.finish()
    return len(begun.added)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    """What the store held when the import of a file began."""

    mark: str
    added: frozenset[str]
    """The ids of the file's memories that were not in the store."""
    was_empty: bool
    is_resumed: bool


def _begin(store: Store, file: ExportFile) -> _Begun:
    """Begins an import, or continues an interrupted one of the same file."""
    key = file.digest()
    with limited_to(None), store.transaction():  # an id that a memory outside has is left out
        held = mark(store, IMPORTING, key)
        if held is None:
            known = sorted(_known(store, file.ids))
            state: dict[str, Any] = {"held": known, "was_empty": not store.scan(Filter(), limit=1)}
            set_mark(store, IMPORTING, key, json.dumps(state))
        else:
            state = json.loads(held)
    added = frozenset(file.ids - set(state["held"]))
    return _Begun(mark=key, added=added, was_empty=state["was_empty"], is_resumed=held is not None)


@dataclass(slots=True)
class _Import:
    """One import. Each page has its own transaction."""

    store: Store
    embedder: OptionalEmbedder
    file: ExportFile
    stamp: Stamp
    begun: _Begun
    _spoken: list[Memory] = field(default_factory=list)
    """New records of conversations. Their views are built last, because they need the whole session with its links."""
    _told: set[str] = field(default_factory=set)
    """The ids of memories whose creation is among the imported events."""
    _counts: dict[str, int] = field(default_factory=dict)
    _quarantined: list[tuple[Memory, Memory]] = field(default_factory=list)

    # Memories and links -----------------------------------------------------------------------------

    def add_memories(self, advance: Callable[[int], None]) -> None:
        for records in _batches(self.file.records("memory"), BATCH):
            drafts = [self._draft(record) for record in records if record["id"] in self.begun.added]
            self._store_memories(drafts)
            advance(len(records))

    def _store_memories(self, drafts: Sequence[Draft]) -> None:
        stored = self.store.get(draft.memory.id for draft in drafts)
        puts = build(self.store, self.embedder, [d for d in drafts if d.memory.id not in stored], self.stamp)
        with self.store.transaction():
            fresh = self.store.get(put.memory.id for put in puts)  # another process imports the same file
            write(self.store, self.embedder, Batch(puts=[put for put in puts if put.memory.id not in fresh]))
        stored |= {put.memory.id: put.memory for put in puts}
        pairs = [(draft.memory, stored[draft.memory.id]) for draft in drafts]
        self._quarantined += [pair for pair in pairs if pair[1].status == "quarantined" != pair[0].status]
        self._spoken += [memory for _, memory in pairs if is_record(memory)]

    def _draft(self, record: Record) -> Draft:
        memory = memory_of(record)
        owned = self.stamp.trust == OWNER
        if not owned and memory.trust == OWNER:
            memory = replace(memory, trust=self.stamp.trust)
        return Draft(
            memory=memory,
            merge=False,
            about=self._about(record, memory),
            views=None if is_record(memory) else {},
            released=owned and memory.id in self.file.released,
        )

    def _about(self, record: Record, memory: Memory) -> str | None:
        """The `about` key. Version 1 has none, so it is derived from the text."""
        if "about" in record:
            return about_of(record)
        return stating(memory.text)[0] if memory.granularity in STATING else None

    def add_links(self) -> None:
        """Adds the links of new memories. A link is skipped if one end is missing: the file may be a partial export."""
        for records in _batches(self.file.records("link"), BATCH):
            links = [link for link in map(link_of, records) if link.a in self.begun.added or link.b in self.begun.added]
            known = self.store.get({end for link in links for end in (link.a, link.b)})
            kept = [link for link in links if link.a in known and link.b in known]
            self._write(Batch(links=kept), "links", len(kept))

    def refresh_conversations(self) -> None:
        for members in _by_session(self._spoken):
            ids = [memory.id for memory in members]
            self._refresh(ids if self.begun.was_empty else around(self.store, members))

    def _refresh(self, ids: Sequence[str]) -> None:
        """Embeds without the lock. A memory that somebody changes meanwhile gets its views from that change."""
        made = rebuild(self.store, self.embedder, list(self.store.get(ids).values()))
        with self.store.transaction():
            write(self.store, self.embedder, Batch(puts=as_held(made, self.store.get(ids))))

    # History ----------------------------------------------------------------------------------------

    def add_recalls(self) -> None:
        is_new = not (self.begun.is_resumed or self.store.recalls(limit=1))
        for records in _batches(self.file.records("recall"), BATCH):
            recalls = list(map(recall_of, records))
            held = self._held(id for recall in recalls for id, _ in recall.entry.hits)
            fresh = [recall for recall in recalls if is_new or not self.store.recalls(id=recall.entry.id)]
            own = [part for recall in fresh if (part := self._own_recall(recall, held)) is not None]
            self._write(Batch(recalls=own), "recalls", len(own))

    def _own_recall(self, recall: RecallRecord, held: set[str]) -> RecallRecord | None:
        """The recall without hits that were in the store before: those have their own log."""
        entry = recall.entry
        hits = [hit for hit in entry.hits if hit[0] not in held]
        if entry.hits and not hits:
            return None
        query = without_secrets({"text": entry.query})["text"] if self.stamp.redacts else entry.query
        said = [each for each in recall.feedback if each.memory_id not in held]
        return RecallRecord(
            entry=replace(entry, hits=hits, query=query),
            feedback=said,
            feedback_at=recall.feedback_at if said else None,
        )

    def add_events(self) -> None:
        is_new = not (self.begun.is_resumed or self.store.events(limit=1))
        for records in _batches(self.file.records("event"), BATCH):
            events = list(map(event_of, records))
            held = self._held(change.memory_id for event in events for change in event.changes)
            fresh = [event for event in events if is_new or not self._is_logged(event)]
            own = [self._own_part(event, held) for event in fresh]
            self._store_events([event for event in own if event is not None])

    def _is_logged(self, event: Event) -> bool:
        if not self.store.events(id=event.id, changes=False):
            return False
        if self.begun.is_resumed:  # the interrupted import has logged it
            self._told.update(change.memory_id for change in event.changes if change.before is None)
        return True

    def _own_part(self, event: Event, held: set[str]) -> Event | None:
        """The event without changes of memories that were in the store before: those have their own history."""
        changes = tuple(self._change(change) for change in event.changes if change.memory_id not in held)
        return None if event.changes and not changes else replace(event, changes=changes)

    def _change(self, change: Change) -> Change:
        if change.before is None:
            self._told.add(change.memory_id)
        elif self.stamp.redacts:
            return replace(change, before=without_secrets(change.before))
        return change

    def _store_events(self, events: Sequence[Event]) -> None:
        self._write(Batch(events=events), "events", len(events))

    def _held(self, ids: Iterable[str]) -> set[str]:
        """The ids that were in the store before the import."""
        return _known(self.store, set(ids) - self.begun.added)

    def finish(self) -> None:
        """Logs the import, in pages. The events name only the memories whose creation is not among the imported
        events."""
        added, read = self.begun.added, len(self.file.ids)
        left = [Change(memory_id=id, before=None) for id in sorted(added - self._told)]
        detail = {"memories": len(added), "read": read, **self._counts, **newly_held_back(self._quarantined)}
        chain = EventChain()
        with limited_to(None), self.store.transaction():  # the event belongs to no namespace
            if added or self._counts.get("events") or self._counts.get("recalls"):
                for page in list(pages(left)) or [[]]:
                    event = self.stamp.event("import", "", page, {**detail, **chain.detail("")})
                    self.store.write(Batch(events=[event]))
                    chain.add(event)
            self.store.delete_rows(Mark, task=IMPORTING, namespace=self.begun.mark)

    def _write(self, batch: Batch, what: str, count: int) -> None:
        self.store.write(batch)
        self._count(what, count)

    def _count(self, what: str, count: int) -> None:
        self._counts[what] = self._counts.get(what, 0) + count


def _known(store: Store, ids: Iterable[str]) -> set[str]:
    return {id for some in _batches(iter(sorted(ids)), BATCH) for id in store.get(some)}


def _by_session(memories: Sequence[Memory]) -> Iterator[list[Memory]]:
    """Groups of about one batch. A session is never split, so that it is read only once."""
    some: list[Memory] = []
    last: tuple[str, str | None] | None = None
    for memory in sorted(memories, key=lambda memory: (memory.namespace, memory.session_id or "", memory.id)):
        session = memory.namespace, memory.session_id
        if len(some) >= BATCH and session != last:
            yield some
            some = []
        some.append(memory)
        last = session
    if some:
        yield some


def _batches(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while some := list(islice(items, size)):
        yield some
