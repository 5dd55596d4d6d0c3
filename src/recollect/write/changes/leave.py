"""Memories go out of sight, with everything that was made from them: forgotten or expired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...embedders.optional import OptionalEmbedder
from ...namespaces import common
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Memory, Status
from ..build.put import fields_only
from ..stamp import Stamp, difference
from .follow import refresh
from .leaving import Leaving, Verb, leaving

STATUS: Mapping[Verb, Status] = {"forget": "forgotten", "expire": "expired", "undo": "forgotten"}

Pairs = list[tuple[Memory, Memory]]
"""Memories before and after a change."""


def leave(
    store: Store,
    embedder: OptionalEmbedder,
    memories: Sequence[Memory],
    stamp: Stamp,
    *,
    verb: Verb = "forget",
) -> list[Memory]:
    """Hides memories and what was made from them, in one event per namespace. Returns all changed memories: first the
    hidden ones, then those that stay or hold again."""
    with store.transaction():
        plan = leaving(store, verb, stamp.within).name(memories).settle()
        pairs = [*hidden(plan), *plan.changed]
        for namespace, some in _by_event(pairs, memories).items():
            followed = sorted(after.id for _, after in some if after.id in plan.followed or after.id in plan.kept)
            event = stamp.event(verb, namespace, [difference(*pair) for pair in some], noted(followed))
            store.write(Batch(puts=[fields_only(after) for _, after in some], events=[event]))
        refresh(store, embedder, plan.kept)
    return [after for _, after in pairs]


def hidden(plan: Leaving) -> Pairs:
    """The memories that go, before and after."""
    status = STATUS[plan.verb]
    return [(m, replace(m, status=status)) for m in plan.going.values() if m.status not in (status, "forgotten")]


def noted(followed: Sequence[str]) -> dict[str, Sequence[str]]:
    """An event's detail: the memories that changed because of others."""
    return {"followed": list(followed)} if followed else {}


def _by_event(pairs: Pairs, named: Sequence[Memory]) -> dict[str, Pairs]:
    """Namespace of the event → its changes. Memories of several namespaces are several events."""
    if pairs and len({memory.namespace for memory in named}) == 1:
        return {common(before.namespace for before, _ in pairs): pairs}
    found: dict[str, Pairs] = {}
    for pair in pairs:
        found.setdefault(pair[0].namespace, []).append(pair)
    return found
