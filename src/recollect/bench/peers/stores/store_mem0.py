"""mem0 without a model: `infer=False`, its default vector store in a folder, an embedder that returns the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mem0 import Memory

KINDS = {"": ("vectors",)}
KEPT, PAGE = True, 1_024
OWNER = "bench"


class _Embedder:
    def __init__(self, given: Any) -> None:
        self._given = given

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return [float(x) for x in self._given([text])[0]]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        return [self.embed(text) for text in texts]


class Store:
    def __init__(self, folder: Path, given: Any, variant: str) -> None:
        kept = {"path": str(folder / "vectors"), "embedding_model_dims": given.dim, "on_disk": True}
        config = {
            "vector_store": {"provider": "qdrant", "config": kept},
            "history_db_path": str(folder / "history.db"),
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
            "embedder": {"provider": "openai", "config": {"api_key": "unused"}},
        }
        folder.mkdir(parents=True, exist_ok=True)
        self._held = Memory.from_config(config)
        self._held.embedding_model = _Embedder(given)

    def add(self, first: int, texts: Sequence[str], vectors: Any) -> None:
        messages = [
            {"role": "user", "content": text, "name": str(first + n)} for n, text in enumerate(texts)
        ]  # the name comes back with a hit
        self._held.add(messages, user_id=OWNER, infer=False)

    def finish(self) -> None:
        pass

    def search(self, kind: str, text: str, vector: Any, limit: int) -> list[int]:
        found = self._held.search(text, filters={"user_id": OWNER}, top_k=limit)
        return [int(hit["actor_id"]) for hit in found["results"]]

    def close(self) -> None:
        self._held.close()
