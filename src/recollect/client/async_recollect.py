"""The façade's methods, awaited. Each runs on a thread of a pool, so the event loop never waits for a disk.

No method is written twice: each is the façade's own, with its signature, run on a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial, wraps
from pathlib import Path
from types import MethodType, TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from .. import config
from ..embedders.protocol import Embedder
from ..errors import StoreError
from ..recipes.recipe import Recipe
from ..recollect import Recollect

THREADS = 8
"""More threads would only wait for the same lock or processor."""

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Awaited(Generic[Arguments, Answer]):
    """A method of the façade that is awaited here."""

    def __init__(self, method: Callable[Concatenate[Recollect, Arguments], Answer]) -> None:
        @wraps(method)
        async def awaited(mind: AsyncRecollect, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
            return await mind._in_a_thread(lambda facade: method(facade, *args, **kwargs))

        self._function = awaited

    @overload
    def __get__(
        self, mind: None, owner: type[AsyncRecollect]
    ) -> Callable[Concatenate[AsyncRecollect, Arguments], Coroutine[Any, Any, Answer]]: ...
    @overload
    def __get__(
        self, mind: AsyncRecollect, owner: type[AsyncRecollect]
    ) -> Callable[Arguments, Coroutine[Any, Any, Answer]]: ...
    def __get__(self, mind: AsyncRecollect | None, owner: type[AsyncRecollect]) -> Callable[..., Any]:
        return self._function if mind is None else MethodType(self._function, mind)


class AsyncRecollect:
    """Long-term memory, awaited: `async with AsyncRecollect("agent.db") as mind: await mind.recall("…")`.

    Cancelling an await never leaves the store half written: a call that has begun is finished, one that has not begun
    never runs.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        namespace: str | None = None,
        embedder: str | Embedder | None = None,
        recipe: str | Path | Recipe | None = None,
        actor: str | None = None,
        read_url: str | Sequence[str] | None = None,
        settings: config.Settings | None = None,
    ) -> None:
        self._pool = ThreadPoolExecutor(THREADS, "recollect")
        given: dict[str, Any] = {
            "namespace": namespace,
            "embedder": embedder,
            "recipe": recipe,
            "actor": actor,
            "read_url": read_url,
        }
        self._opened: Future[Recollect] = self._pool.submit(partial(Recollect, path, settings=settings, **given))
        self._closing: asyncio.Future[None] | None = None

    remember = Awaited(Recollect.remember)
    remember_many = Awaited(Recollect.remember_many)
    ingest = Awaited(Recollect.ingest)
    ingest_many = Awaited(Recollect.ingest_many)
    ingest_documents = Awaited(Recollect.ingest_documents)
    recall = Awaited(Recollect.recall)
    compare = Awaited(Recollect.compare)
    profile = Awaited(Recollect.profile)
    graph = Awaited(Recollect.graph)
    brief = Awaited(Recollect.brief)
    get = Awaited(Recollect.get)
    list = Awaited(Recollect.list)
    matching = Awaited(Recollect.matching)
    update = Awaited(Recollect.update)
    forget = Awaited(Recollect.forget)
    restore = Awaited(Recollect.restore)
    purge = Awaited(Recollect.purge)
    history = Awaited(Recollect.history)
    recalls = Awaited(Recollect.recalls)
    recall_log = Awaited(Recollect.recall_log)
    recall_days = Awaited(Recollect.recall_days)
    change_many = Awaited(Recollect.change_many)
    undo = Awaited(Recollect.undo)
    link = Awaited(Recollect.link)
    unlink = Awaited(Recollect.unlink)
    neighbours = Awaited(Recollect.neighbours)
    supersede = Awaited(Recollect.supersede)
    contradict = Awaited(Recollect.contradict)
    reinforce = Awaited(Recollect.reinforce)
    decay = Awaited(Recollect.decay)
    pin = Awaited(Recollect.pin)
    archive = Awaited(Recollect.archive)
    consolidate = Awaited(Recollect.consolidate)
    tend = Awaited(Recollect.tend)
    retention = Awaited(Recollect.retention)
    set_retention = Awaited(Recollect.set_retention)
    feedback = Awaited(Recollect.feedback)
    assemble = Awaited(Recollect.assemble)
    namespaces = Awaited(Recollect.namespaces)
    move = Awaited(Recollect.move)
    backup = Awaited(Recollect.backup)
    export = Awaited(Recollect.export)
    import_ = Awaited(Recollect.import_)
    reembed = Awaited(Recollect.reembed)
    calibrate = Awaited(Recollect.calibrate)
    clear_calibration = Awaited(Recollect.clear_calibration)
    stats = Awaited(Recollect.stats)
    growth = Awaited(Recollect.growth)
    check = Awaited(Recollect.check)
    chain = Awaited(Recollect.chain)
    doctor = Awaited(Recollect.doctor)

    async def close(self) -> None:
        """Waits for calls that have begun, then closes the store and ends the threads."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().run_in_executor(None, self._close)
        await asyncio.shield(self._closing)

    def _close(self) -> None:
        self._pool.shutdown()
        if self._opened.exception() is None:
            self._opened.result().close()

    async def __aenter__(self) -> AsyncRecollect:
        try:
            await self._in_a_thread(lambda facade: None)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _in_a_thread(self, call: Callable[[Recollect], Answer]) -> Answer:
        if self._closing is not None:
            raise StoreError("this memory was closed: open it again")
        # the first task of the pool opens the store, so it is always under way here
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: call(self._opened.result()))
