"""Which embedder does an open store use?"""

from __future__ import annotations

from typing import Protocol

from ..errors import EmbedderMismatch, RecollectError
from . import DEFAULT, load
from .optional import OptionalEmbedder
from .outdated import OutdatedEmbedder
from .protocol import Embedder


class NamesEmbedder(Protocol):
    """A store, as far as its embedder is concerned."""

    url: str

    def setting(self, key: str) -> str | None: ...


class EmbedderSlot:
    """The embedder of one open store. All callers of the store share it."""

    def __init__(self, store: NamesEmbedder, wanted: str | Embedder | None) -> None:
        self._store = store
        self._wanted = wanted
        self.current = OptionalEmbedder(_choose(store, wanted))
        """The embedder in use, without a look at the store."""

    def checked(self) -> OptionalEmbedder:
        """The embedder in use; chosen again when another process gave the store its first vectors, or other ones."""
        held = self._store.setting("fingerprint")
        if held is not None and held != self.current.embedder.fingerprint:
            self.current = OptionalEmbedder(_choose(self._store, self._wanted))
        return self.current

    def candidate(self, wanted: str | Embedder | None) -> Embedder:
        """The embedder that `reembed` changes to: the wanted one, or the present version of the one in use."""
        found = load(wanted) if isinstance(wanted, str) else wanted or self.current.embedder
        return found.present if isinstance(found, OutdatedEmbedder) else found

    def replace(self, embedder: Embedder) -> None:
        """Uses this embedder from now on."""
        self._wanted, self.current = embedder, OptionalEmbedder(embedder)


def _choose(store: NamesEmbedder, wanted: str | Embedder | None) -> Embedder:
    """The store's own embedder, or a first one for a store that has none yet."""
    held, name = store.setting("fingerprint"), store.setting("embedder")
    if wanted is None and name is not None and not _is_loadable(name):
        raise EmbedderMismatch(f"this store was made with the embedder {name!r}: pass it as embedder=…")
    chosen = wanted or name or DEFAULT
    embedder = load(chosen) if isinstance(chosen, str) else chosen
    if held is None or embedder.fingerprint == held:
        return embedder
    if embedder.name == name and isinstance(chosen, str):
        return OutdatedEmbedder(embedder, held)
    raise EmbedderMismatch(
        f"{store.url} holds vectors of {name!r}, not of {embedder.name!r}: open it with {name!r}, "
        f"or change over with `recollect reembed --embedder {embedder.name}`"
    )


def _is_loadable(name: str) -> bool:
    try:
        load(name)
    except RecollectError:
        return False
    return True
