"""Imports a file or folder: recognises the format, skips what is known, lists broken records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from .. import Memory, Recollect, checks
from ..errors import Conflict, InvalidInput, NotFound
from ..ids import digest, new_id
from ..progress import progress
from ..types import STATUSES, Filter
from ..write.conversations.messages import readable
from ..write.conversations.terminals import is_codex, is_gemini, without_results
from ..write.conversations.transcripts import conversations
from .databases import HISTORY, found_in_database, is_database
from .found import Broken, Found, Item, Note, Relation, Talk
from .json_rows import rows
from .lines import SUFFIXES as LISTS
from .lines import found_in_lines
from .notes import SUFFIXES as NOTES
from .notes import found_in_notes
from .records import found_in
from .sessions import Sessions, is_claude_code, is_note
from .tables import found_in_table

BATCH = 256
"""Memories per transaction. After a stop, at most these are read again."""
MOST_LISTED = 1000
_OPENING = 1 << 12
MOST_EXAMPLES = 20
_JSON = (".json", ".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_DATABASES = (".db", ".sqlite", ".sqlite3")


@dataclass(slots=True)
class Imported:
    """What an import did, or with `preview` would do."""

    added: int = 0
    known: int = 0
    """Records that were in the store already."""
    links: int = 0
    conversations: int = 0
    broken: list[Broken] = field(default_factory=list)
    """The first 1,000 records that could not be read."""
    skipped: int = 0
    """How many could not be read."""
    replaced: int = 0
    """Memories of notes that changed since they were imported: they are forgotten, and can be restored."""
    examples: list[str] = field(default_factory=list)
    """The first texts that are new."""
    ids: list[str] = field(default_factory=list)
    """The new memories; empty with `preview`."""


def import_from(
    mind: Recollect,
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    preview: bool = False,
    show: bool = False,
    tick: Callable[[int], None] | None = None,
    lines: bool = False,
) -> Imported:
    """Imports what other programs wrote. The same file again adds nothing; after a stop, the next call goes on.

    With `lines`, each line or list item of a text or Markdown file is a memory of its own.
    `tick` is called with each further count of records."""
    work = _Import(mind, preview)
    try:
        with progress("importing", None, show) as advance:
            for found in _by_line(Path(path)) if lines else _found(Path(path), mind.namespace, columns or {}):
                work.take(found)
                (tick or advance)(1)
            work.finish()
    except OSError as error:
        raise InvalidInput(f"{error.filename or path} can't be read: {error.strerror}") from None
    return work.done


class _Import:
    def __init__(self, mind: Recollect, preview: bool) -> None:
        self.mind, self.preview, self.done = mind, preview, Imported()
        self._ids, self._notes = _imported(mind)
        self._named: dict[str, str] = {}
        self._waiting: dict[str, dict[str, Any]] = {}
        self._states: dict[str, Mapping[str, Any]] = {}
        """Of the memories that wait: what they get after they are stored."""
        self._relations: list[Relation] = []
        self._linked: set[tuple[str, str, str]] = set()

    def take(self, found: Item | Relation | Note | Talk | Broken) -> None:
        match found:
            case Item():
                self._add(found)
            case Note():
                self._replace(found)
            case Relation():
                self._relations.append(found)
            case Talk():
                self._ingest(found)
            case Broken():
                self._skip(found)

    def finish(self) -> None:
        self._flush()
        for relation in self._relations:
            self._link(relation)

    def _skip(self, broken: Broken) -> None:
        self.done.skipped += 1
        if len(self.done.broken) < MOST_LISTED:
            self.done.broken.append(broken)

    def _replace(self, note: Note) -> None:
        """Forgets what a former version of a note said."""
        held = self._notes.get((note.folder, note.note), {})
        for id in (id for key, id in held.items() if key not in note.keys):
            self.done.replaced += 1
            if not self.preview:
                self.mind.forget(id)

    def _add(self, item: Item) -> None:
        if item.names:
            self._named[item.names] = item.key
        if item.key in self._ids or item.key in self._waiting:
            self.done.known += 1
            return
        fields = {name: value for name, value in item.fields.items() if value is not None}
        fields = {"namespace": self.mind.namespace, **fields, "source": item.key}
        try:
            checks.memory(fields, namespace=self.mind.namespace, now=checks.moment("at", "2000-01-01"))  # type: ignore[arg-type]
        except InvalidInput as error:
            self._skip(Broken(item.where or item.key, str(error)))
            return
        self._waiting[item.key] = fields
        if item.state:
            self._states[item.key] = item.state
        if len(self._waiting) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        new = {key: fields for key, fields in self._waiting.items() if not self._is_stored(key, fields)}
        self._waiting = {}
        self.done.added += len(new)
        self._show(fields["text"] for fields in new.values())
        if self.preview:
            self._ids |= {key: key for key in new}
        elif new:
            stored = self._stored(new)
            self.done.ids += [memory.id for memory in stored if memory.merged_into is None]
            merged = sum(memory.merged_into == memory.id for memory in stored)
            self.done.added -= merged
            self.done.known += merged
            self._ids |= {key: memory.id for key, memory in zip(new, stored, strict=True)}

    def _stored(self, new: Mapping[str, Mapping[str, Any]]) -> list[Memory]:
        states, self._states = self._states, {}
        if not states:
            return self.mind.remember_many(list(new.values()))
        with self.mind.store.transaction():
            stored = self.mind.remember_many(list(new.values()))
            for key, memory in zip(new, stored, strict=True):
                if key in states and memory.merged_into is None:
                    self.mind.update(memory.id, **states[key])
        return stored

    def _is_stored(self, key: str, fields: Mapping[str, Any]) -> bool:
        """Whether the namespace has the text, in any status: what was forgotten or superseded does not come back."""
        within = Filter(namespaces=(fields["namespace"],), exact=True, statuses=STATUSES)
        same = None if fields.get("dedup") is False else self.mind.store.find_same([digest(fields["text"])], within)
        for memory in (same or {}).values():
            self._ids[key] = memory.id
            self.done.known += 1
        return bool(same)

    def _show(self, texts: Iterable[str]) -> None:
        self.done.examples += islice(texts, MOST_EXAMPLES - len(self.done.examples))

    def _ingest(self, talk: Talk) -> None:
        given, broken = without_broken(talk)
        for each in broken:
            self._skip(each)
        if not given["messages"]:
            return
        self._show(str(message["content"]) for message in given["messages"])
        try:
            if self.preview and self._is_told(given):
                self.done.known += 1
                return
            if not self.preview:
                [stored] = self.mind.ingest_many([given])
                self.done.added += len(stored.added)
                self.done.ids += [memory.id for memory in stored.added]
                self.done.known += stored.unchanged
            self.done.conversations += 1
        except InvalidInput as error:
            self._skip(Broken(f"conversation {given['session_id']}", str(error)))

    def _is_told(self, talk: Mapping[str, Any]) -> bool:
        """Whether each message of a conversation is stored."""
        within = Filter(
            namespaces=(self.mind.namespace,),
            statuses=STATUSES,
            granularities=("turn",),
            session_id=talk["session_id"],
        )
        most = len(talk["messages"])
        return len(self.mind.store.scan(within, limit=most)) == most

    def _link(self, relation: Relation) -> None:
        a, b = (self._ids.get(self._named.get(key, key)) for key in (relation.a, relation.b))
        if a is None or b is None or a == b:
            return
        link = (a, b, relation.kind)
        if link in self._linked or link in {(held.a, held.b, held.kind) for held in self.mind.store.links([a])}:
            return
        self._linked.add(link)
        try:
            if not self.preview:
                self.mind.link(a, b, relation.kind, relation.weight)
            self.done.links += 1
        except (Conflict, NotFound) as error:
            self._skip(Broken(f"link {relation.a} → {relation.b}", str(error)))


_Notes: TypeAlias = dict[tuple[str, str], dict[str, str]]


def _imported(mind: Recollect) -> tuple[dict[str, str], _Notes]:
    """Source → id of the memories that earlier imports stored, whatever became of them; and the same for each note, of
    those that hold."""
    found: dict[str, str] = {}
    notes: _Notes = {}
    within, after = Filter(namespaces=(mind.namespace,), statuses=STATUSES), None
    while page := mind.store.scan(within, order="oldest", limit=1000, after=after):
        for source, memory in ((m.source, m) for m in page if m.source and ":" in m.source):
            found[source] = memory.id
            if memory.status == "active" and {"folder", "note"} <= memory.metadata.keys():
                place = str(memory.metadata["folder"]), str(memory.metadata["note"])
                notes.setdefault(place, {})[source] = memory.id
        after = page[-1].id
    return found, notes


# Conversations ------------------------------------------------------------------------------------


def without_broken(talk: Talk) -> tuple[dict[str, Any], list[Broken]]:
    """A conversation without the messages that can't be stored, and these."""
    session = talk.conversation["session_id"] or new_id()
    kept, refused = readable(talk.conversation["messages"])
    where = f"conversation {session}, message"
    broken = [Broken(f"{where} {number}", reason) for number, reason in refused.items()]
    return {**talk.conversation, "messages": kept, "session_id": session}, broken


