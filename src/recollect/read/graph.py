"""Which people and things are named together? Read around one of them, with a bounded number of memories."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import combinations

from .. import checks
from ..store.protocol import Store
from ..text.analyze import analyze
from ..text.words import fold
from ..types import Filter, Graph, GraphEdge, GraphNode, Memory, Status
from ..write.build.statements import STATING
from .profile.subjects import USER, asked_for

MOST_READ = 400
"""The most memories about the one in the middle that are read."""
MOST_LISTED = 50
"""The most of them that are returned."""
MOST_PER_EDGE = 10
MOST_NODES = 60

Pair = tuple[str, str]


def graph(
    store: Store,
    namespace: str,
    name: str,
    *,
    as_of: datetime | None,
    at: datetime,
    kinds: Sequence[str],
    limit: int,
) -> Graph:
    """What is named together with one person or thing in memories that hold at `at`, or held at `as_of`."""
    middle = checks.label("name", name)
    statuses: tuple[Status, ...] = ("active",) if as_of is None else ("active", "superseded")
    within = Filter(namespaces=(namespace,), statuses=statuses, granularities=STATING, as_of=as_of, live_at=as_of or at)
    about, truncated = _about(store, within, middle)
    chosen = [memory for memory in about if not kinds or memory.kind in kinds]
    together = _Together(fold(middle), chosen)
    nodes = together.nodes()
    shown = nodes[: min(limit, MOST_NODES)]
    return Graph(
        name=middle,
        nodes=tuple(shown),
        edges=tuple(together.edges(middle, [node.name for node in shown])),
        memories=tuple(chosen[:MOST_LISTED]),
        kinds=dict(Counter(memory.kind for memory in about).most_common()),
        first=min((memory.valid_from or memory.happened_at for memory in about), default=None),
        more=len(nodes) - len(shown),
        truncated=truncated,
    )


def _about(store: Store, within: Filter, name: str) -> tuple[list[Memory], bool]:
    """The memories that name it, newest first, and whether there are more. About the owner: the newest statements."""
    if asked_for(name) == USER:
        newest = store.scan(within, limit=MOST_READ + 1)
        return newest[:MOST_READ], len(newest) > MOST_READ
    terms = analyze(name)
    fields = {"text": 1.0, "entities": 1.0}
    if not terms:
        return [], False
    found = store.search_text(terms, (), within, match="all", fields=fields, limit=MOST_READ + 1)
    held = store.get([posting.memory_id for posting in found.postings[: MOST_READ + 1]], within)
    newest = sorted(held.values(), key=lambda memory: (memory.happened_at, memory.id), reverse=True)
    return newest[:MOST_READ], len(newest) > MOST_READ


def _is_name(entity: str) -> bool:
    """An amount such as £1,480 belongs to nobody, so nothing can be learned from following it."""
    return any(map(str.isalpha, entity))


class _Together:
    """Counts who is named together with whom. Names are the same if they differ only in case and accents."""

    def __init__(self, middle: str, memories: Iterable[Memory]) -> None:
        self._spelt: dict[str, str] = {}
        self._with_middle: Counter[str] = Counter()
        self._named: defaultdict[Pair, list[str]] = defaultdict(list)
        self._middle = middle
        for memory in memories:
            self._take(memory)

    def _take(self, memory: Memory) -> None:
        spelt = {fold(entity): entity for entity in memory.entities if _is_name(entity)}
        spelt.pop(self._middle, None)
        for key, entity in spelt.items():
            self._spelt.setdefault(key, entity)
        self._with_middle.update(spelt.keys())
        for key in spelt:
            self._named[self._middle, key].append(memory.id)
        for a, b in combinations(sorted(spelt), 2):
            self._named[a, b].append(memory.id)

    def nodes(self) -> list[GraphNode]:
        counted = sorted(self._with_middle.items(), key=lambda pair: (-pair[1], pair[0]))
        return [GraphNode(name=self._spelt[key], count=count) for key, count in counted]

    def edges(self, middle: str, names: Sequence[str]) -> list[GraphEdge]:
        shown = {fold(name): name for name in names} | {self._middle: middle}
        return [
            GraphEdge(a=shown[a], b=shown[b], count=len(ids), memories=tuple(ids[:MOST_PER_EDGE]))
            for (a, b), ids in sorted(self._named.items(), key=lambda pair: (-len(pair[1]), pair[0]))
            if a in shown and b in shown
        ]
