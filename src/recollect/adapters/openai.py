"""A client of the `openai` package that remembers: `client = with_memory(OpenAI(), chat)`.

Only `chat.completions.create` and `parse` are changed: they recall before a message of the user, and remember after the
answer. Answers, streams, calls of tools and errors are what the client itself gives. All else is the client's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from inspect import isawaitable
from typing import Any, TypeVar, cast

from ..chat import SPEAKERS, Chat, Message, role_of
from . import missing

try:
    from openai import AsyncOpenAI, OpenAI
except ModuleNotFoundError as error:
    raise missing("openai", "openai") from error

C = TypeVar("C", OpenAI, AsyncOpenAI)


def with_memory(client: C, chat: Chat) -> C:
    """The client, with the memory of `mind.conversation(…)`. Other calls on it are the client's own."""
    made = _AsyncCompletions if isinstance(client, AsyncOpenAI) else _Completions

    def remembering(copy: Callable[..., C]) -> Callable[..., C]:
        return lambda *given, **options: with_memory(copy(*given, **options), chat)

    def completing(part: object) -> _Proxy:
        return _Proxy(part, completions=lambda inner: made(inner, chat))

    return cast(C, _Proxy(client, chat=completing, with_options=remembering, copy=remembering))


class _Proxy:
    """An object whose other attributes are those of the object inside. Some are replaced when they are read."""

    def __init__(self, inner: Any, **replaced: Callable[[Any], Any]) -> None:  # noqa: ANN401 - any object
        self._inner, self._replaced = inner, replaced

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any attribute
        found = getattr(self._inner, name)
        return self._replaced[name](found) if name in self._replaced else found

    def __enter__(self) -> _Proxy:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._inner.__exit__(*error)

    async def __aenter__(self) -> _Proxy:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._inner.__aexit__(*error)


class _Completions:
    def __init__(self, inner: Any, chat: Chat) -> None:  # noqa: ANN401 - the client's own
        self._inner, self._chat = inner, chat

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any attribute
        return getattr(self._inner, name)

    def create(self, *, messages: Sequence[Message], **options: Any) -> Any:  # noqa: ANN401 - the client's
        return self._sent(self._inner.create, list(messages), options)

    def parse(self, *, messages: Sequence[Message], **options: Any) -> Any:  # noqa: ANN401 - the client's
        return self._sent(self._inner.parse, list(messages), options)

    def _sent(self, send: Callable[..., Any], messages: list[Message], options: Mapping[str, Any]) -> Any:  # noqa: ANN401
        new = _new(messages, self._chat)
        reply = send(messages=self._chat.with_context(messages), **options)
        return _Stream(reply, self._chat, new) if options.get("stream") else self._kept(reply, new)

    def _kept(self, reply: Any, new: list[Message]) -> Any:  # noqa: ANN401 - the client's answer
        choices = getattr(reply, "choices", None) or ()
        said = getattr(choices[0].message, "content", None) if choices else None
        self._chat.remember([*new, {"role": "assistant", "content": said or ""}])
        return reply


class _AsyncCompletions(_Completions):
    async def _sent(self, send: Callable[..., Any], messages: list[Message], options: Mapping[str, Any]) -> Any:  # noqa: ANN401
        new = _new(messages, self._chat)
        found = await asyncio.to_thread(self._chat.with_context, messages)
        reply = await send(messages=found, **options)
        if options.get("stream"):
            return _AsyncStream(reply, self._chat, new)
        return await asyncio.to_thread(self._kept, reply, new)


def _new(messages: Sequence[Message], chat: Chat) -> list[Message]:
    """The messages that were not remembered yet: all at first; later those after the last answer, if the user spoke
    last. After a tool's result, the user's message is known already."""
    if not chat.has_begun:
        return [each for each in messages if role_of(each) in SPEAKERS]
    found: list[Message] = []
    for each in reversed(messages):
        if role_of(each) != "user":
            break
        found.insert(0, each)
    return found


class _Watched:
    """A stream of the client. Its text is remembered once, when it has ended or is closed, but not after an error."""

    def __init__(self, inner: Any, chat: Chat, new: list[Message]) -> None:  # noqa: ANN401 - the client's
        self._inner, self._chat, self._new = inner, chat, new
        self._parts: list[str] = []
        self._is_done = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any attribute
        return getattr(self._inner, name)

    def _see(self, chunk: Any) -> None:  # noqa: ANN401 - the client's
        for choice in chunk.choices or ():
            if choice.index == 0 and choice.delta is not None and choice.delta.content:
                self._parts.append(choice.delta.content)

    def _remember(self) -> None:
        if not self._is_done:
            self._is_done = True
            self._chat.remember([*self._new, {"role": "assistant", "content": "".join(self._parts)}])


class _Stream(_Watched):
    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:  # noqa: ANN401 - the client's
        try:
            chunk = next(self._inner)
        except StopIteration:
            self._remember()
            raise
        except BaseException:
            self._is_done = True
            raise
        self._see(chunk)
        return chunk

    def close(self) -> None:
        self._inner.close()
        self._remember()

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._is_done = self._is_done or kind is not None
        self.close()


class _AsyncStream(_Watched):
    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:  # noqa: ANN401 - the client's
        try:
            chunk = await self._inner.__anext__()
        except StopAsyncIteration:
            await asyncio.to_thread(self._remember)
            raise
        except BaseException:
            self._is_done = True
            raise
        self._see(chunk)
        return chunk

    async def close(self) -> None:
        closing = self._inner.close()
        if isawaitable(closing):
            await closing
        await asyncio.to_thread(self._remember)

    async def __aenter__(self) -> _AsyncStream:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._is_done = self._is_done or kind is not None
        await self.close()
