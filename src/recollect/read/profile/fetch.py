"""Reads a profile from the store, with a bounded number of statements and rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from ... import checks
from ...store.protocol import Store
from ...text.analyze import analyze
from ...types import STATUSES, Filter, Link, Memory, Profile, Replaced, Status
from ...write.build.statements import STATING
from . import arrange, former
from .same import saying_the_same
from .subjects import USER, asked_for

MOST_STATEMENTS = 2_000
"""The newest statements of a namespace that are read."""
MOST_BY_NAME = 1_000
"""In a larger namespace: the most statements that are read besides, because they contain the subject's name."""
MOST_STEPS = 8
"""The most statements that are read of a chain in which each replaced the one before."""
MOST_LOGS = 50
"""The most statements whose log is read for the event that replaced another one."""
_SHOWN: tuple[Status, ...] = tuple(each for each in STATUSES if each not in ("forgotten", "quarantined", "active"))
"""The statuses of a replaced statement that is shown."""


def profile(store: Store, namespace: str, subject: str | None, *, as_of: datetime | None, at: datetime) -> Profile:
    """What holds at `at`, or held at `as_of`. `subject`: only about this person or thing."""
    wanted = None if subject is None else asked_for(checks.label("subject", subject))
    moment = as_of or at
    statuses: tuple[Status, ...] = ("active",) if as_of is None else ("active", "superseded")
    within = Filter(namespaces=(namespace,), statuses=statuses, granularities=STATING, as_of=as_of, live_at=moment)
    memories, truncated = _statements(store, within, wanted)
    chosen = arrange.sections(memories, wanted, moment)
    shown = [memory for section in chosen for memory in section.shown]
    links = store.links([memory.id for memory in shown])
    around = arrange.Around(
        sources=former.messages(shown, links, _turns(store, namespace, links)),
        replaced=_replaced(store, namespace, shown, links),
        contradicts=_contradicting(store, within, shown, links),
        same=saying_the_same(shown, memories),
    )
    subjects = tuple(arrange.subject(section, around) for section in chosen)
    return Profile(namespace=namespace, at=moment, subjects=subjects, truncated=truncated)


def _statements(store: Store, within: Filter, wanted: str | None) -> tuple[list[Memory], bool]:
    """The newest statements, in a large namespace also older ones of the subject; and whether others were left out."""
    newest = store.scan(within, limit=MOST_STATEMENTS + 1)
    if len(newest) <= MOST_STATEMENTS:
        return newest, False
    older, complete = (
        _about_owner(store, within) if wanted is None or wanted == USER else _naming(store, within, wanted)
    )
    found = {memory.id: memory for memory in (*newest[:MOST_STATEMENTS], *older)}
    return list(found.values()), not complete


def _about_owner(store: Store, within: Filter) -> tuple[list[Memory], bool]:
    """What is known about the owner by the attributes that every person has, such as home and work. That is not all."""
    from ...extractors.triples import PERSON_ATTRIBUTES  # its patterns take time to compile

    keys = [f"{USER}/{attribute}" for attribute in PERSON_ATTRIBUTES if not attribute.endswith(" ")]
    return [memory for listed in store.find_about(keys, within).values() for memory in listed], False


def _naming(store: Store, within: Filter, name: str) -> tuple[list[Memory], bool]:
    """Statements that contain a name, and whether these are all."""
    found = store.search_text(
        analyze(name), (), within, match="all", fields={"text": 1.0, "entities": 1.0}, limit=MOST_BY_NAME
    )
    ids = [posting.memory_id for posting in found.postings[:MOST_BY_NAME]]
    return list(store.get(ids).values()), len(found.postings) < MOST_BY_NAME


def _turns(store: Store, namespace: str, links: Iterable[Link]) -> dict[str, Memory]:
    """The messages that statements were taken from."""
    return store.get(former.ends(links, "extends"), Filter(namespaces=(namespace,), granularities=("turn",)))


def _contradicting(
    store: Store, within: Filter, shown: Sequence[Memory], links: Iterable[Link]
) -> dict[str, tuple[str, ...]]:
    """Statement → those that hold too and say otherwise."""
    pairs = {frozenset((link.a, link.b)) for link in links if link.kind == "contradicts"}
    holding = store.get({id for pair in pairs for id in pair}, within) if pairs else {}
    return former.opposites([memory.id for memory in shown], [pair for pair in pairs if pair <= holding.keys()])


def _replaced(
    store: Store, namespace: str, shown: Sequence[Memory], links: list[Link]
) -> dict[str, tuple[Replaced, ...]]:
    """Statement → what it replaced."""
    held: dict[str, Memory] = {}
    front = former.ends(links, "supersedes")
    within = Filter(namespaces=(namespace,), statuses=_SHOWN, granularities=STATING)
    events = _events(store, namespace, shown, links) if front else {}
    for _ in range(MOST_STEPS):
        if not front:
            break
        older = store.get(front, within)
        held |= older
        more = store.links(older)
        links = links + more
        front = former.ends(more, "supersedes") - held.keys()
    return former.replaced([memory.id for memory in shown], links, held, events)


def _events(store: Store, namespace: str, shown: Sequence[Memory], links: Iterable[Link]) -> dict[str, str]:
    """Replaced statement → the event that replaced it, for those that a shown statement replaced directly."""
    newer = {link.a for link in links if link.kind == "supersedes"}
    logged = [memory.id for memory in shown if memory.id in newer][:MOST_LOGS]
    logs = store.gather([partial(store.events, memory_id=id) for id in logged])
    return former.replacements((event for log in logs for event in log), namespace)
