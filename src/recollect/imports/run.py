"""Imports a file or folder: recognises the format, skips what is known, lists broken records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import Recollect, checks
from ..errors import Conflict, InvalidInput, NotFound
from ..ids import digest, new_id
from ..progress import progress
from ..types import STATUSES, Filter
from ..write.conversations.transcripts import conversations
from .databases import found_in_database, is_database
from .found import Broken, Found, Item, Relation, Talk
from .json_rows import rows
from .notes import SUFFIXES as NOTES
from .notes import found_in_notes
from .records import found_in
from .sessions import Sessions, is_claude_code
from .tables import found_in_table

BATCH = 256
"""Memories per transaction. After a stop, at most these are read again."""
MOST_LISTED = 1000
_JSON = (".json", ".jsonl", ".ndjson")
_TABLES = (".csv",)
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


def import_from(
    mind: Recollect,
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    preview: bool = False,
    show: bool = False,
) -> Imported:
    """Imports what other programs wrote. The same file again adds nothing; after a stop, the next call goes on."""
    work = _Import(mind, preview)
    try:
        with progress("importing", None, show) as advance:
            for found in _found(Path(path), mind.namespace, columns or {}):
                work.take(found)
                advance(1)
            work.finish()
    except OSError as error:
        raise InvalidInput(f"{error.filename or path} can't be read: {error.strerror}") from None
    return work.done


class _Import:
    def __init__(self, mind: Recollect, preview: bool) -> None:
        self.mind, self.preview, self.done = mind, preview, Imported()
        self._ids = _imported(mind)
        self._waiting: dict[str, dict[str, Any]] = {}
        self._relations: list[Relation] = []

    def take(self, found: Item | Relation | Talk | Broken) -> None:
        match found:
            case Item():
                self._add(found)
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

    def _add(self, item: Item) -> None:
        if item.key in self._ids or item.key in self._waiting:
            self.done.known += 1
            return
        fields = {name: value for name, value in item.fields.items() if value is not None}
        fields = {"namespace": self.mind.namespace, **fields, "source": item.key}
        try:
            checks.memory(fields, namespace=self.mind.namespace, now=checks.moment("at", "2000-01-01"))  # type: ignore[arg-type]
        except InvalidInput as error:
            self._skip(Broken(item.key, str(error)))
            return
        self._waiting[item.key] = fields
        if len(self._waiting) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        new = {key: fields for key, fields in self._waiting.items() if not self._is_stored(key, fields)}
        self._waiting = {}
        self.done.added += len(new)
        if new and not self.preview:
            stored = self.mind.remember_many(list(new.values()))
            merged = sum(memory.merged_into == memory.id for memory in stored)
            self.done.added -= merged
            self.done.known += merged
            self._ids |= {key: memory.id for key, memory in zip(new, stored, strict=True)}

    def _is_stored(self, key: str, fields: Mapping[str, Any]) -> bool:
        """Whether the namespace has the text, in any status: what was forgotten or superseded does not come back."""
        within = Filter(namespaces=(fields["namespace"],), exact=True, statuses=STATUSES)
        same = None if fields.get("dedup") is False else self.mind.store.find_same([digest(fields["text"])], within)
        for memory in (same or {}).values():
            self._ids[key] = memory.id
            self.done.known += 1
        return bool(same)

    def _ingest(self, talk: Talk) -> None:
        given = {**talk.conversation, "session_id": talk.conversation["session_id"] or new_id()}
        try:
            if not self.preview:
                [stored] = self.mind.ingest_many([given])
                self.done.added += len(stored.added)
                self.done.known += stored.unchanged
            self.done.conversations += 1
        except InvalidInput as error:
            self._skip(Broken(f"conversation {given['session_id']}", str(error)))

    def _link(self, relation: Relation) -> None:
        a, b = self._ids.get(relation.a), self._ids.get(relation.b)
        if a is None or b is None or a == b or self.preview:
            return
        held = {(link.a, link.b, link.kind) for link in self.mind.store.links([a])}
        if (a, b, relation.kind) in held:
            return
        try:
            self.mind.link(a, b, relation.kind)
            self.done.links += 1
        except (Conflict, NotFound) as error:
            self._skip(Broken(f"link {relation.a} → {relation.b}", str(error)))


def _imported(mind: Recollect) -> dict[str, str]:
    """Source → id of the memories that earlier imports stored, whatever became of them."""
    found: dict[str, str] = {}
    within, after = Filter(namespaces=(mind.namespace,), statuses=STATUSES), None
    while page := mind.store.scan(within, order="oldest", limit=1000, after=after):
        found |= {memory.source: memory.id for memory in page if memory.source and ":" in memory.source}
        after = page[-1].id
    return found


# Recognising --------------------------------------------------------------------------------------


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
    for file in wanted:
        if file.suffix.lower() not in NOTES:
            yield from _in_file(file, base, columns)
    yield from found_in_notes([p for p in wanted if p.suffix.lower() in NOTES], path)


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
        elif isinstance(record, dict) and record.get("type") == "summary":
            continue  # Claude Code's title of a session
        else:
            yield from _in_record(where, record, path, base)
    yield from _talks(messages, path)


def _in_record(where: str, record: object, path: Path, base: str) -> Found:
    try:
        yield from found_in(record, str(path), base)
    except InvalidInput as error:
        yield Broken(where, str(error))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        yield Broken(where, f"not as the program writes it: {error!r}")


def _talks(spoken: list[Any], path: Path) -> Iterator[Talk]:
    for each in conversations(spoken, str(path)) if spoken else ():
        if each["messages"]:
            yield Talk({**each, "session_id": each["session_id"] or path.stem[:100]})
