"""One request at the desk, and how its answer is written down."""

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

KEY = HTTPBearer(auto_error=False, scheme_name="key", description="A key, as `recollect keys add` shows it.")
PAGE = APIKeyCookie(name=COOKIE, auto_error=False, scheme_name="page", description="The page's session.")
"""They only say in the document how to authenticate; `callers.py` does it."""


class Visit:
    """A caller at the desk."""

    def __init__(self, shop: Services, caller: Caller) -> None:
        self.shop, self.caller = shop, caller
        self.desk = Access(shop.mind, caller)

    @property
    def namespace(self) -> str:
        return self.caller.scope.namespace

    def after(self, of: str, cursor: str | None) -> str | None:
        return self.shop.cursors.read(self._list(of), cursor)

    def next(self, of: str, found: list[Any], limit: int) -> str | None:
        """The cursor that goes on where a page of this limit ends; None when nothing was found beyond it."""
        return self.shop.cursors.make(self._list(of), found[limit - 1].id) if len(found) > limit else None

    def _list(self, of: str) -> str:
        return f"{of}\0{self.namespace}"


class Write(Visit):
    """A visit that changes something, perhaps for the second time."""

    def __init__(self, shop: Services, caller: Caller, key: str | None, request: bytes) -> None:
        super().__init__(shop, caller)
        self._key, self._request = key, request

    def once(self, work: Callable[[], Any], status: int = 200) -> Response:
        """The work's answer, or the one it gave before under the same Idempotency-Key."""
        return self.answered(lambda: Answered(status, work()))

    def answered(self, work: Callable[[], Answered]) -> Response:
        done = work() if self._key is None else self._replayed(self._key, work)
        return answer(done.body, done.status)

    def _replayed(self, key: str, work: Callable[[], Answered]) -> Answered:
        read = Reader(lambda id: self.desk.get(id).to_dict(), lambda id: self.desk.event(id).to_dict())
        return self.shop.replays.once(self.caller.name, key, self._request, work, read)


async def visit(request: Request) -> Visit:
    return Visit(request.app.state.shop, request.scope[CALLER])


IdempotencyKey: TypeAlias = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[!-~]+$",
        description="The same key with the same request gets the first answer again, for 24 hours.",
    ),
]


async def write(request: Request, idempotency_key: IdempotencyKey = None) -> Write:
    asked = f"{request.method} {request.url.path}?{request.url.query}\n".encode() + await request.body()
    return Write(request.app.state.shop, request.scope[CALLER], idempotency_key, asked)


Reading: TypeAlias = Annotated[Visit, Depends(visit)]
Writing: TypeAlias = Annotated[Write, Depends(write)]
LOCKED = [Security(KEY), Security(PAGE)]


class Plain(Protocol):
    def to_dict(self) -> dict[str, Any]: ...


def listed(values: Iterable[Plain]) -> list[dict[str, Any]]:
    return [value.to_dict() for value in values]
