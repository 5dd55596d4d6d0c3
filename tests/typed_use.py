"""Code as users write it; `make check` has mypy --strict read it. A line that must not pass says which error it is."""

from collections.abc import Sequence
from typing import assert_type

from recollect import AsyncRecollect, Client, Memory, Recall, Recollect
from recollect.read.compare import Comparison
from recollect.types import Context, Event, Link, Profile


def filters_and_changes(mind: Recollect) -> None:
    assert_type(mind.list(kinds=["fact"], tags="ui", statuses=["forgotten"], since="2026-01-01"), Sequence[Memory])
    assert_type(mind.forget("id"), Sequence[Memory])
    assert_type(mind.forget(tags=["draft"], where={"project": "atlas"}, preview=True), Sequence[Memory])
    assert_type(mind.purge(statuses="forgotten", namespace="acme"), Sequence[Memory])
    assert_type(mind.archive(tiers=["searchable"], until="2026-01-01"), Sequence[Memory])
    assert_type(mind.update("id", text="…", tags=["ui"], expires_at=None, importance=0.7), Memory)


def is_told_about_filters_and_changes(mind: Recollect) -> None:
    mind.list(kind="fact")  # type: ignore[call-arg]
    mind.list(limit="three")  # type: ignore[arg-type]
    mind.forget(tags=7)  # type: ignore[arg-type]
    mind.purge(colour="blue")  # type: ignore[call-arg]
    mind.update("id", colour="blue")  # type: ignore[call-arg]
    mind.update("id", importance="high")  # type: ignore[arg-type]
    mind.update("id", text=None)  # type: ignore[arg-type]


async def awaits(mind: AsyncRecollect) -> None:
    assert_type(await mind.remember("Ada prefers dark mode", tags=["ui"], importance=0.7), Memory)
    assert_type(await mind.recall("which theme?", limit=3, at="2026-11-01"), Recall)
    assert_type(await mind.list(kinds=["fact"], limit=10), Sequence[Memory])
    assert_type(await mind.update("id", kind="preference"), Memory)
    assert_type(await mind.neighbours("id"), Sequence[tuple[Link, Memory]])
    assert_type(await mind.compare("which theme?", ["bm25", "vector"]), Comparison)
    assert_type(await mind.assemble("hello", budget_tokens=100), Context)
    assert_type(await mind.undo("event"), Event)
    assert_type(await mind.profile("Ada", as_of="2026-03-01"), Profile)
    assert_type(await mind.namespaces(), dict[str, int])
    async with AsyncRecollect("agent.db", namespace="acme") as opened:
        assert_type(opened, AsyncRecollect)


def asks_a_server(mind: Client) -> None:
    assert_type(mind.remember("Ada prefers dark mode", tags=["ui"], importance=0.7), Memory)
    assert_type(mind.remember_many([{"text": "…"}]), list[Memory])
    assert_type(mind.recall("which theme?", limit=3, at="2026-11-01"), Recall)
    assert_type(mind.list(kinds=["fact"], limit=10), Sequence[Memory])
    assert_type(mind.update("id", kind="preference"), Memory)
    assert_type(mind.compare("which theme?", ["bm25", "vector"]), Comparison)
    assert_type(mind.link("a", "b", "supports", 0.7), Link)
    with Client("http://127.0.0.1:7411", key="rk_…") as opened:
        assert_type(opened, Client)


def is_told_by_the_client(mind: Client) -> None:
    mind.remember()  # type: ignore[call-arg]
    mind.recall("text", limit="three")  # type: ignore[arg-type]
    mind.backup("agent.db")  # type: ignore[attr-defined]
    mind.forget(tags=7)  # type: ignore[arg-type]
    mind.update("id", colour="blue")  # type: ignore[call-arg]


async def is_told_what_is_wrong(mind: AsyncRecollect) -> None:
    await mind.remember()  # type: ignore[call-arg]
    await mind.remember("text", colour="blue")  # type: ignore[call-arg]
    await mind.recall("text", limit="three")  # type: ignore[arg-type]
    await mind.list(kind="fact")  # type: ignore[call-arg]
    assert not mind.recall("text").hits  # type: ignore[attr-defined]
