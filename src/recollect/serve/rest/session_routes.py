"""Routes for signing in and out, login links, health and metrics."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from ...errors import Forbidden, StoreUnreachable, Unauthorized
from ...recollect import Recollect
from ..access import Access
from ..places import elsewhere, is_file, options_of
from ..scope import Caller
from . import answers, requests
from .answers import answer
from .callers import CALLER, session_in
from .dependencies import Reading
from .metrics import MEDIA_TYPE, gauges, server_gauges
from .problems import documented, problem
from .services import Services
from .sessions import COOKIE, id_in, live_key, now

_OWNER = "user"
"""The trust class of the owner's key."""

sessions = APIRouter(prefix="/v1", tags=["session"])
health = APIRouter(tags=["health"])
links = APIRouter(include_in_schema=False)


async def shared_services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


SharedServices = Annotated[Services, Depends(shared_services)]


# Sessions -----------------------------------------------------------------------------------------


@sessions.get("/session", response_model=answers.Session)
def session(ctx: Reading) -> Response:
    """Read the name, namespace and role of the key in use."""
    return answer(_described(ctx.caller) | _owned(ctx.services.mind, ctx.caller))


@sessions.post("/session", response_model=answers.Session)
def sign_in(body: requests.SignIn, services: SharedServices) -> Response:
    """Exchange a key for a session cookie, which the inspector page uses."""
    caller = services.who(body.key)
    return _with_cookie(answer(_described(caller)), services, id_in(body.key))


@sessions.delete("/session", response_model=answers.SignedOut)
def sign_out(request: Request, ctx: Reading) -> Response:
    """End the session of the cookie."""
    ctx.services.sessions.end(session_in(request.headers) or "")
    done = answer({"signed_in": False})
    done.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return done


def _owned(mind: Recollect, caller: Caller) -> dict[str, Any]:
    """What only the owner is told: how other commands get to this store, and which other namespaces have memories."""
    if not (caller.scope.may("admin") and caller.scope.admits(mind.namespace)):
        return {"place": "", "elsewhere": None}
    found = elsewhere(mind, caller.scope.namespace) if caller.trust == _OWNER else None
    place = shlex.join(options_of(mind, mind.namespace)) if is_file(mind) else ""
    return {"place": place, "elsewhere": found and asdict(found)}


def _described(caller: Caller) -> dict[str, str]:
    return {"name": caller.name, "namespace": caller.scope.namespace, "role": caller.scope.role}


def _with_cookie(response: Response, services: Services, key_id: str) -> Response:
    seconds = int(services.options.session_hours * 3600)
    cookie = services.sessions.begin(key_id)
    response.set_cookie(COOKIE, cookie, max_age=seconds, httponly=True, samesite="strict")
    return response


@links.get("/open")
def open_page(
    ticket: Annotated[str, Query(min_length=1, max_length=200)], services: SharedServices, request: Request
) -> Response:
    """Opens a login link: it works once, sets the session cookie and redirects to the page. A browser with a link that
    does not work is redirected too: the page says why, or shows who is signed in."""
    try:
        key = live_key(services.keys, services.login_links.redeem(ticket), now())
        if key is None:
            raise Unauthorized("the key of this link has expired or was revoked: `recollect keys add` makes a new one")
    except Unauthorized:
        if "text/html" in request.headers.get("accept", ""):
            return RedirectResponse("/?link=used", 303, {"Cache-Control": "no-store"})
        raise
    return _with_cookie(RedirectResponse("/", 303, {"Cache-Control": "no-store"}), services, key.id)


# Health -------------------------------------------------------------------------------------------


@health.get("/healthz", response_model=answers.Health)
async def live() -> Response:
    """Answers 200 while the process runs."""
    return answer({"status": "live"})


@health.get("/readyz", response_model=answers.Readiness, responses=documented(503))
def ready(services: SharedServices) -> Response:
    """Answers 200 when the store can be read and the model has finished loading."""
    services.storage.ping()
    if services.model.state == "loading":
        return problem(503, "the model is still loading", headers={"Retry-After": "1"})
    servers = services.storage.servers()
    store = "reads only" if servers and servers[0].state == "gone" else "answers"
    shown = [{"name": server.name, "state": server.state} for server in servers]
    return answer({"status": "ready", "store": store, "servers": shown, "model": services.model.state})


@health.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **documented(401, 403, 429, 503)},
)
def metrics(request: Request, services: SharedServices) -> Response:
    """Metrics for Prometheus, of the key's namespace and all below it. Needs an admin key."""
    caller: Caller | None = request.scope.get(CALLER)
    if caller is not None and not caller.scope.may("admin"):
        raise Forbidden("metrics need an admin key")
    servers = services.storage.servers() if _sees_all(caller, services) else ()
    values = list(server_gauges(servers))
    try:
        counts = services.mind.stats() if caller is None else Access(services.mind, caller).stats()
        values += gauges(counts, services.model.state == "ready")
    except StoreUnreachable:
        if not servers:
            raise  # otherwise the answer says which server is gone
    return Response(services.meter.lines(_may_see(caller), values), media_type=MEDIA_TYPE)


def _sees_all(caller: Caller | None, services: Services) -> bool:
    """Whether the caller may see figures of the whole store: with --open-metrics, and with a key of its namespace."""
    return caller is None or caller.scope.admits(services.mind.namespace)


def _may_see(caller: Caller | None) -> Callable[[str], bool]:
    return (lambda namespace: True) if caller is None else caller.scope.admits
