"""`recollect-multilingual`: the vectors of `recollect-30m` and `multilingual` side by side, for all languages.

A text's vector has both vectors in it, each scaled. So the cosine of two texts is the weighted mean of their two
cosines: `recollect-30m` reads English memories best, `multilingual` reads the other languages and across languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .granite import Recollect30M
from .multilingual import PACKAGE, Multilingual

if TYPE_CHECKING:
    from .protocol import Vectors

MULTILINGUAL_SHARE = 0.65
"""How much of the cosine comes from `multilingual`. docs/lab/embedders.md says how it was chosen."""


class RecollectMultilingual:
    name = "recollect-multilingual"
    fingerprint = f"{Recollect30M.fingerprint}+{Multilingual.fingerprint}*{MULTILINGUAL_SHARE}"
    dim = Recollect30M.dim + Multilingual.dim

    def __init__(self) -> None:
        self._parts = ((Multilingual(), MULTILINGUAL_SHARE), (Recollect30M(), 1 - MULTILINGUAL_SHARE))

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        rows = [_unit(part.embed(texts)) * np.float32(share**0.5) for part, share in self._parts]
        return np.ascontiguousarray(np.hstack(rows), np.float32)


def _unit(rows: Vectors) -> Vectors:
    import numpy as np

    found: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))
    return found


def is_installed() -> bool:
    """Whether the package of `multilingual` is there. Nothing is loaded."""
    return find_spec(PACKAGE) is not None
