"""Many memories that say much the same become one that speaks for them (Siestai).

Finding and summarising happen without the lock; storing takes it and looks again whether the originals are
as they were. Rounds go on until one changes nothing, so a second run finds nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from ..embedders.optional import OptionalEmbedder
from ..namespaces import is_within
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..store.values import Batch
from ..types import Change, Condition, Filter, Granularity, Link, Memory
from ..write.build.draft import stated
from ..write.build.embed import FULL
from ..write.build.put import build, fields_only, write
from ..write.changes.revise import relinked
from ..write.stamp import Stamp, difference
from .cluster import LEAST_IN_CLUSTER, Clusters
from .summary import Summarise, covered, summary, summary_text

if TYPE_CHECKING:
    from ..types import Vector

MORE_THAN = 20
"""A namespace with so few active memories is left alone (Siestai)."""
_GRANULARITIES: tuple[Granularity, ...] = ("memory", "fact")
_SUMMARIES = Condition(key="consolidates", op="ne", value=None)


def consolidate(
    store: Store,
    embedder: OptionalEmbedder,
    namespace: str,
    *,
    rules: WriteRules,
    stamp: Stamp,
    summarise: Summarise | None,
    preview: bool,
) -> list[Memory]:
    """Consolidates a namespace and each below it; returns the summaries it made, or would make."""
    work = Consolidator(store=store, embedder=embedder, rules=rules, stamp=stamp, summarise=summarise)
    paths = [path for path in store.namespaces() if is_within(path, namespace)]
    return [made for path in paths for made in (work.preview(path) if preview else work.run(path))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidator:
    """What consolidating needs besides a namespace."""

    store: Store
    embedder: OptionalEmbedder
    rules: WriteRules
    stamp: Stamp
    summarise: Summarise | None = None
    skip: frozenset[str] = frozenset()
    """Memories to be taken as gone."""

    def run(self, namespace: str) -> list[Memory]:
        """Consolidates exactly this namespace, not what is below it; returns the summaries it made."""
        made: list[Memory] = []
        if len(self._active(namespace)) <= MORE_THAN:
            return made
        while True:
            fresh = [kept for plan in self.plans(namespace) if (kept := self._store(plan)) is not None]
            if not fresh:
                return made
            made += fresh

    def preview(self, namespace: str) -> list[Memory]:
        """The summaries of a first round; nothing is stored."""
        if len(self._active(namespace)) <= MORE_THAN:
            return []
        return [plan.summary for plan in self.plans(namespace)]

    def plans(self, namespace: str) -> Iterator[Plan]:
        """A summary for each cluster that one can speak for."""
        if self.rules.clusters == "keep":
            return
        for cluster in self._clusters(namespace):
            text = summary_text(cluster, self.summarise)
            originals = cluster if self.rules.clusters == "cosine" else covered(cluster, text)
            if len(originals) >= LEAST_IN_CLUSTER:
                yield Plan(summary=summary(originals, text), originals=originals)

    def _active(self, namespace: str) -> list[Memory]:
        inside = _in_sight(self.store, namespace)
        return [memory for memory in inside if memory.id not in self.skip]

    def _clusters(self, namespace: str) -> list[list[Memory]]:
        import numpy as np

        candidates = {m.id: m for m in self._active(namespace) if _may_go(m)}
        vectors = self.store.fetch(list(candidates), view=FULL).vectors
        ids = sorted(vectors)
        if len(ids) < LEAST_IN_CLUSTER:
            return []
        return Clusters(
            memories=[candidates[id] for id in ids],
            vectors=np.stack([vectors[id] for id in ids]),
            threshold=self.rules.cluster_threshold(self.embedder.embedder.name),
            apart=_apart(self.store, namespace, candidates),
            by_cosine=self.rules.clusters == "cosine",
        ).find()

    def _store(self, plan: Plan) -> Memory | None:
        """Puts the summary in place of its originals, unless one of them changed meanwhile."""
        author = replace(self.stamp, trust=plan.summary.trust)  # whoever tends, the originals' authors said it
        (put,) = build(self.store, self.embedder, [stated(plan.summary, merge=True)], author)
        made = put.memory
        if made.status == "quarantined":  # nobody would find what it stands for
            return None
        ids = [memory.id for memory in plan.originals]
        with self.store.transaction():
            held = self.store.get(ids)
            if not all(_is_as_it_was(held.get(memory.id), memory) for memory in plan.originals):
                return None
            links = self._links(made, ids, put.vectors[FULL].vector if put.vectors else None)
            changed = [(held[id], replace(held[id], status="consolidated")) for id in ids]
            event = self.stamp.event(
                "consolidate",
                made.namespace,
                [Change(memory_id=made.id, before=None), *(difference(*pair) for pair in changed)],
                relinked(self.store, links),
            )
            puts = [put, *(fields_only(after) for _, after in changed)]
            write(self.store, self.embedder, Batch(puts=puts, links=links, events=[event]))
        return made

    def _links(self, made: Memory, originals: Sequence[str], vector: Vector | None) -> list[Link]:
        threshold = self.rules.cluster_threshold(self.embedder.embedder.name)
        weights: dict[str, float] = {}
        if vector is not None:
            held = self.store.fetch(originals, view=FULL).vectors
            weights = {id: min(1.0, max(0.0, float(own @ vector))) for id, own in held.items()}
        return [
            Link(a=made.id, b=id, kind="extends", weight=weights.get(id, threshold), created_at=self.stamp.at)
            for id in originals
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A summary and the memories it is to stand for."""

    summary: Memory
    originals: Sequence[Memory]


def _in_sight(store: Store, namespace: str) -> list[Memory]:
    within = Filter(
        namespaces=(namespace,),
        exact=True,
        statuses=("active",),
        tiers=("pinned", "searchable"),
        granularities=_GRANULARITIES,
    )
    return store.scan(within, order="id")


def _may_go(memory: Memory) -> bool:
    """A summary is not summarised again, and what ends at a moment must not live on in something that does not."""
    lasting = memory.expires_at is None and memory.valid_to is None
    return lasting and memory.tier == "searchable" and "consolidates" not in memory.metadata


def _apart(store: Store, namespace: str, candidates: Mapping[str, Memory]) -> frozenset[frozenset[str]]:
    """Pairs that contradict each other, and those that someone took apart again with `undo`."""
    undone = store.scan(Filter(namespaces=(namespace,), statuses=("forgotten",), where=_SUMMARIES))
    groups = [sorted(set(memory.metadata["consolidates"]) & candidates.keys()) for memory in undone]
    pairs = {frozenset(pair) for group in groups for pair in combinations(group, 2)}
    pairs |= {frozenset((link.a, link.b)) for link in store.links(candidates) if link.kind == "contradicts"}
    return frozenset(pairs)


def _is_as_it_was(now: Memory | None, then: Memory) -> bool:
    return now is not None and (now.text, now.status, now.tier, now.namespace, now.expires_at) == (
        then.text,
        then.status,
        then.tier,
        then.namespace,
        then.expires_at,
    )
