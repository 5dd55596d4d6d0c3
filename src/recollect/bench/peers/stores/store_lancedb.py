"""lancedb in a folder, with an index of words. Vectors are compared one by one, or found by an HNSW index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lancedb
import pyarrow

KINDS = {"": ("words and vectors", "vectors", "words"), "hnsw": ("words and vectors", "vectors")}
KEPT, PAGE = True, 4_096


class Store:
    def __init__(self, folder: Path, given: Any, variant: str) -> None:
        self._hnsw = variant == "hnsw"
        kind = pyarrow.list_(pyarrow.float32(), given.dim)
        fields = [("row", pyarrow.int64()), ("text", pyarrow.string()), ("vector", kind)]
        self._schema = pyarrow.schema(fields)
        self._held = lancedb.connect(str(folder)).create_table("bench", schema=self._schema, exist_ok=True)

    def add(self, first: int, texts: Sequence[str], vectors: Any) -> None:
        flat = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.reshape(-1)), vectors.shape[1])
        rows = pyarrow.array(range(first, first + len(texts)), pyarrow.int64())
        self._held.add(pyarrow.Table.from_arrays([rows, pyarrow.array(texts), flat], schema=self._schema))

    def finish(self) -> None:
        """The index of words, and of vectors if it is wanted, are made when all rows are there."""
        self._held.create_fts_index("text", replace=True)
        if self._hnsw:
            self._held.create_index(metric="cosine", index_type="IVF_HNSW_SQ", num_partitions=1)
        self._held.optimize()

    def search(self, kind: str, text: str, vector: Any, limit: int) -> list[int]:
        if kind == "words":
            query = self._held.search(text, query_type="fts")
        elif kind == "vectors":
            query = self._held.search(vector).distance_type("cosine")
        else:
            query = self._held.search(query_type="hybrid").vector(vector).text(text).distance_type("cosine")
        found = query.select(["row", "text"]).limit(limit).to_list()
        return [row["row"] for row in found]

    def close(self) -> None:
        pass
