"""mem0's `Memory` and `AsyncMemory` over a recollect store: `from recollect.adapters.mem0 import Memory`.

The package mem0 is not needed. docs/coming-from-mem0.md has a table of every call and of what differs.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import update_wrapper
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from .. import Memory as Stored
from .. import Recollect
from ..checks.where import parse_where
from ..errors import InvalidInput, UnknownName
from ..extractors.loaded import LoadedExtractors
from ..namespaces import encoded, is_within
from ..types import WHEN, Filter, Status
from ..write.conversations import records
from ..write.conversations.messages import turns
from . import mem0_shapes as shapes
from .mem0_shapes import SCOPES

CURRENT: tuple[Status, ...] = ("active", "contradicted", "completed")
HELD: tuple[Status, ...] = (*CURRENT, "superseded", "expired", "quarantined", "consolidated")
IGNORED = {
    *("vector_store", "llm", "embedder", "reranker", "graph_store", "history_db_path", "version"),
    *("custom_instructions", "custom_fact_extraction_prompt", "custom_update_memory_prompt"),
}
"""Parts of mem0's configuration that have no meaning here."""
OPTIONS = ("path", "namespace", "embedder", "recipe")

Results = dict[str, list[dict[str, Any]]]
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class _Unset:
    """Stands for an argument that was not given, where None has a meaning."""


UNSET: Final = _Unset()


