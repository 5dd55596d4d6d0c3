"""Maintenance: runs every step that is due. Nothing is deleted.

Each step has its own transactions and reads again under the lock. So a run may be repeated, run twice at the same
time, or be killed at any point: the next run continues from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ..checks import moment
from ..embedders.optional import OptionalEmbedder
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..store.settings import mark, set_mark
from ..types import Filter, Granularity, Memory, Status, Tended
from ..write.stamp import Stamp
from . import retention, tiers
from .consolidate import Consolidator
from .dead_letters import DeadLetterQueue, retry_letters
from .links import Linker
from .strength import check_clock, decay, decayed
from .summary import Summarise

DECAY_EVERY = timedelta(days=1)
CONSOLIDATE_EVERY = timedelta(days=7)

_DECAYING: tuple[Granularity, ...] = ("memory", "turn", "fact", "round", "session")
"""The strength of documents does not decay."""
_DECAYING_STATUSES: tuple[Status, ...] = (
    "active",
    "superseded",
    "contradicted",
    "consolidated",
    "completed",
    "quarantined",
    "expired",
)


def tend(
    store: Store,
    embedder: OptionalEmbedder,
    namespace: str,
    *,
    rules: WriteRules,
    stamp: Stamp,
    summarise: Summarise | None = None,
    letters: DeadLetterQueue | None = None,
    preview: bool = False,
    force: bool = False,
) -> Tended:
    """Expires, completes, decays, archives, consolidates and links what is due in a namespace and those below it."""
    if not (force or preview):
        check_clock(store, stamp.at)
    return _Run(store, embedder, namespace, rules, stamp, summarise, letters, preview).all()


@dataclass(slots=True)
class _Run:
    store: Store
    embedder: OptionalEmbedder
    namespace: str
    rules: WriteRules
    stamp: Stamp
    summarise: Summarise | None
    letters: DeadLetterQueue | None
    preview: bool
    gone: set[str] = field(default_factory=set)
    """Ids of memories that earlier steps of a preview would have expired, completed, archived or consolidated."""
    faded: dict[str, Memory] = field(default_factory=dict)
    """Memories as earlier steps of a preview would have changed them."""

    def all(self) -> Tended:
        recovered = self._recover()
        known = retention.rules(self.store)
        expired = self._noted(
            tiers.expire(self.store, self.embedder, self.namespace, known, self.stamp, preview=self.preview)
        )
        completed = self._noted(
            tiers.complete(self.store, self.namespace, self.stamp, preview=self.preview, skip=self._skip)
        )
        faded = self._decay()
        archived = self._noted(
            tiers.archive_idle(self.store, self.namespace, self.stamp, preview=self.preview, skip=self._skip)
        )
        archived += self._noted(
            retention.archive_surplus(
                self.store,
                self.namespace,
                known,
                self.stamp,
                preview=self.preview,
                skip=self._skip,
                faded=self.faded,
            )
        )
        summaries = self._consolidate()
        consolidated = self._noted([id for made in summaries for id in made.metadata["consolidates"]])
        return Tended(
            at=self.stamp.at,
            preview=self.preview,
            expired=tuple(expired),
            completed=tuple(completed),
            decayed=faded,
            archived=tuple(archived),
            consolidated=tuple(consolidated),
            summaries=tuple(made.id for made in summaries),
            linked=self._link(),
            recovered=recovered,
        )

    @property
    def _skip(self) -> frozenset[str]:
        return frozenset(self.gone)

    def _noted(self, ids: list[str]) -> list[str]:
        if self.preview:
            self.gone.update(ids)
        return ids

    def _decay(self) -> int:
        if not self._is_due("decay", self.namespace, DECAY_EVERY):
            return 0
        within = Filter(namespaces=(self.namespace,), statuses=_DECAYING_STATUSES, granularities=_DECAYING)
        if self.preview:
            fading = [(m, decayed(m, self.rules, self.stamp)) for m in self.store.scan(within)]
            self.faded = {after.id: after for before, after in fading if after != before}
            return len(self.faded)
        count = decay(self.store, within, self.rules, self.stamp, force=True)
        self._done("decay", self.namespace)
        return count

    def _consolidate(self) -> list[Memory]:
        work = Consolidator(
            store=self.store,
            embedder=self.embedder,
            rules=self.rules,
            stamp=self.stamp,
            # a preview asks no model: its answer would not be the same the next time
            summarise=None if self.preview else self.summarise,
            skip=self._skip,
        )
        made: list[Memory] = []
        for namespace in within(self.store, self.namespace):
            if not self._is_due("consolidate", namespace, CONSOLIDATE_EVERY):
                continue
            if self.preview:
                made += work.preview(namespace)
            else:
                made += work.run(namespace)
                self._done("consolidate", namespace)
        return made

    def _recover(self) -> int:
        if self.letters is None or self.preview:
            return 0
        return retry_letters(
            self.store, self.embedder, self.letters, self.namespace, rules=self.rules, stamp=self.stamp
        )

    def _link(self) -> int:
        linker = Linker(store=self.store, embedder=self.embedder, stamp=self.stamp, skip=self._skip)
        made = 0
        for namespace in within(self.store, self.namespace):
            made += linker.preview(namespace) if self.preview else linker.run(namespace)
        return made

    def _is_due(self, step: str, namespace: str, every: timedelta) -> bool:
        held: datetime | None = moment(step, mark(self.store, step, namespace))
        if held is None or held > self.stamp.at:  # a clock was ahead: each memory has its own, so nothing is done twice
            return True
        return self.stamp.at - held >= every

    def _done(self, step: str, namespace: str) -> None:
        set_mark(self.store, step, namespace, self.stamp.at.isoformat())


def within(store: Store, namespace: str) -> list[str]:
    """This namespace and those below it that hold memories."""
    return [path for path in store.namespaces() if f"{path}/".startswith(f"{namespace}/")]
