"""After a change, builds the views that depend on the changed memories again.

The conversation modules are imported only when needed: they load slowly, and most changes do not touch turns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...embedders.optional import OptionalEmbedder
from ...store.protocol import Store
from ...types import LinkKind, Memory

OF_VIEWS = frozenset(("text", "metadata"))
"""The fields of a conversation's records that views are built from."""


def follow(store: Store, embedder: OptionalEmbedder, changed: Sequence[Memory]) -> None:
    """Updates the views after texts or metadata changed."""
    if changed:
        refresh(store, embedder, around(store, changed))


def follow_links(store: Store, embedder: OptionalEmbedder, links: Iterable[tuple[str, str, LinkKind]]) -> None:
    """Updates the views after links were set or removed: a turn's views are built from the facts that extend it."""
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
