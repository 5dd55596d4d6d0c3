"""Which embedder does an open store use?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..errors import EmbedderMismatch, RecollectError
from . import DEFAULT, load
from .optional import OptionalEmbedder
from .outdated import OutdatedEmbedder
from .protocol import Embedder

Held: TypeAlias = tuple[str | None, str | None]
"""An embedder's name and its fingerprint."""


class EmbedderSlot:
    """The embedder of one open store. All callers of the store share it.

    `held` reads the name and fingerprint of the embedder of the stored vectors; both are None without vectors.
    """

    def __init__(self, url: str, held: Callable[[], Held], wanted: str | Embedder | None) -> None:
        self._url, self._held, self._wanted = url, held, wanted
        self.current = OptionalEmbedder(_choose(url, held(), wanted))
        """The embedder in use. The store is not read."""
        self.settled = False
        """Whether it is known that the embedder reads the language of the memories, or that nobody can change it."""

    def checked(self) -> OptionalEmbedder:
        """The embedder in use. It is chosen again if another process has stored vectors of another embedder."""
        held = self._held()
        if held[1] is not None and held[1] != self.current.embedder.fingerprint:
            self.current = OptionalEmbedder(_choose(self._url, held, self._wanted))
        return self.current

    @property
    def automatic(self) -> bool:
        """Whether nobody chose the embedder."""
        return self._wanted is None

    def candidate(self, wanted: str | Embedder | None) -> Embedder:
        """The embedder that `reembed` changes to: the wanted one, or the current version of the one in use."""
        found = load(wanted) if isinstance(wanted, str) else wanted or self.current.embedder
        return found.present if isinstance(found, OutdatedEmbedder) else found

    def replace(self, embedder: Embedder) -> None:
        """Uses this embedder from now on."""
        self._wanted, self.current = embedder, OptionalEmbedder(embedder)


def _choose(url: str, held: Held, wanted: str | Embedder | None) -> Embedder:
    """The store's embedder, or the wanted or default one for a store without vectors."""
    name, fingerprint = held
    if wanted is None and name is not None and not _is_loadable(name):
        raise EmbedderMismatch(f"this store was made with the embedder {name!r}: pass it as embedder=…")
    chosen = wanted or name or DEFAULT
    embedder = load(chosen) if isinstance(chosen, str) else chosen
    if fingerprint is None or embedder.fingerprint == fingerprint:
        return embedder
    if embedder.name == name and isinstance(chosen, str):
        return OutdatedEmbedder(embedder, fingerprint)
    raise EmbedderMismatch(
        f"{url} holds vectors of {name!r}, not of {embedder.name!r}: open it with {name!r}, "
        f"or change over with `recollect reembed --embedder {embedder.name}`"
    )


def _is_loadable(name: str) -> bool:
    try:
        load(name)
    except RecollectError:
        return False
    return True