def conversations_in(path: str | Path) -> tuple[list[dict[str, Any]], list[Broken]]:
    """The conversations of a transcript, and what can't be read in it."""
    broken: list[Broken] = []
    found: list[dict[str, Any]] = []
    for each in _in_json(Path(path), ""):
        if isinstance(each, Talk):
            talk, refused = without_broken(each)
            found += [talk] if talk["messages"] else []
            broken += refused
        elif isinstance(each, Broken):
            broken.append(each)
    return found, broken


# Recognising --------------------------------------------------------------------------------------


def _by_line(path: Path) -> Found:
    if path.suffix.lower() not in LISTS or not path.is_file():
        raise InvalidInput(f"{path} can't be read by lines: name a file that ends in {', '.join(LISTS)}")
    return found_in_lines(path)


def _found(path: Path, base: str, columns: Mapping[str, str]) -> Found:
    if not path.exists():
        raise InvalidInput(f"{path} is not there: name a file or a folder")
    if path.is_file():
        yield from _in_file(path, base, columns)
        return
    files = [p for p in sorted(path.rglob("*")) if p.is_file() and not _is_hidden(p.relative_to(path))]
    wanted = [p for p in files if p.suffix.lower() in (*_JSON, *_TABLES, *_DATABASES, *NOTES)]
    if not wanted:
        raise InvalidInput(f"{path} has no file that can be imported: JSON, JSON lines, CSV, Markdown or SQLite")
    for file in sorted(wanted, key=lambda file: file.name == HISTORY):
        if file.suffix.lower() not in NOTES:
            yield from _one_of_many(file, base, columns)
    yield from found_in_notes([p for p in wanted if p.suffix.lower() in NOTES], path)


