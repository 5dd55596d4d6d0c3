"""Mends derived data of a store from its rows, and says what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..embedders.protocol import Embedder
from ..errors import EmbedderUnavailable
from ..progress import progress
from ..store.protocol import Store
from ..store.settings import FINGERPRINT, setting
from ..store.values import Finding
from ..write.build.words import document
from .reembed import reembed


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """The result of a repair."""

    mended: Sequence[Finding]
    """What was wrong and is right again."""
    left: Sequence[Finding]
    """What is still wrong. Rows can't be made again: `recollect recover` saves the others."""
    embedded: int
    """The number of memories that got their vectors again."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def repair(store: Store, embedder: Embedder, *, chain_head: str | None = None, show: bool = False) -> Repaired:
    """Mends words, counts, indexes and vectors. Changes nothing if rows themselves are damaged."""
    found = store.check(chain_head=chain_head)
    if not _is_mendable(found):
        return Repaired(mended=(), left=found, embedded=0)
    lacking = store.counts(()).without_vector
    left = store.check(chain_head=chain_head, repair=document)
    embedded = _embed(store, embedder, show) if store.counts(()).without_vector > lacking else 0
    mended = [finding for finding in found if finding.what not in {still.what for still in left}]
    return Repaired(mended=mended, left=left, embedded=embedded)


def _is_mendable(found: Sequence[Finding]) -> bool:
    """Whether derived data is wrong and no row is. A broken chain stays as it is."""
    return any(finding.derived for finding in found) and all(finding.derived or finding.chain for finding in found)


def _embed(store: Store, embedder: Embedder, show: bool) -> int:
    """Makes the removed vectors again if the model that made them is here."""
    if setting(store, FINGERPRINT) != embedder.fingerprint:
        return 0
    lacking = store.counts(()).without_vector
    try:
        with progress("embedding", lacking, show) as advance:
            return reembed(store, embedder, anew=False, advance=advance)
    except EmbedderUnavailable:
        return lacking - store.counts(()).without_vector
