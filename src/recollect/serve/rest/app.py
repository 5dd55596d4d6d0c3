"""The web application: its routes, and the layers that a request passes before it gets there.

Journal      gives it a number, and an answer whatever happens
HostCheck    is it meant for us, and not sent by a page elsewhere?
CallerCheck  whose key is it, and has it asked too often?
BodyCheck    is what came small, quick and flat enough?
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ... import __version__
from ...recollect import Recollect
from ..mcp.http import asgi as mcp
from . import doors, gardens, memories, pages, recalls
from .bodies import BodyCheck
from .callers import CallerCheck
from .hosts import HostCheck
from .journal import Journal
from .options import Options
from .problems import HANDLERS, WITH_KEY, Problem, documented
from .shop import Shop
from .visits import LOCKED


def make_app(mind: Recollect, options: Options | None = None) -> FastAPI:
    """The application for one memory. It neither opens nor closes the memory."""
    shop = Shop(mind, options or Options())
    app = FastAPI(
        title="recollect",
        version=__version__,
        description="Long-term memory for AI agents. Errors are problem documents (RFC 9457).",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
        middleware=_layers(shop),
        exception_handlers=HANDLERS,  # type: ignore[arg-type]
        # FastAPI would tell OpenTelemetry, where that is installed; we tell nobody
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    app.state.shop = shop
    _add_routes(app, shop)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _layers(shop: Shop) -> list[Middleware]:
    return [
        Middleware(Journal, meter=shop.meter),
        Middleware(HostCheck, names=shop.options.names),
        Middleware(CallerCheck, shop=shop),
        Middleware(BodyCheck, options=shop.options),
    ]


def _add_routes(app: FastAPI, shop: Shop) -> None:
    for router in (memories.router, recalls.router, gardens.router):
        app.include_router(router, dependencies=LOCKED, responses=documented(*WITH_KEY))
    app.include_router(doors.sessions, responses=documented(*WITH_KEY))
    app.include_router(doors.health, responses=documented())
    app.include_router(doors.links)
    app.include_router(pages.router)
    app.router.routes.append(Route("/mcp", _Door(mcp(shop.mind, shop.who)), include_in_schema=False))
    app.mount("/inspector", pages.Files(directory=pages.FOLDER, check_dir=False), name="inspector")


class _Door:
    """Hands a request over as it is; a plain function would be given less."""

    def __init__(self, inside: ASGIApp) -> None:
        self._inside = inside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._inside(scope, receive, send)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.shop.model.load_beside()
    yield


def _document(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemas = found.setdefault("components", {}).setdefault("schemas", {})
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(problem.pop("$defs", {}), Problem=problem)
        app.openapi_schema = found
    return app.openapi_schema
