"""What every embedder offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # numpy is loaded by the first embedding, not by importing us
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Text to unit vectors. Making one is cheap; the model is loaded by the first `embed`."""

    @property
    def name(self) -> str:
        """What users call it: `granite`, `hashing`, `openai:MODEL@URL`."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vectors would; known without loading the model."""

    @property
    def dim(self) -> int:
        """Length of every vector; known without loading the model where that is possible."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One float32 unit row per text, in order; `(0, dim)` for no texts.

        A text's row does not depend on the texts beside it.
        Raises EmbedderUnavailable when the model can't be loaded or reached.
        """
