"""Moves memories to another namespace, with everything that was made from them, page by page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ... import checks
from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput
from ...ids import new_id
from ...namespaces import is_within
from ...recipes.recipe import WriteRules
from ...store.protocol import Store
from ...store.values import Batch, Put
from ...types import Change, LinkKind, Memory
from ..build.draft import Draft
from ..build.put import fields_only
from ..build.statements import about_of
from ..links import sources
from ..path import remember
from ..stamp import Stamp, difference
from .follow import around, refresh
from .joined import Ends, JoinedChanges
from .leave import noted
from .leaving import Leaving, leaving, on_its_own, stated_by
from .owners import check_pinned
from .pages import EventChain, pages
from .surroundings import ABSENT, is_summary

_PARTED: tuple[LinkKind, ...] = ("extends", "same_as", "supersedes", "temporal")
"""The kinds of links that hold only inside a namespace."""


def check(old: str, new: str, *, whole: bool) -> None:
    checks.path(old)
    checks.path(new)
    if new == old or (whole and is_within(new, old)):
        raise InvalidInput(f"{old!r} can't be moved into itself ({new!r})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Relocation:
    """A move from one namespace to another. What is below the old one comes to lie below the new one."""

    store: Store
    embedder: OptionalEmbedder
    rules: WriteRules
    stamp: Stamp
    old: str
    new: str
    chain: EventChain = field(default_factory=EventChain)
    """That of the larger change, if this move is a part of one."""
    _all: dict[str, Memory] = field(default_factory=dict, init=False)
    """Everything that moves, on all pages, as it was before the first page. Empty for a whole namespace."""
    _named: set[str] = field(default_factory=set, init=False)
    """Those that the caller named."""
    _done: set[str] = field(default_factory=set, init=False)
    """What the pages before have moved."""

    def move_all(self, memories: Sequence[Memory]) -> int:
        """Moves everything in the namespace. Nothing is parted."""
        moved = 0
        check_pinned(memories, self.stamp)
        self._check_names(memories)
        for page in pages([memory.id for memory in memories]):
            with self.store.transaction():
                pairs = [(memory, self._moved(memory)) for memory in self._still_there(page)]
                if pairs:
                    self._log([difference(*pair) for pair in pairs], {}, [fields_only(after) for _, after in pairs])
            moved += len(pairs)
        return moved

    def move_some(self, memories: Sequence[Memory]) -> int:
        """Moves some memories and what was made from them. What they replaced and what stays behind is settled."""
        named = [memory for memory in memories if not is_within(memory.namespace, self.new)]
        self._named.update(memory.id for memory in named)
        alone, sharing = self._find_all(named)
        for page in (*pages(alone), *pages(sharing)):
            with self.store.transaction():
                self._move_page(self._still_there(page))
        return len(self._done)

    def _find_all(self, named: Sequence[Memory]) -> tuple[list[str], list[str]]:
        """Finds all that moves before the first page is written. Each page needs to know what the other ones take.
        Turns that share a fact with one that stays come last: a copy of the fact replaces what was moved before it."""
        plan = leaving(self.store, "move", self.old).name(named)
        self._take_out_parted_summaries(plan)
        check_pinned(plan.going.values(), self.stamp)
        self._check_names(plan.going.values())
        self._all.update(plan.going)
        sharing = {turn.id for id in plan.kept for turn in plan.near.turns_of(plan.near.memories[id])}
        moving = [memory.id for memory in named if memory.id in self._all]
        return [id for id in moving if id not in sharing], [id for id in moving if id in sharing]

    def _check_names(self, memories: Iterable[Memory]) -> None:
        """A name that is too long is refused before anything is moved."""
        for memory in memories:
            self._moved(memory)

    def _still_there(self, ids: Iterable[str]) -> list[Memory]:
        """Those of these memories that nobody moved since they were chosen, also not with a page before."""
        held = self.store.get([id for id in ids if id not in self._done])
        return [memory for memory in held.values() if is_within(memory.namespace, self.old)]

    def _move_page(self, named: Sequence[Memory]) -> None:
        plan = self._plan(named)
        if not plan.going:
            return
        joined = JoinedChanges(self.store)
        parted = self._take_out_parted_summaries(plan)
        plan.settle().reconsider([*plan.near.replaces([m.id for m in parted]), *plan.going.values()])
        stale = {*around(self.store, list(plan.going.values())), *plan.kept}
        puts = [fields_only(memory) for memory in self._after(plan, parted)]
        joined.write(Batch(puts=puts, links=plan.links, unlinks=self._cut(plan)))
        stale.update(self._copy_shared(joined.store, plan))
        refresh(joined.store, self.embedder, stale)
        followed = noted([now.id for _, now in joined.pairs() if now.id not in self._named])
        self._log(joined.changes(), {**joined.relinked(), **followed})
        self._done.update(plan.going)

    def _plan(self, named: Sequence[Memory]) -> Leaving:
        plan = leaving(self.store, "move", self.old, self._all.keys()).leave_with(self._all.values()).name(named)
        for id in self._done & plan.going.keys():
            del plan.going[id]
        return plan

    def _moved(self, memory: Memory) -> Memory:
        return replace(memory, namespace=checks.path(self.new + memory.namespace[len(self.old) :]))

    def _log(self, changes: Sequence[Change], detail: Mapping[str, Any], puts: Sequence[Put] = ()) -> None:
        whole = {"from": self.old, "to": self.new, **detail, **self.chain.detail(self.new)}
        event = self.stamp.event("move", self.new, changes, whole)
        self.store.write(Batch(puts=puts, events=[event]))
        self.chain.add(event)

    def _take_out_parted_summaries(self, plan: Leaving) -> list[Memory]:
        """A summary moves with its originals if all of them move. Otherwise it is taken apart."""
        summaries = [m for m in plan.going.values() if m.id in plan.followed and is_summary(m)]
        moving = plan.going.keys() | self._all.keys()
        parted = [m for m in summaries if not moving >= {o.id for o in plan.near.replaces([m.id])}]
        for summary in parted:
            del plan.going[summary.id]
            plan.near.memories[summary.id] = replace(summary, status="forgotten")
        return [plan.near.memories[summary.id] for summary in parted]

    def _after(self, plan: Leaving, parted: Sequence[Memory]) -> list[Memory]:
        moved = [self._moved(self._parted_fact(plan, plan.back.get(id, m))) for id, m in plan.going.items()]
        stay = [after for before, after in plan.changed if before.id not in plan.going]
        return [*moved, *stay, *parted]

    def _parted_fact(self, plan: Leaving, memory: Memory) -> Memory:
        """A fact that moves without the turn of its message is a memory of its own."""
        if memory.granularity != "fact" or memory.message in plan.going_messages:
            return memory
        stored_alone = not plan.near.turns_of(memory) and plan.near.is_stated(memory)
        return memory if stored_alone else on_its_own(memory)

    def _cut(self, plan: Leaving) -> list[Ends]:
        """The links between what moves and what stays in the same namespace."""
        moving = plan.going.keys() | self._all.keys()
        links = [link for link in self.store.links(plan.going) if link.kind in _PARTED]
        split = [link for link in links if (link.a in moving) != (link.b in moving)]
        held = self.store.get({end for link in split for end in (link.a, link.b)})
        return [(k.a, k.b, k.kind) for k in split if held[k.a].namespace == held[k.b].namespace]

    def _copy_shared(self, store: Store, plan: Leaving) -> list[str]:
        """Copies a fact that stays with another turn for the turn that moves. Returns the ids of copies and turns."""
        shared = [fact for id in plan.kept if (fact := plan.near.memories[id]).status != "forgotten"]
        pairs = [(fact, turn) for fact in shared for turn in plan.near.turns_of(fact) if turn.id in plan.going]
        drafts = [_copied(fact, self._moved(turn)) for fact, turn in pairs]
        stored = remember(store, self.embedder, drafts, rules=self.rules, stamp=self.stamp)
        copies = [memory for batch in stored for memory in batch]
        made = zip((turn for _, turn in pairs), (draft.memory for draft in drafts), copies, strict=True)
        store.write(Batch(links=[link for turn, *pair in made for link in sources([turn], [(pair[0], pair[1])])]))
        return [*(memory.id for memory in copies), *(turn.id for _, turn in pairs)]


def _copied(fact: Memory, turn: Memory) -> Draft:
    copy = replace(
        stated_by(turn, fact, turn),
        id=new_id(),
        namespace=turn.namespace,
        status=turn.status if turn.status in ABSENT else "active",
        valid_to=None,
        access_count=0,
        last_accessed_at=None,
        retrieval_count=0,
        last_retrieved_at=None,
    )
    return Draft(memory=copy, about=about_of(fact), released=True)
