"""What a session told and changed, from the stored memories and their links. A model can add a summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from .. import checks
from ..errors import NotFound
from ..extractors.passage import NotExtracted
from ..extractors.protocol import Extractor
from ..extractors.summaries import Summariser, summariser_of
from ..store.protocol import Store
from ..types import Brief, BriefChange, BriefStatement, Filter, Granularity, Link, LinkKind, Memory, Status
from ..write.build.statements import STATING
from .profile.topics import is_to_come, named_time

MOST = 5_000
"""The most memories of a session that are read."""
_SHOWN: tuple[Status, ...] = ("active", "superseded", "contradicted", "completed", "expired")
_SAID: tuple[Granularity, ...] = ("turn", "round", "memory")
_PAIR = 2


def brief(store: Store, namespace: str, session_id: str, extractor: Extractor, *, at: datetime) -> Brief:
    """The brief of a session. `at` decides which plans are still to come."""
    session = checks.label("session_id", session_id)
    within = Filter(namespaces=(namespace,), statuses=_SHOWN)
    held = store.scan(replace(within, session_id=session), order="oldest", limit=MOST + 1)
    if not held:
        raise NotFound(f"nothing of a session {session!r} is stored in {namespace}: check both names")
    links = store.links([memory.id for memory in held])
    known = {memory.id: memory for memory in held} | store.get(_others(held, links), within)
    made = _brief(session, namespace, held[:MOST], links, known, at)
    made = replace(made, truncated=len(held) > MOST)
    summariser = summariser_of(extractor)
    return made if summariser is None else _summarised(made, _said(held), summariser)


def _others(held: Sequence[Memory], links: Iterable[Link]) -> set[str]:
    return {id for link in links for id in (link.a, link.b)} - {memory.id for memory in held}


def _brief(
    session: str,
    namespace: str,
    held: Sequence[Memory],
    links: list[Link],
    known: Mapping[str, Memory],
    at: datetime,
) -> Brief:
    told = _told(held, links, known)
    own = {memory.id for memory in told}
    return Brief(
        session_id=session,
        namespace=namespace,
        begun_at=min(memory.learned_at for memory in held),
        ended_at=max(memory.learned_at for memory in held),
        turns=_turns(held),
        told=tuple(map(_statement, told)),
        replaced=_changes((link for link in links if link.a in own), "supersedes", known),
        contradicted=_changes((link for link in links if {link.a, link.b} & own), "contradicts", known),
        plans=tuple(_statement(memory) for memory in told if memory.status == "active" and is_to_come(memory, at)),
    )


def _told(held: Sequence[Memory], links: list[Link], known: Mapping[str, Memory]) -> list[Memory]:
    """The statements of the session, and those of earlier ones that its messages said again."""
    turns = {memory.id for memory in held if memory.granularity == "turn"}
    again = {link.a for link in links if link.kind == "extends" and link.b in turns and link.a in known}
    ids = {memory.id for memory in held} | again
    stating = [known[id] for id in ids if known[id].granularity in STATING]
    return sorted(stating, key=_age)


def _turns(held: Iterable[Memory]) -> int:
    granularities = [memory.granularity for memory in held]
    return granularities.count("turn") or granularities.count("round")


def _changes(links: Iterable[Link], kind: LinkKind, known: Mapping[str, Memory]) -> tuple[BriefChange, ...]:
    """The pairs of statements that links of this kind join, each once, in the order of the later statements."""
    pairs = {frozenset((link.a, link.b)) for link in links if link.kind == kind and {link.a, link.b} <= known.keys()}
    found = [sorted((known[id] for id in pair), key=_age) for pair in pairs]
    stating = [pair for pair in found if len(pair) == _PAIR and all(m.granularity in STATING for m in pair)]
    ordered = sorted(stating, key=lambda pair: (_age(pair[1]), _age(pair[0])))
    return tuple(BriefChange(old=_statement(old), new=_statement(new)) for old, new in ordered)


def _age(memory: Memory) -> tuple[datetime, int, datetime, str]:
    return memory.learned_at, memory.turn or 0, memory.created_at, memory.id


def _statement(memory: Memory) -> BriefStatement:
    when, told_at = named_time(memory), memory.learned_at
    return BriefStatement(id=memory.id, text=memory.text, told_at=told_at, when=when, status=memory.status)


# The summary --------------------------------------------------------------------------------------


def _said(held: Iterable[Memory]) -> str:
    said = sorted((memory for memory in held if memory.granularity in _SAID), key=_age)
    return "\n".join(f"{memory.role or 'note'}: {memory.text}" for memory in said)


def _summarised(made: Brief, said: str, summariser: Summariser) -> Brief:
    try:
        return replace(made, summary=summariser.summarise(f"{made.text}\n\n{said}"))
    except NotExtracted as failure:
        return replace(made, summary_failed=str(failure))
