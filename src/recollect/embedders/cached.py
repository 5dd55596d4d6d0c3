"""An embedder with a cache on disk: a text is embedded once per model."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .protocol import Embedder

if TYPE_CHECKING:
    import apsw

    from .protocol import Vectors

FILE = "vectors.db"
BATCH = 256
"""Texts embedded between two commits. An interrupt loses at most so many."""
_KEYS_PER_QUERY = 500
_TABLE = "CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
_BUSY_MS = 30_000
T = TypeVar("T")


class Cached:
    """Has the name, fingerprint and vectors of the wrapped embedder. Vectors are rounded to float16."""

    def __init__(self, embedder: Embedder, folder: str | Path) -> None:
        self.embedder = embedder
        self.folder = Path(folder)
        self._db: apsw.Connection | None = None

    @property
    def name(self) -> str:
        return self.embedder.name

    @property
    def fingerprint(self) -> str:
        return self.embedder.fingerprint

    @property
    def dim(self) -> int:
        return self.embedder.dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return self.embedder.embed(texts)
        keys = [self._key(text) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        for batch in _batches(list(missing.items()), BATCH):
            known |= self._embed_missing(batch)
        rows = np.stack([np.frombuffer(known[key], np.float16) for key in keys]).astype(np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def _key(self, text: str) -> bytes:
        named = f"{self.fingerprint}\0{text}".encode("utf-8", "surrogatepass")
        return blake2b(named, digest_size=16).digest()

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for batch in _batches(keys, _KEYS_PER_QUERY):
            marks = ",".join("?" * len(batch))
            found |= dict(self._open().execute(f"SELECT key, value FROM vector WHERE key IN ({marks})", batch))
        return found

    def _embed_missing(self, missing: Sequence[tuple[bytes, str]]) -> dict[bytes, bytes]:
        import numpy as np

        vectors = self.embedder.embed([text for _, text in missing]).astype(np.float16)
        made = {key: row.tobytes() for (key, _), row in zip(missing, vectors, strict=True)}
        db = self._open()
        with db:
            db.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", made.items())
        return made

    def _open(self) -> apsw.Connection:
        import apsw

        if self._db is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._db = apsw.Connection(str(self.folder / FILE))
            self._db.set_busy_timeout(_BUSY_MS)
            self._db.execute("PRAGMA journal_mode = wal; PRAGMA synchronous = off")
            self._db.execute(_TABLE)
        return self._db


def _batches(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
