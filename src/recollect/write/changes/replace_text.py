"""Replaces a memory by a new text: what it said was true until a moment, and the new text holds from then on."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ... import checks
from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput
from ...namespaces import common
from ...recipes.recipe import WriteRules
from ...store.protocol import Store
from ...store.values import Batch
from ...types import NAMELESS, Memory
from ..build.draft import Draft
from ..build.put import build
from ..build.renamed import renamed
from ..path import remember
from ..screening.quarantine import OWNER
from ..stamp import Stamp
from .joined import JoinedChanges
from .owners import check_pinned
from .revise import one, supersede


def replace_text(
    store: Store,
    embedder: OptionalEmbedder,
    old_id: str,
    text: str,
    since: datetime | None,
    *,
    rules: WriteRules,
    stamp: Stamp,
) -> Memory:
    """Stores the text as a memory like the old one, which it supersedes, as one event. Returns the old one."""
    old = one(store, old_id)
    check_pinned([old], stamp)
    drafts = [Draft(memory=_successor(old, text, since, stamp), merge=False, states=True)]
    built = build(store, embedder, drafts, stamp)  # before the lock is taken
    with store.transaction():
        joined = JoinedChanges(store)
        [[made]] = remember(joined.store, embedder, drafts, rules=rules, stamp=stamp, built=built)
        if made.status == "quarantined":
            raise InvalidInput(f"the new text would be quarantined, so it is not stored, and {old_id} still holds")
        supersede(joined.store, old_id, made.id, stamp)
        changed = [memory for _, memory in joined.pairs()]
        place = common(memory.namespace for memory in changed)
        event = stamp.event("supersede", place, joined.changes(), joined.relinked())
        store.write(Batch(events=[event]))
    others = [memory.id for memory in changed if memory.id not in (old_id, made.id)]
    return replace(one(store, old_id), also_changed=(made.id, *others))


def _successor(old: Memory, text: str, since: datetime | None, stamp: Stamp) -> Memory:
    """A new memory of the same kind, tags, names and speaker."""
    like = {"kind": old.kind, "tags": old.tags, "entities": old.entities, "namespace": old.namespace}
    given = {**like, "text": text, "at": since, "role": None if old.role in NAMELESS else old.role}
    origin = stamp.origin or OWNER
    made = checks.memory(given, namespace=old.namespace, now=stamp.at, origin=origin, trust=stamp.trust)
    return renamed(old, made)
