"""The store that every try begins with, and what must be true of it afterwards."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from recollect import Recollect
from recollect.errors import RecollectError
from recollect.types import STATUSES

from .tally import Problems

AT = "2026-03-01T12:00:00Z"
Content = Counter[tuple[str, str, str]]
"""Namespace, text and status of each memory."""


def make(path: Path) -> None:
    """Memories, a conversation, links, history, recalls, a forgotten part, a backup and an export."""
    with opened(path) as mind:
        mind.remember_many([{"text": f"Parcel {n} is on shelf {n * 7 % 31}", "at": AT} for n in range(24)])
        mind.remember_many([{"text": f"Draft {n} of the plan", "namespace": "drafts", "at": AT} for n in range(6)])
        said = [{"role": "user", "content": f"I keep {n} bees in hive {n}."} for n in range(4)]
        mind.ingest(said, session_id="bees", at=AT)
        first, second = mind.list(limit=2, namespace="drafts")
        mind.link(first.id, second.id)
        mind.recall("where is parcel 3?")
        mind.forget(namespace="drafts")
        mind.backup(path.with_suffix(".backup"))
        mind.export(path.with_suffix(".jsonl"))


def opened(path: Path | str) -> Recollect:
    return Recollect(path, embedder="hashing")


def copied(original: Path, folder: Path) -> Path:
    """A fresh folder with the store, its backup and its export."""
    folder.mkdir(parents=True)
    for file in original.parent.glob(f"{original.stem}.*"):
        if not file.name.endswith(("-wal", "-shm")):
            shutil.copy(file, folder / file.name)
    return folder / original.name


def content(mind: Recollect) -> Content:
    held = mind.store.scan(_everything())
    return Counter((memory.namespace, memory.text, memory.status) for memory in held)


def _everything():  # noqa: ANN202 - a filter
    from recollect.types import Filter

    return Filter(statuses=tuple(STATUSES))


def verify(path: Path | str, told: Iterable[str] = (), gone: Iterable[str] = ()) -> Problems:
    """Checks a store after a try: sound, every acknowledged text there once, nothing acknowledged as gone there."""
    problems = Problems()
    try:
        with opened(path) as mind:
            problems.unsound += [finding.what for finding in mind.check()]
            texts = Counter(text for _, text, status in content(mind).elements() if status != "forgotten")
            mind.recall("where is parcel 3?", track=False)
    except RecollectError as error:
        problems.lost.append(f"can't be opened: {error}")
        return problems
    except Exception as error:  # noqa: BLE001 - the drill counts these
        problems.tracebacks.append(repr(error))
        return problems
    for text in told:
        if texts[text] == 0:
            problems.lost.append(text)
        elif texts[text] > 1:
            problems.doubled.append(text)
    problems.unsound += [f"{text} is still there" for text in gone if texts[text]]
    return problems
