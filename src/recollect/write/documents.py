"""Files and folders of text, taken in as chunks; only what changed is read again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from ..embedders.lenient import Lenient
from ..errors import InvalidInput
from ..identity import new_id
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..types import Filter, Memory
from .chunk import Chunk, chunks
from .path import Draft, remember
from .revise import change
from .stamp import Stamp

SUFFIXES = (".md", ".markdown", ".txt", ".rst", ".text")
MOST_BYTES = 20_000_000
_DATED = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """What became of some files."""

    read: tuple[str, ...]
    unchanged: tuple[str, ...]
    skipped: tuple[str, ...]
    """Files that hold no text: path and why."""
    chunks: int
    replaced: int
    """Chunks of former versions, forgotten now (and restorable)."""


def files(paths: Iterable[str | Path]) -> list[Path]:
    """The text files named, and those below the folders named."""
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += [p for p in sorted(path.rglob("*")) if p.is_file() and p.suffix.lower() in SUFFIXES]
        elif path.is_file():
            found.append(path)
        else:
            raise InvalidInput(f"{path} is not there: name text files, or folders that hold some")
    return list(dict.fromkeys(found))


def ingest_documents(
    store: Store,
    embedder: Lenient,
    paths: Sequence[Path],
    *,
    namespace: str,
    rules: WriteRules,
    stamp: Stamp,
    advance: Callable[[int], None],
) -> Documents:
    held = _held(store, namespace)
    read, unchanged, skipped, made, replaced = [], [], [], 0, 0
    for path in paths:
        source = str(path)
        content = _content(path)
        if isinstance(content, str):
            skipped.append(f"{path}: {content}")
        elif (version := blake2b(content, digest_size=16).hexdigest()) == _version(held.get(source, [])):
            unchanged.append(source)
        else:
            drafts = [_draft(c, path, version, namespace, stamp.at) for c in chunks(content.decode("utf-8-sig"))]
            with store.transaction():
                replaced += len(change(store, held.get(source, []), "forget", stamp, status="forgotten"))
                for batch in remember(store, embedder, drafts, rules=rules, stamp=stamp):
                    made += len(batch)
            read.append(source)
        advance(1)
    return Documents(
        read=tuple(read), unchanged=tuple(unchanged), skipped=tuple(skipped), chunks=made, replaced=replaced
    )


def _held(store: Store, namespace: str) -> dict[str, list[Memory]]:
    within = Filter(namespaces=(namespace,), granularities=("chunk",), statuses=("active",))
    found: dict[str, list[Memory]] = {}
    for memory in store.scan(within, order="id"):
        if memory.source and memory.namespace == namespace:
            found.setdefault(memory.source, []).append(memory)
    return found


def _version(memories: Sequence[Memory]) -> str | None:
    return memories[0].metadata.get("version") if memories else None


def _content(path: Path) -> bytes | str:
    """The file's bytes, or why it can't be read as text."""
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


def _draft(chunk: Chunk, path: Path, version: str, namespace: str, now: datetime) -> Draft:
    dated = _date_in(path.stem)
    memory = Memory(
        id=new_id(),
        text=chunk.text,
        kind="document",
        gist=" › ".join(chunk.headings) or path.stem,
        namespace=namespace,
        granularity="chunk",
        source=str(path),
        origin="document",
        metadata={"version": version, "lines": [chunk.first_line, chunk.last_line], "file": path.name},
        created_at=now,
        occurred_at=dated,
        valid_from=dated or now,
    )
    return Draft(memory=memory, merge=False)


def _date_in(name: str) -> datetime | None:
    """A note called 2026-11-02.md is of that day; others have no date and do not age."""
    found = _DATED.search(name)
    if not found:
        return None
    try:
        return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC)
    except ValueError:
        return None
