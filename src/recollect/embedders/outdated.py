"""What if a store's vectors come from a version of its embedder that is no longer here?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import EmbedderUnavailable
from .protocol import Embedder

if TYPE_CHECKING:
    from .protocol import Vectors


class OutdatedEmbedder:
    """Stands in for it: the store goes by words until `reembed` changes it over to the present version."""

    def __init__(self, present: Embedder, fingerprint: str) -> None:
        self.present = present
        self.name, self.dim, self.fingerprint = present.name, present.dim, fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderUnavailable(f"this store's vectors were made by an earlier {self.name}; run: recollect reembed")
