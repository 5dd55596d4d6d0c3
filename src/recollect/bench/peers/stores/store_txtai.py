"""txtai with its texts: by words and vectors, or by vectors only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from txtai import Embeddings

KINDS = {"": ("words and vectors",), "vectors": ("vectors",)}
KEPT, PAGE = True, 4_096


class Store:
    def __init__(self, folder: Path, given: Any, variant: str) -> None:
        def transform(texts: Sequence[str]) -> Any:
            return given(texts)

        self._folder, self._added = str(folder), False
        own = {"method": "external", "transform": transform}
        if folder.exists():
            self._held = Embeddings()
            self._held.load(self._folder, config=own)
        else:
            self._held = Embeddings(**own, content=True, hybrid=not variant)

    def add(self, first: int, texts: Sequence[str], vectors: Any) -> None:
        rows = [(first + n, text, None) for n, text in enumerate(texts)]
        (self._held.upsert if self._added else self._held.index)(rows)
        self._added = True

    def finish(self) -> None:
        """It is written to disk by one call for everything."""
        self._held.config.pop("transform")  # a function can't be written
        self._held.save(self._folder)

    def search(self, kind: str, text: str, vector: Any, limit: int) -> list[int]:
        return [int(hit["id"]) for hit in self._held.search(text, limit)]

    def close(self) -> None:
        self._held.close()
