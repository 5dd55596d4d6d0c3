"""Exports and imports as files on disk."""

from __future__ import annotations

from pathlib import Path

from ..embedders.optional import OptionalEmbedder
from ..errors import InvalidInput
from ..progress import progress
from ..store.protocol import Store
from ..types import Filter
from ..write.stamp import Stamp
from . import portable


def export(store: Store, path: Path, within: Filter, *, show: bool) -> int:
    """Writes memories and links as JSON lines; returns how many memories."""
    if path.exists() and path.resolve() == Path(store.url).resolve():
        raise InvalidInput(f"{path} is the store itself: choose another name for the export")
    total = store.counts(within.namespaces).memories
    try:
        with path.open("w", encoding="utf-8") as target, progress("exporting", total, show) as advance:
            return portable.export(store, target, within, advance)
    except OSError as error:
        raise InvalidInput(f"{path} can't be written: {error.strerror}") from None


def import_(store: Store, embedder: OptionalEmbedder, path: Path, stamp: Stamp, *, show: bool) -> int:
    """Reads an export, all of it or nothing; returns how many memories are new."""
    with progress("importing", None, show) as advance:
        return portable.import_(store, embedder, path, stamp, advance)
