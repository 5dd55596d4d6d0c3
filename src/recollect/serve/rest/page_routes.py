"""Serves the files of the inspector page. They contain no memories, so they need no key."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent.parent / "inspector"
POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
HEADERS = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache", "X-Frame-Options": "DENY"}

router = APIRouter(include_in_schema=False)


@router.get("/")
def page() -> Response:
    return FileResponse(FOLDER / "index.html", headers=HEADERS)


@router.get("/docs")
def reference() -> Response:
    """Where the frameworks of others have a page about REST. Ours is docs/server.md and the OpenAPI document."""
    return RedirectResponse("/openapi.json", headers=HEADERS)


class Files(StaticFiles):
    """Static files with the page's security headers."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        found = await super().get_response(path, scope)
        found.headers.update(HEADERS)
        return found
