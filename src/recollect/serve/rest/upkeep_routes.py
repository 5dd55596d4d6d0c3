"""Routes for keys, export and import, health and backups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response, StreamingResponse

from ..upkeep import Upkeep
from . import answers, requests
from .answers import answer
from .dependencies import Reading, RequestContext, Writing, listed
from .requests import Id

router = APIRouter(prefix="/v1", tags=["upkeep"])


def _upkeep(ctx: RequestContext) -> Upkeep:
    return Upkeep(ctx.services.mind, ctx.caller)


# Keys ---------------------------------------------------------------------------------------------


@router.get("/keys", response_model=answers.Keys)
def keys(ctx: Reading) -> Response:
    """List the keys of this namespace and below, without their tokens. Needs an admin key."""
    return answer({"keys": listed(_upkeep(ctx).keys())})


@router.post("/keys", status_code=201, response_model=answers.NewKey)
def add_key(body: requests.NewKey, ctx: Reading) -> Response:
    """Make a key for this namespace or one below it. Its token is in this answer only. Needs an admin key."""
    key, token = _upkeep(ctx).add_key(body.name, namespace=body.namespace, role=body.role, expires_at=body.expires_at)
    return answer({"key": key.to_dict(), "token": token}, 201)


@router.delete("/keys/{id}", response_model=answers.Key)
def revoke_key(id: Id, ctx: Reading) -> Response:
    """Revoke a key. It stops working at once. Needs an admin key."""
    return answer(_upkeep(ctx).revoke_key(id).to_dict())


# Export and import --------------------------------------------------------------------------------


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
def export(ctx: Reading, namespace: Annotated[requests.Path | None, Query()] = None) -> Response:
    """Download memories with their links, history and recalls as JSON lines. Needs an admin key."""
    lines = ctx.access.export_lines(namespace)
    headers = {"Content-Disposition": f'attachment; filename="memories-{datetime.now(UTC):%Y-%m-%d}.jsonl"'}
    return StreamingResponse(_encoded(lines), media_type="application/x-ndjson", headers=headers)


def _encoded(lines: Iterator[str]) -> Iterator[bytes]:
    return (line.encode("utf-8", "backslashreplace") for line in lines)


@router.post("/import", status_code=202, response_model=answers.Job)
def import_(body: requests.Import, ctx: Writing) -> Response:
    """Import the text of a file, as a job; with `preview`, only count what it would add. Needs an admin key."""
    upkeep = _upkeep(ctx)
    upkeep.check_import(body.namespace)

    def work(tick: Callable[[int], None]) -> Any:  # noqa: ANN401 - JSON
        return upkeep.import_text(
            body.name, body.content, tick, preview=body.preview, namespace=body.namespace, lines=body.lines
        )

    return _started(ctx, "import", work)


# Health and backups -------------------------------------------------------------------------------


@router.post("/check", status_code=202, response_model=answers.Job)
def check(ctx: Reading) -> Response:
    """Check the whole store and its settings, as a job. Needs an admin key for the server's namespace."""
    upkeep = _upkeep(ctx)
    upkeep.check_owner()
    return _started(ctx, "check", lambda tick: upkeep.examine())


@router.post("/backups", status_code=202, response_model=answers.Job)
def back_up(ctx: Reading) -> Response:
    """Copy the store into the folder of backups beside it, as a job. Needs an admin key for the server's namespace."""
    upkeep = _upkeep(ctx)
    upkeep.backups()  # refuses before the job begins
    return _started(ctx, "backup", lambda tick: upkeep.back_up())


@router.get("/backups", response_model=answers.Backups)
def backups(ctx: Reading) -> Response:
    """List the backups in the folder beside the store. Needs an admin key for the server's namespace."""
    return answer(_upkeep(ctx).backups())


@router.get("/jobs/{id}", response_model=answers.Job)
def job(id: Id, ctx: Reading) -> Response:
    """Read how far a job is, and its result."""
    return answer(ctx.services.jobs.get(id, ctx.caller.name).to_dict())


def _started(ctx: RequestContext, what: str, work: Callable[[Callable[[int], None]], Any]) -> Response:
    return answer(ctx.services.jobs.start(what, ctx.caller.name, work).to_dict(), 202)
