"""After a change: memories whose views were made from what changed get their views again.

The modules of conversations are imported when they are needed: they take time, and most stores change few turns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...embedders.optional import OptionalEmbedder
from ...store.protocol import Store
from ...types import LinkKind, Memory

OF_VIEWS = frozenset(("text", "metadata"))
"""The fields of a record of a conversation that its views and those of others are made from."""


def follow(store: Store, embedder: OptionalEmbedder, changed: Sequence[Memory]) -> None:
    """After texts or metadata changed."""
    if changed:
        refresh(store, embedder, around(store, changed))


def follow_links(store: Store, embedder: OptionalEmbedder, links: Iterable[tuple[str, str, LinkKind]]) -> None:
    """After links were set or removed: the views of a turn are made from the facts that extend it."""
    ends = {end for a, b, kind in links if kind == "extends" for end in (a, b)}
    if ends:
        from ..conversations.records import is_record

        refresh(store, embedder, [id for id, memory in store.get(ends).items() if is_record(memory)])


def around(store: Store, memories: Sequence[Memory]) -> list[str]:
    from ..build import views

    return views.around(store, memories)


def refresh(store: Store, embedder: OptionalEmbedder, ids: Collection[str]) -> None:
    if ids:
        from ..build import views

        views.refresh(store, embedder, ids)
