"""What FastAPI passes to a route: the caller's access to the memory, and how to answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Protocol, TypeAlias

from fastapi import Depends, Header, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer
from starlette.responses import Response

from ..access import Access
from ..scope import Caller
from .answers import answer
from .callers import CALLER
from .idempotency import Answered, Reader
from .services import Services
from .sessions import COOKIE

KEY = HTTPBearer(auto_error=False, scheme_name="key", description="A key that `recollect keys add` made.")
PAGE = APIKeyCookie(
    name=COOKIE, auto_error=False, scheme_name="page", description="The session cookie of the inspector page."
)
"""These two only describe authentication in the OpenAPI document; `callers.py` does it."""


class RequestContext:
    """One request: its caller, and what the caller may access."""

    def __init__(self, services: Services, caller: Caller) -> None:
        self.services, self.caller = services, caller
        self.access = Access(services.mind, caller)

    @property
    def namespace(self) -> str:
        return self.caller.scope.namespace

    def after(self, of: str, cursor: str | None) -> str | None:
        """The id after which a page begins, from the cursor the client sent."""
        return self.services.cursors.read(self._list(of), cursor)

    def next(self, of: str, found: list[Any], limit: int) -> str | None:
        """The cursor of the following page; None when `found` has no entry beyond the limit."""
        return self.services.cursors.make(self._list(of), found[limit - 1].id) if len(found) > limit else None

    def _list(self, of: str) -> str:
        return f"{of}\0{self.namespace}"


class WriteContext(RequestContext):
    """A request that changes something. It may be a repetition under the same Idempotency-Key."""

    def __init__(self, services: Services, caller: Caller, key: str | None, request: bytes) -> None:
        super().__init__(services, caller)
        self._key, self._request = key, request

    def once(self, work: Callable[[], Any], status: int = 200) -> Response:
        """Answers with what the work returns, or with the first answer under the same Idempotency-Key."""
        return self.answered(lambda: Answered(status, work()))

    def answered(self, work: Callable[[], Answered]) -> Response:
        done = work() if self._key is None else self._replayed(self._key, work)
        return answer(done.body, done.status)

    def _replayed(self, key: str, work: Callable[[], Answered]) -> Answered:
        read = Reader(lambda id: self.access.get(id).to_dict(), lambda id: self.access.event(id).to_dict())
        return self.services.replies.once(self.caller.name, key, self._request, work, read)


async def read_context(request: Request) -> RequestContext:
    return RequestContext(request.app.state.services, request.scope[CALLER])


IdempotencyKey: TypeAlias = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[!-~]+$",
        description="For 24 hours, the same key with the same request gets the first answer again.",
    ),
]


async def write_context(request: Request, idempotency_key: IdempotencyKey = None) -> WriteContext:
    content = f"{request.method} {request.url.path}?{request.url.query}\n".encode() + await request.body()
    return WriteContext(request.app.state.services, request.scope[CALLER], idempotency_key, content)


Reading: TypeAlias = Annotated[RequestContext, Depends(read_context)]
Writing: TypeAlias = Annotated[WriteContext, Depends(write_context)]
KEY_OR_COOKIE = [Security(KEY), Security(PAGE)]


class HasDict(Protocol):
    def to_dict(self) -> dict[str, Any]: ...


def listed(values: Iterable[HasDict]) -> list[dict[str, Any]]:
    return [value.to_dict() for value in values]
