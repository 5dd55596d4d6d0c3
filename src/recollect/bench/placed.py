"""An embedder whose vectors are chosen, so that cosines are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..embedders.protocol import Vectors

DIM = 256


class Placed:
    """`groups` maps each text to a group and the cosine that all texts of the group have to each other.

    v = sqrt(c) × axis of the group + sqrt(1 − c) × axis of the text. Texts of different groups have cosine 0, and so
    have texts that are not listed.
    """

    name = "placed"
    fingerprint = "placed-1"
    dim = DIM

    def __init__(self, groups: Mapping[str, tuple[str, float]]) -> None:
        self._groups = dict(groups)
        self._axes: dict[tuple[str, str], int] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            group, cosine = self._groups.get(text, ("", 0.0))
            if cosine:
                row[self._axis("group", group)] = math.sqrt(cosine)
            row[self._axis("text", text)] = math.sqrt(1 - cosine)
        return rows

    def _axis(self, kind: str, name: str) -> int:
        """Each group and text has an axis of its own, in the order of their first use."""
        return self._axes.setdefault((kind, name), len(self._axes))