def _one_of_many(path: Path, base: str, columns: Mapping[str, str]) -> Found:
    """A file of a folder. If it can't be read, the others are imported all the same."""
    try:
        yield from _in_file(path, base, columns)
    except (InvalidInput, OSError) as error:
        yield Broken(str(path), str(error))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _in_file(path: Path, base: str, columns: Mapping[str, str]) -> Found:
    if is_database(path):
        return found_in_database(path, base)
    if path.suffix.lower() in _TABLES:
        return found_in_table(path, columns)
    if path.suffix.lower() in NOTES:
        return found_in_notes([path], path.parent)
    return _in_json(path, base)


def _in_json(path: Path, base: str) -> Found:
    if path.suffix.lower() == ".zip":
        raise InvalidInput(f"{path} is an archive: unpack it, then import the folder")
    if path.suffix.lower() not in _JSON and not _looks_like_json(path):
        raise InvalidInput(f"{path} has no format that import reads; `recollect ingest` takes text files")
    first = next((row[1] for row in rows(path) if not isinstance(row, Broken)), None)
    if isinstance(first, dict) and (is_codex([first]) or is_gemini([first])):
        yield from (row for row in rows(path) if isinstance(row, Broken))
        found = (row[1] for row in rows(path) if not isinstance(row, Broken))
        yield from _talks(without_results(each for each in found if isinstance(each, dict)), path)
        return
    messages: list[Any] = []
    sessions = Sessions(path)
    for row in rows(path):
        if isinstance(row, Broken):
            yield row
            continue
        where, record = row
        if is_claude_code(record):
            yield from _talks(sessions.take(record), path)
        elif isinstance(record, dict) and "role" in record and "content" in record:
            messages.append(record)
        elif is_note(record):
            continue
        else:
            yield from _in_record(where, record, path, base)
    yield from _talks(messages, path)


def _looks_like_json(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(_OPENING).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))


def _in_record(where: str, record: object, path: Path, base: str) -> Found:
    try:
        for each in found_in(record, str(path), base):
            yield replace(each, where=where) if isinstance(each, Item) else each
    except InvalidInput as error:
        yield Broken(where, str(error))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        yield Broken(where, f"not as the program writes it: {error!r}")


def _talks(spoken: Sequence[Any], path: Path) -> Iterator[Talk]:
    for each in conversations(spoken, str(path)) if spoken else ():
        if each["messages"]:
            yield Talk({**each, "session_id": each["session_id"] or path.stem[:100]})
