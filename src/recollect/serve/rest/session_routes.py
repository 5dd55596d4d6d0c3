"""Routes in: sign in and out, the one-time link, health, figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from ...errors import Forbidden, Unauthorized
from ..access import Access
from ..scope import Caller
from . import answers, requests
from .answers import answer
from .callers import CALLER, session_in
from .dependencies import Reading
from .metrics import MEDIA_TYPE, gauges
from .problems import documented, problem
from .services import Services
from .sessions import COOKIE, id_in, live_key, now

sessions = APIRouter(prefix="/v1", tags=["session"])
health = APIRouter(tags=["health"])
links = APIRouter(include_in_schema=False)


async def shop(request: Request) -> Services:
    found: Services = request.app.state.shop
    return found


OfShop = Annotated[Services, Depends(shop)]


# Sessions -----------------------------------------------------------------------------------------


@sessions.get("/session", response_model=answers.Session)
def session(visit: Reading) -> Response:
    """Who am I?"""
    return answer(_described(visit.caller))


@sessions.post("/session", response_model=answers.Session)
def sign_in(given: requests.SignIn, of: OfShop) -> Response:
    """Give a key, get a cookie: for the page."""
    caller = of.who(given.key)
    return _with_cookie(answer(_described(caller)), of, id_in(given.key))


@sessions.delete("/session", response_model=answers.SignedOut)
def sign_out(request: Request, visit: Reading) -> Response:
    """End the session that the cookie names."""
    visit.shop.sessions.end(session_in(request.headers) or "")
    done = answer({"signed_in": False})
    done.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return done


def _described(caller: Caller) -> dict[str, str]:
    return {"name": caller.name, "namespace": caller.scope.namespace, "role": caller.scope.role}


def _with_cookie(response: Response, of: Services, key_id: str) -> Response:
    seconds = int(of.options.session_hours * 3600)
    name = of.sessions.begin(key_id)
    response.set_cookie(COOKIE, name, max_age=seconds, httponly=True, samesite="strict")
    return response


@links.get("/open")
def open_page(ticket: Annotated[str, Query(min_length=1, max_length=200)], of: OfShop) -> Response:
    """The link that `serve` shows: it works once, sets the cookie, and leads to the page."""
    key = live_key(of.keys, of.tickets.redeem(ticket), now())
    if key is None:
        raise Unauthorized("the key that this link stands for has ended: `recollect keys add` makes another")
    return _with_cookie(RedirectResponse("/", 303, {"Cache-Control": "no-store"}), of, key.id)


# Health -------------------------------------------------------------------------------------------


@health.get("/healthz", response_model=answers.Health)
async def live() -> Response:
    """The process answers."""
    return answer({"status": "live"})


@health.get("/readyz", response_model=answers.Readiness, responses=documented(503))
def ready(of: OfShop) -> Response:
    """The store answers, and the model is not still being loaded."""
    of.mind.store.setting("fingerprint")
    if of.model.state == "loading":
        return problem(503, "the model is being loaded", headers={"Retry-After": "1"})
    return answer({"status": "ready", "store": "answers", "model": of.model.state})


@health.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **documented(401, 403, 429, 503)},
)
def metrics(request: Request, of: OfShop) -> Response:
    """Counts and times for Prometheus, of the key's namespace and all below it. Needs an admin's key."""
    caller: Caller | None = request.scope.get(CALLER)
    if caller is not None and not caller.scope.may("admin"):
        raise Forbidden("figures are for admin keys")
    counts = of.mind.stats() if caller is None else Access(of.mind, caller).stats()
    figures = gauges(counts, of.model.state == "ready")
    return Response(of.meter.lines(_seen(caller), figures), media_type=MEDIA_TYPE)


def _seen(caller: Caller | None) -> Callable[[str], bool]:
    return (lambda namespace: True) if caller is None else caller.scope.admits
