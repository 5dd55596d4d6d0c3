"""Code as users write it; `make check` has mypy --strict read it. A line that must not pass says which error it is."""

from collections.abc import Sequence
from typing import assert_type

from recollect import AsyncRecollect, Client, Memory, Recall
from recollect.read.compare import Comparison
from recollect.types import Context, Event, Link


async def awaits(mind: AsyncRecollect) -> None:
    assert_type(await mind.remember("Ada prefers dark mode", tags=["ui"], importance=0.7), Memory)
    assert_type(await mind.recall("which theme?", limit=3, at="2026-11-01"), Recall)
    assert_type(await mind.list(kinds=["fact"], limit=10), Sequence[Memory])
    assert_type(await mind.neighbours("id"), Sequence[tuple[Link, Memory]])
    assert_type(await mind.compare("which theme?", ["bm25", "vector"]), Comparison)
    assert_type(await mind.assemble("hello", budget_tokens=100), Context)
    assert_type(await mind.undo("event"), Event)
    assert_type(await mind.namespaces(), dict[str, int])
    async with AsyncRecollect("agent.db", namespace="acme") as opened:
        assert_type(opened, AsyncRecollect)


def asks_a_server(mind: Client) -> None:
    assert_type(mind.remember("Ada prefers dark mode", tags=["ui"], importance=0.7), Memory)
    assert_type(mind.remember_many([{"text": "…"}]), list[Memory])
    assert_type(mind.recall("which theme?", limit=3, at="2026-11-01"), Recall)
    assert_type(mind.list(kinds=["fact"], limit=10), Sequence[Memory])
    assert_type(mind.compare("which theme?", ["bm25", "vector"]), Comparison)
    assert_type(mind.link("a", "b", "supports", 0.7), Link)
    with Client("http://127.0.0.1:7411", key="rk_…") as opened:
        assert_type(opened, Client)


def is_told_by_the_client(mind: Client) -> None:
    mind.remember()  # type: ignore[call-arg]
    mind.recall("text", limit="three")  # type: ignore[arg-type]
    mind.backup("agent.db")  # type: ignore[attr-defined]


async def is_told_what_is_wrong(mind: AsyncRecollect) -> None:
    await mind.remember()  # type: ignore[call-arg]
    await mind.remember("text", colour="blue")  # type: ignore[call-arg]
    await mind.recall("text", limit="three")  # type: ignore[arg-type]
    assert not mind.recall("text").hits  # type: ignore[attr-defined]