class Memory:
    """mem0's `Memory`. It keeps its memories in the given memory, in a file, or in the user's own store."""

    def __init__(self, mind: Recollect | str | Path | None = None) -> None:
        if not isinstance(mind, Recollect | str | Path | None):
            raise InvalidInput(f"Memory takes a path or a Recollect, not {type(mind).__name__}: see Memory.from_config")
        self.mind = mind if isinstance(mind, Recollect) else Recollect(mind)
        self._base = f"{self.mind.namespace}/mem0"
        self._extractors = LoadedExtractors(self.mind.url, self.mind.settings)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """Options of recollect are in the part `recollect`. mem0's own parts have no effect; a warning names them."""
        return cls(_opened(config_dict))

    # Adding ---------------------------------------------------------------------------------------

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: str | float | datetime | None = None,
        expiration_date: str | date | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> Results:
        """Stores the statements of a conversation, or with `infer=False` its messages as they are."""
        if memory_type is not None:
            raise InvalidInput(f"memory_type {memory_type!r} needs a model: write the summary and add it, infer=False")
        scope = shapes.scope(user_id=user_id, agent_id=agent_id, run_id=run_id)
        at, given = shapes.time_of(timestamp) or datetime.now(UTC), shapes.message_list(messages)
        items = list(self._stated(given, at) if infer else shapes.raw_messages(given))
        free = shapes.free(metadata)
        own = {
            **scope,
            **shapes.expiration(expiration_date),
            "created_at": at.isoformat(),
            "updated_at": at.isoformat(),
        }
        where = {"namespace": self._namespace(scope), "at": at, "expires_at": shapes.expires_at(expiration_date)}
        whole = [{**item, **where, "metadata": {**free, **item["metadata"], **own}} for item in items]
        return {"results": [shapes.added(memory, infer) for memory in self.mind.remember_many(whole)]}

    def _stated(self, messages: Sequence[Mapping[str, Any]], at: datetime) -> Iterator[dict[str, Any]]:
        said = turns(messages, at=at, redacts=self.mind.settings.redact_secrets)
        stated = records.facts(said, self._extractors.get(), [turn.number for turn in said])
        for turn in said:
            for fact in stated.get(turn.number, ()):
                about = {"attributed_to": turn.role, **({WHEN: fact.when.to_dict()} if fact.when else {})}
                yield {"text": fact.text, "entities": fact.entities, "occurred_at": fact.occurred_at, "metadata": about}

    # Reading --------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        rerank: bool = False,
        explain: bool = False,
        reference_date: str | float | datetime | None = None,
        show_expired: bool = False,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        limit: int | None = None,
    ) -> Results:
        """What recall finds, or what comes nearest if it refuses. A `threshold` keeps hits with at least that score."""
        wanted = shapes.conditions(filters, user_id=user_id, agent_id=agent_id, run_id=run_id)
        most, least = shapes.most(top_k, limit), shapes.share(threshold)
        if not most:
            return {"results": []}
        found = self.mind.recall(
            query,
            limit=most,
            namespace=self._narrow(wanted),
            where=wanted,
            at=shapes.time_of(reference_date),
            include=(*CURRENT, "expired") if show_expired else None,
        )
        kept = [hit for hit in found.hits or found.nearest if least is None or hit.score >= least]
        return {"results": [shapes.hit_shown(hit, least, explain=explain) for hit in kept]}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        memory = self._held(memory_id)
        return None if memory is None else shapes.shown(memory) | {"score": None}

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        limit: int | None = None,
    ) -> Results:
        """The memories that hold now, newest first."""
        wanted = shapes.conditions(filters, user_id=user_id, agent_id=agent_id, run_id=run_id)
        most = shapes.most(top_k, limit)
        within = Filter(
            namespaces=(self._narrow(wanted),),
            statuses=(*CURRENT, "expired") if show_expired else CURRENT,
            live_at=None if show_expired else datetime.now(UTC),
            where=parse_where(wanted),
        )
        return {"results": [shapes.shown(m) for m in self.mind.store.scan(within, limit=most)] if most else []}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """What happened to a memory, oldest first, each with the text before and after."""
        memory = self.mind.store.get([str(memory_id)]).get(str(memory_id))
        if memory is None or not is_within(memory.namespace, self._base):
            return []
        return shapes.history_rows(memory, self.mind.history(memory.id))

    # Changing -------------------------------------------------------------------------------------

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: str | date | None | _Unset = UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Changes the text, adds to the metadata, or sets when it expires (None: never)."""
        text = data if text is None else text
        if text is None and metadata is None and isinstance(expiration_date, _Unset):
            raise InvalidInput("give at least one of text, metadata and expiration_date")
        memory = self._existing(memory_id)
        now = {**memory.metadata, **shapes.free(metadata), "updated_at": datetime.now(UTC).isoformat()}
        if not isinstance(expiration_date, _Unset):
            now.pop("expiration_date", None)
            now |= shapes.expiration(expiration_date)
        expires_at = memory.expires_at if isinstance(expiration_date, _Unset) else shapes.expires_at(expiration_date)
        new = memory.text if text is None else text
        self.mind.update(memory.id, text=new, metadata=now, expires_at=expires_at)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Forgets a memory. `Recollect.restore` brings it back; `Recollect.purge` removes it for good."""
        self.mind.forget(self._existing(memory_id).id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Forgets all memories of a user, an agent or a run."""
        scope = shapes.scope(user_id=user_id, agent_id=agent_id, run_id=run_id)
        self.mind.forget(namespace=self._narrow(scope), where=scope, statuses=HELD)
        return {"message": "Memories deleted successfully!"}

    def reset(self) -> None:
        """Removes for good all memories that were stored through this interface."""
        self.mind.purge(namespace=self._base)

    def close(self) -> None:
        self.mind.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------------

    def _held(self, memory_id: str) -> Stored | None:
        found = self.mind.store.get([str(memory_id)], Filter(statuses=HELD)).get(str(memory_id))
        return found if found and is_within(found.namespace, self._base) else None

    def _existing(self, memory_id: str) -> Stored:
        memory = self._held(memory_id)
        if memory is None:
            raise InvalidInput(f"Memory with id {memory_id} not found. Please provide a valid 'memory_id'")
        return memory

    def _namespace(self, scope: Mapping[str, str]) -> str:
        name = next(name for name in SCOPES if name in scope)
        return f"{self._base}/{SCOPES[name]}/{encoded(scope[name])}"

    def _narrow(self, wanted: Mapping[str, Any]) -> str:
        """The namespace to search: the user's own if the filter names one user."""
        user = wanted.get("user_id")
        return self._namespace({"user_id": user}) if isinstance(user, str) else self._base


# Configuration --------------------------------------------------------------------------------------


def _opened(config: Mapping[str, Any]) -> Recollect:
    for name in config.keys() - IGNORED - {"recollect"}:
        raise UnknownName("part of the configuration", name, {*IGNORED, "recollect"})
    options = dict(config.get("recollect") or {})
    for name in options.keys() - set(OPTIONS):
        raise UnknownName("option of recollect", name, OPTIONS)
    without_effect = sorted(config.keys() & IGNORED - {"version"})
    if without_effect:
        warnings.warn(f"these parts of mem0's configuration have no effect: {', '.join(without_effect)}", stacklevel=3)
    return Recollect(options.pop("path", None), **options)


# Awaited --------------------------------------------------------------------------------------------


def _awaited(
    method: Callable[Concatenate[Memory, Arguments], Answer],
) -> Callable[Concatenate[AsyncMemory, Arguments], Coroutine[Any, Any, Answer]]:
    async def awaited(memory: AsyncMemory, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        return await asyncio.to_thread(method, memory.memory, *args, **kwargs)

    update_wrapper(awaited, method)

    return awaited


class AsyncMemory:
    """mem0's `AsyncMemory`: the methods of `Memory`, each on a thread."""

    def __init__(self, mind: Recollect | str | Path | None = None) -> None:
        self.memory = Memory(mind)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> AsyncMemory:
        return cls(_opened(config_dict))

    add = _awaited(Memory.add)
    search = _awaited(Memory.search)
    get = _awaited(Memory.get)
    get_all = _awaited(Memory.get_all)
    update = _awaited(Memory.update)
    delete = _awaited(Memory.delete)
    delete_all = _awaited(Memory.delete_all)
    history = _awaited(Memory.history)
    reset = _awaited(Memory.reset)

    def close(self) -> None:
        self.memory.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
