"""Ingests text files and folders as chunks. Unchanged files are skipped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput
from ...ids import digest, new_id
from ...recipes.recipe import WriteRules
from ...store.protocol import Store
from ...store.values import Put
from ...types import Filter, Memory, Status
from ..build.draft import Draft
from ..build.put import build
from ..changes.revise import change
from ..path import remember
from ..stamp import Stamp
from .chunk import Chunk, chunks

SUFFIXES = (".md", ".markdown", ".txt", ".rst", ".text")
MOST_BYTES = 20_000_000
_KEPT: tuple[Status, ...] = ("active", "quarantined")
_DATED = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The result of ingesting files."""

    read: tuple[str, ...]
    unchanged: tuple[str, ...]
    skipped: tuple[str, ...]
    """Files that could not be read as text: path and reason."""
    chunks: int
    replaced: int
    """The number of chunks of former versions. They are forgotten and can be restored."""


def files(paths: Iterable[str | Path]) -> list[Path]:
    """The named files, and the text files below the named folders, without hidden ones."""
    found: list[Path] = []
    for path in (Path(path).resolve() for path in paths):
        if path.is_dir():
            found += [inside for inside in sorted(path.rglob("*")) if _is_wanted(inside.relative_to(path), inside)]
        elif path.is_file():
            found.append(path)
        else:
            raise InvalidInput(f"{path} is not there: name text files, or folders that hold some")
    return list(dict.fromkeys(found))


def _is_wanted(below: Path, path: Path) -> bool:
    hidden = any(part.startswith(".") for part in below.parts)
    return not hidden and path.suffix.lower() in SUFFIXES and path.is_file()


def ingest_documents(
    store: Store,
    embedder: OptionalEmbedder,
    paths: Sequence[Path],
    *,
    namespace: str,
    rules: WriteRules,
    stamp: Stamp,
    advance: Callable[[int], None],
) -> Documents:
    work = _Reading(store, embedder, namespace, rules, stamp, _held(store, namespace))
    for path in paths:
        work.take_in(path)
        advance(1)
    return Documents(
        read=tuple(work.read),
        unchanged=tuple(work.unchanged),
        skipped=tuple(work.skipped),
        chunks=work.made,
        replaced=work.replaced,
    )


@dataclass(slots=True)
class _Reading:
    """Ingests files, each in one transaction, and counts the results."""

    store: Store
    embedder: OptionalEmbedder
    namespace: str
    rules: WriteRules
    stamp: Stamp
    held: Mapping[str, Sequence[Memory]]
    read: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    made: int = 0
    replaced: int = 0

    def take_in(self, path: Path) -> None:
        content = _content(path)
        if isinstance(content, str):
            self.skipped.append(f"{path}: {content}")
            return
        version = blake2b(content, digest_size=16).hexdigest()
        if {memory.metadata.get("version") for memory in self.held.get(str(path), ())} == {version}:
            self.unchanged.append(str(path))
            return
        text = content.decode("utf-8-sig")
        self._replace(path, [_draft(c, path, version, self.namespace, self.stamp) for c in chunks(text)])
        self.read.append(str(path))

    def _replace(self, path: Path, drafts: Sequence[Draft]) -> None:
        """Replaces the chunks of a file. Chunks with the same text keep their links and counters; only their line
        numbers are updated."""
        built = build(self.store, self.embedder, drafts, self.stamp)
        with self.store.transaction():
            held = self._now(path, built)
            left = {_said(memory): memory for memory in held}
            fresh = [n for n, put in enumerate(built) if left.pop(_said(put.memory), None) is None]
            gone = change(self.store, left.values(), "forget", self.stamp, status="forgotten")
            self._move({_said(memory): memory for memory in held}, built)
            stored = remember(
                self.store,
                self.embedder,
                [drafts[n] for n in fresh],
                rules=self.rules,
                stamp=self.stamp,
                built=[built[n] for n in fresh],
            )
            self.made += sum(map(len, stored))
            self.replaced += len(gone)

    def _move(self, held: Mapping[tuple[str, str], Memory], built: Sequence[Put]) -> None:
        places = {_said(put.memory): put.memory.metadata for put in built}
        for said, memory in held.items():
            if said in places:
                change(self.store, [memory], "update", self.stamp, metadata=places[said])

    def _now(self, path: Path, built: Sequence[Put]) -> list[Memory]:
        """The file's stored chunks, read under the lock: another process may have ingested the file meanwhile."""
        active = Filter(namespaces=(self.namespace,), exact=True, statuses=_KEPT, granularities=("chunk",))
        same = self.store.find_same([digest(put.memory.text) for put in built], active)
        found = {memory.id: memory for memory in same.values()}
        found |= self.store.get([memory.id for memory in self.held.get(str(path), ())], active)
        return [memory for memory in found.values() if memory.source == str(path)]


def _held(store: Store, namespace: str) -> dict[str, list[Memory]]:
    """File → its chunks."""
    within = Filter(namespaces=(namespace,), exact=True, granularities=("chunk",), statuses=_KEPT)
    found: dict[str, list[Memory]] = {}
    for memory in store.scan(within, order="id"):
        if memory.source:
            found.setdefault(memory.source, []).append(memory)
    return found


def _said(memory: Memory) -> tuple[str, str]:
    return memory.gist, memory.text


def _content(path: Path) -> bytes | str:
    """The file's bytes, or the reason why it can't be read as text."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return f"larger than {MOST_BYTES // 1_000_000} MB"
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        return error.strerror or "can't be read"
    except UnicodeDecodeError:
        return "not UTF-8 text"
    if "\0" in text:
        return "binary"
    return content if text.strip() else "empty"


def _draft(chunk: Chunk, path: Path, version: str, namespace: str, stamp: Stamp) -> Draft:
    dated = date_in(path.stem)
    memory = Memory(
        id=new_id(),
        text=chunk.text,
        kind="document",
        gist=" › ".join(chunk.headings) or path.stem,
        namespace=namespace,
        granularity="chunk",
        source=str(path),
        origin="document",
        trust=stamp.trust,
        metadata={
            "version": version,
            "lines": [chunk.first_line, chunk.last_line],
            "file": path.name,
        },
        created_at=stamp.at,
        occurred_at=dated,
        valid_from=dated or stamp.at,
    )
    return Draft(memory=memory, merge=False)


def date_in(name: str) -> datetime | None:
    """The date in a file's name, such as 2026-11-02.md. Files without one have no date and do not age."""
    found = _DATED.search(name)
    if not found:
        return None
    try:
        return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC)
    except ValueError:
        return None
