"""Verbs that a program, PostgreSQL and a server know alike. Each can be repeated after a kill, with the same result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from recollect import Client, Recollect

from .stores import AT

Mind: TypeAlias = Recollect | Client
Act = Callable[[Mind], object]


def remember(mind: Mind) -> None:
    mind.remember("A new parcel is here", at=AT)


def remember_many(mind: Mind) -> None:
    mind.remember_many([{"text": f"Letter {n} lies in box {n}", "at": AT} for n in range(30)])


def ingest(mind: Mind) -> None:
    mind.ingest([{"role": "user", "content": f"I own {n} boats."} for n in range(4)], session_id="boats", at=AT)


def update(mind: Mind) -> None:
    (one,) = [memory for memory in mind.list() if memory.text.startswith(("Parcel 5 ", "Parcel five"))]
    mind.update(one.id, text="Parcel five is open")


def forget(mind: Mind) -> None:
    mind.forget(namespace="default")


def archive(mind: Mind) -> None:
    mind.archive(namespace="default")


def restore(mind: Mind) -> None:
    for memory in mind.list(namespace="drafts", statuses=["forgotten"]):
        mind.restore(memory.id)


def purge(mind: Mind) -> None:
    mind.purge(namespace="default")


def link(mind: Mind) -> None:
    one, other = sorted(memory.id for memory in mind.list())[:2]
    mind.link(one, other)


def supersede(mind: Mind) -> None:
    one, other = sorted(memory.id for memory in mind.list(statuses=["active", "superseded"]))[:2]
    mind.supersede(one, other)


def move(mind: Mind) -> None:
    if "default" in mind.namespaces():
        mind.move("default", "elsewhere")


def tend(mind: Mind) -> None:
    mind.tend(at=AT)


def retention(mind: Mind) -> None:
    mind.set_retention("default", most_memories=10)
    mind.tend(at=AT)


ACTS: dict[str, Act] = {
    act.__name__: act
    for act in (
        remember,
        remember_many,
        ingest,
        update,
        forget,
        archive,
        restore,
        purge,
        link,
        supersede,
        move,
        tend,
        retention,
    )
}
