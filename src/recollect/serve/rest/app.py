"""The web application: its routes, and the layers that a request passes before it reaches one.

RequestLog   gives the request an id, logs and counts it, and answers 500 when something fails
HostCheck    refuses requests for another host, or from a web page of another origin
CallerCheck  finds the caller by key or cookie, and limits requests per key
BodyCheck    refuses bodies that are too large, too slow or nested too deep
FairShare    lets requests wait so that a busy key does not slow down the others
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.telemetry import TelemetryConfig
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ... import __version__
from ...recollect import Recollect
from ..mcp.http import asgi as mcp
from . import (
    log_routes,
    maintenance_routes,
    memory_routes,
    page_routes,
    recall_routes,
    session_routes,
    upkeep_routes,
)
from .bodies import BodyCheck
from .callers import CallerCheck
from .dependencies import KEY_OR_COOKIE
from .hosts import HostCheck
from .options import Options
from .problems import HANDLERS, WITH_KEY, Problem, documented
from .request_log import RequestLog
from .services import Services
from .shares import FairShare

_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""FastAPI reports to OpenTelemetry where that is installed. We send no telemetry."""


def make_app(mind: Recollect, options: Options | None = None) -> FastAPI:
    """The application for one memory. The caller opens and closes the memory."""
    services = Services(mind, options or Options())
    app = FastAPI(
        title="recollect",
        version=__version__,
        description="Long-term memory for AI agents. Errors are problem documents (RFC 9457).",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
        middleware=_layers(services),
        exception_handlers=HANDLERS,  # type: ignore[arg-type]
        telemetry=_NO_TELEMETRY,
    )
    app.state.services = services
    _add_routes(app, services)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _layers(services: Services) -> list[Middleware]:
    return [
        Middleware(RequestLog, meter=services.meter),
        Middleware(HostCheck, names=services.options.names),
        Middleware(CallerCheck, services=services),
        Middleware(BodyCheck, options=services.options),
        Middleware(FairShare, options=services.options),
    ]


def _add_routes(app: FastAPI, services: Services) -> None:
    parts = (memory_routes, recall_routes, log_routes, maintenance_routes, upkeep_routes)
    for router in (part.router for part in parts):
        app.include_router(router, dependencies=KEY_OR_COOKIE, responses=documented(*WITH_KEY))
    app.include_router(session_routes.sessions, responses=documented(*WITH_KEY))
    app.include_router(session_routes.health, responses=documented())
    app.include_router(session_routes.links)
    app.include_router(page_routes.router)
    app.router.routes.append(Route("/mcp", _Endpoint(mcp(services.mind, services.who)), include_in_schema=False))
    app.mount("/inspector", page_routes.Files(directory=page_routes.FOLDER, check_dir=False), name="inspector")


class _Endpoint:
    """Passes a request on to an ASGI application. Starlette would wrap a plain function as a request handler."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    model = app.state.services.model
    model.load_in_background()
    yield
    model.join()


def _document(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemas = found.setdefault("components", {}).setdefault("schemas", {})
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(problem.pop("$defs", {}), Problem=problem)
        app.openapi_schema = found
    return app.openapi_schema
