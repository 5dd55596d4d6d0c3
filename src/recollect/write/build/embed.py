"""Turns texts into vectors. A text that its tenant has stored, or that is twice in the batch, is embedded only once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from ...embedders.optional import OptionalEmbedder
from ...errors import EmbedderMismatch
from ...store.protocol import Store
from ...store.settings import EMBEDDER, FINGERPRINT, set_embedder, setting
from ...store.values import Embedded

if TYPE_CHECKING:
    from ...types import Vector

FULL = "full"
"""The view of a memory's whole text."""


Views: TypeAlias = Mapping[str, tuple[str, ...]]
"""View → the texts it is the mean of."""


def embed(
    store: Store, embedder: OptionalEmbedder, wanted: Sequence[tuple[str, Views]]
) -> list[dict[str, Embedded]] | None:
    """The vectors of each memory's views, given with the memory's tenant. None when there is no model."""
    parts = {(tenant, text): None for tenant, views in wanted for texts in views.values() for text in texts}
    if not parts:
        return [{} for _ in wanted]
    hashes = {(tenant, text): embedder.hash(text, tenant) for tenant, text in parts}
    known = _vectors(store, embedder, hashes)
    if known is None:
        return None
    return [
        {name: _view([hashes[tenant, text] for text in texts], known) for name, texts in views.items()}
        for tenant, views in wanted
    ]


def _vectors(
    store: Store, embedder: OptionalEmbedder, hashes: Mapping[tuple[str, str], bytes]
) -> dict[bytes, Vector] | None:
    known = store.vectors_by_hash(hashes.values())
    fresh = list(dict.fromkeys(text for (_, text), hash in hashes.items() if hash not in known))
    made = embedder.vectors(fresh) if fresh else ()
    if made is None:
        return None
    new = dict(zip(fresh, made, strict=True))
    return known | {hash: new[text] for (_, text), hash in hashes.items() if hash not in known}


def _view(hashes: Sequence[bytes], known: Mapping[bytes, Vector]) -> Embedded:
    if len(hashes) == 1:
        return Embedded(hash=hashes[0], vector=known[hashes[0]])
    middle = mean([_as_stored(known[hash]) for hash in hashes])
    return Embedded(hash=blake2b(b"".join(hashes), digest_size=16).digest(), vector=middle)


def _as_stored(vector: Vector) -> Vector:
    """Rounds to float16, as stores do. So a mean does not depend on which of its parts were read from the store."""
    import numpy as np

    return vector.astype(np.float16).astype(np.float32)


def mean(vectors: Sequence[Vector]) -> Vector:
    """The mean of the vectors, scaled to length 1."""
    import numpy as np

    middle: Vector = np.stack(vectors).mean(axis=0, dtype=np.float32)
    length = float(np.linalg.norm(middle))
    return (middle / length).astype(np.float32) if length else vectors[0]


def remember_embedder(store: Store, embedder: OptionalEmbedder) -> None:
    """Sets the store's embedder with its first vectors. Raises EmbedderMismatch for vectors of another embedder."""
    if embedder.name is None:
        return
    held = setting(store, FINGERPRINT)
    if held is None:
        set_embedder(store, embedder.embedder.name, embedder.embedder.fingerprint)
    elif held != embedder.embedder.fingerprint:
        raise EmbedderMismatch(
            f"{store.url} now holds vectors of {setting(store, EMBEDDER)!r}, not of {embedder.embedder.name!r}: "
            "another process changed it; open the store again"
        )
