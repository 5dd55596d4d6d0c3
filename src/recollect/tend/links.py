"""Creates links between similar memories, and between memories that name the same rare thing.

This is part of maintenance, because a writer would have to wait for it. A run looks only at memories stored since the
last run, and at most at `MOST_AT_ONCE`. So links that were removed are not created again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ..embedders.optional import OptionalEmbedder
from ..extractors.judgement import judge
from ..store.protocol import Store
from ..store.settings import mark, set_mark
from ..store.values import Batch
from ..text.analyze import analyze_query
from ..types import Filter, Granularity, Link, LinkKind, Memory
from ..write.build.embed import FULL
from ..write.links import linked, order, words_of
from ..write.stamp import Stamp
from .last_used import PAGE

MOST_AT_ONCE = 1_000
"""Memories per namespace and run."""
MOST_SIMILAR = 3
MOST_COMPARED = 32
"""The nearest memories that are compared by their words."""
SIMILAR = 0.70
SIMILAR_BY_EMBEDDER = {"granite": 0.78, "recollect-30m": 0.74}
"""From this cosine on, two memories may be similar; their words decide. 0.78 excludes 99% of the pairs of one topic
(docs/lab/maintenance.md)."""
RARE = 5
"""Memories are linked by a name that at most this many memories of the namespace have."""
MENTIONS_WEIGHT = 0.4
LEAST_LETTERS = 3
"""Shorter names are not used: numbers and initials are often shared by chance."""
WHY = "they are similar, or name the same rare thing"

MARK = "links"
"""The task whose mark is the last memory that was looked at."""

_GRANULARITIES: tuple[Granularity, ...] = ("memory", "fact")


@dataclass(frozen=True, slots=True, kw_only=True)
class Linker:
    store: Store
    embedder: OptionalEmbedder
    stamp: Stamp
    skip: frozenset[str] = frozenset()
    """Memories to ignore."""

    def run(self, namespace: str) -> int:
        """Links the new memories of exactly this namespace, as one event. Returns the number of new links."""
        after = mark(self.store, MARK, namespace)
        fresh = self._fresh(namespace)
        if not fresh:
            return 0
        wanted = self._links(namespace, fresh)
        with self.store.transaction():
            if mark(self.store, MARK, namespace) != after:  # another run has linked them
                return 0
            held = self.store.get({end for link in wanted for end in (link.a, link.b)}, _within(namespace))
            links = [link for link in wanted if link.a in held and link.b in held]
            if links:
                event = linked(links, WHY, "relate", namespace, self.stamp)
                self.store.write(Batch(links=links, events=[event]))
            set_mark(self.store, MARK, namespace, fresh[-1].id)
        return len(links)

    def preview(self, namespace: str) -> int:
        fresh = self._fresh(namespace)
        return len(self._links(namespace, fresh)) if fresh else 0

    def _fresh(self, namespace: str) -> list[Memory]:
        after = mark(self.store, MARK, namespace)
        return self.store.scan(_within(namespace), order="id", after=after, limit=MOST_AT_ONCE)

    def _takes_part(self, memory: Memory) -> bool:
        """Summaries are left out: they are already linked with their sources."""
        return memory.id not in self.skip and "consolidates" not in memory.metadata

    def _links(self, namespace: str, scanned: Sequence[Memory]) -> list[Link]:
        fresh = [memory for memory in scanned if self._takes_part(memory)]
        wanted = [self._link(a, b, "similar", cosine) for a, b, cosine in self._similar(namespace, fresh)]
        wanted += [self._link(a, b, "mentions", MENTIONS_WEIGHT) for a, b in self._mentions(namespace, fresh)]
        known = {_either_way(link) for link in self.store.links({memory.id for memory in fresh})}
        found = {_either_way(link): link for link in reversed(wanted)}
        return [link for ends, link in found.items() if ends not in known]

    def _link(self, a: str, b: str, kind: LinkKind, weight: float) -> Link:
        return Link(a=a, b=b, kind=kind, weight=weight, created_at=self.stamp.at)

    def _similar(self, namespace: str, fresh: Sequence[Memory]) -> Iterator[tuple[str, str, float]]:
        import numpy as np

        name = self.embedder.embedder.name
        known = self.store.fetch([memory.id for memory in fresh], view=FULL).vectors
        asked = [memory for memory in fresh if memory.id in known]
        if not asked:
            return
        least = SIMILAR_BY_EMBEDDER.get(name, SIMILAR)
        rows = np.stack([known[memory.id] for memory in asked])
        near = self.store.similar(rows, FULL, _within(namespace), at_least=least, limit=MOST_COMPARED)
        nearby = self.store.get({id for found in near for id, _ in found})
        others = {id: other for id, other in nearby.items() if self._takes_part(other)}
        for memory, found in zip(asked, near, strict=True):
            alike = ((id, cosine) for id, cosine in found if _are_similar(memory, others.get(id)))
            yield from ((memory.id, id, round(cosine, 4)) for id, cosine in islice(alike, MOST_SIMILAR))

    def _mentions(self, namespace: str, fresh: Sequence[Memory]) -> Iterator[tuple[str, str]]:
        named = self._naming(namespace, {name for memory in fresh for name in names(memory)})
        for memory in fresh:
            for name in names(memory):
                if len(named[name]) <= RARE:
                    yield from ((memory.id, other.id) for other in named[name] if _apart(memory, other))

    def _naming(self, namespace: str, wanted: set[str]) -> Mapping[str, Sequence[Memory]]:
        """Name → the memories that have it. The list stops at one more than `RARE`."""
        found: dict[str, list[Memory]] = {name: [] for name in wanted}
        for memory in self._all(namespace) if wanted else ():
            for name in names(memory):
                if name in wanted and len(found[name]) <= RARE:
                    found[name].append(memory)
        return found

    def _all(self, namespace: str) -> Iterator[Memory]:
        after: str | None = None
        while page := self.store.scan(_within(namespace), order="id", after=after, limit=PAGE):
            yield from (memory for memory in page if self._takes_part(memory))
            after = page[-1].id


def _either_way(link: Link) -> tuple[frozenset[str], LinkKind]:
    return frozenset((link.a, link.b)), link.kind


def _within(namespace: str) -> Filter:
    return Filter(
        namespaces=(namespace,),
        exact=True,
        statuses=("active",),
        tiers=("pinned", "searchable"),
        granularities=_GRANULARITIES,
    )


def names(memory: Memory) -> set[str]:
    """Its entities that are names, not numbers or dates."""
    return set(_named(memory.entities))


def _named(entities: Iterable[str]) -> Iterator[str]:
    for entity in entities:
        letters = [character for character in entity if character.isalpha()]
        least = LEAST_LETTERS if entity.isascii() else LEAST_LETTERS - 1
        if len(letters) >= least and not entity[0].isdigit():
            yield entity.casefold()


def _are_similar(memory: Memory, other: Memory | None) -> bool:
    """Whether both say something about one matter, and neither repeats, replaces or contradicts the other."""
    if other is None or not _apart(memory, other):
        return False
    older, newer = sorted((memory, other), key=order)
    shared = set(analyze_query(words_of(older)).content) & set(analyze_query(words_of(newer)).content)
    return bool(shared) and judge(words_of(older), words_of(newer)) == "different"


def _apart(memory: Memory, other: Memory | None) -> bool:
    """Whether these are two memories, and not of the same turn."""
    if other is None or other.id == memory.id:
        return False
    return memory.session_id is None or (memory.session_id, memory.turn) != (other.session_id, other.turn)
