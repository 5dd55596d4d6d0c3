"""An embedder that may be missing: without it everything still works by words."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from ..errors import EmbedderUnavailable
from .protocol import Embedder

if TYPE_CHECKING:
    from .protocol import Vectors


class LexicalOnly(UserWarning):
    """The model can't be loaded; recall goes by words until it can."""


class OptionalEmbedder:
    """Asks the embedder, and after one failure says so once and stops asking."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._failed = False

    @property
    def name(self) -> str | None:
        return None if self._failed else self.embedder.name

    def vectors(self, texts: Sequence[str]) -> Vectors | None:
        if self._failed:
            return None
        try:
            return self.embedder.embed(texts)
        except EmbedderUnavailable as error:
            self._failed = True
            message = f"working by words only: {error}. Later, `recollect reembed` fills in the missing vectors."
            warnings.warn(message, LexicalOnly, stacklevel=2)
            return None

    def vector(self, text: str) -> Vectors | None:
        found = self.vectors([text])
        return None if found is None else found[0]

    def hash(self, text: str, tenant: str) -> bytes:
        """Names the vector of a text, for sharing it between memories and views of a tenant. If tenants shared vectors,
        the time of a write would tell one what another has stored."""
        return _named(self.embedder.fingerprint, tenant, text)

    def shared_hash(self, text: str) -> bytes:
        """The name of a vector that was stored when tenants still shared them."""
        return _named(self.embedder.fingerprint, text)


def _named(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
