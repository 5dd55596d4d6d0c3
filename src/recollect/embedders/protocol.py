"""The interface of every embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # numpy is loaded at the first embedding, not at import
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors. Creating one is cheap; the first `embed` loads the model."""

    @property
    def name(self) -> str:
        """The name that users give: `granite`, `hashing`, `openai:MODEL@URL`."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vectors change. Known without loading the model."""

    @property
    def dim(self) -> int:
        """Length of every vector. Known without loading the model if possible."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One float32 unit row per text, in order; shape `(0, dim)` for no texts.

        A text's row does not depend on the other texts.
        Raises EmbedderUnavailable when the model can't be loaded or reached.
        """
