"""Routes for the log of recalls, the graph of names, and changes of many memories."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from . import answers, requests
from .answers import answer
from .dependencies import Reading, Writing, listed
from .requests import Id

router = APIRouter(prefix="/v1", tags=["log"])


@router.get("/recalls", response_model=answers.RecallLog)
def recall_log(asked: Annotated[requests.LogPage, Query()], ctx: Reading) -> Response:
    """List what was asked and returned, newest first. Who is not an admin sees only their own questions."""
    return answer(ctx.access.recall_log(**asked.arguments()).to_dict())


@router.get("/recalls/days", response_model=answers.RecallDays)
def recall_days(asked: Annotated[requests.LogDays, Query()], ctx: Reading) -> Response:
    """Count the newest 2,000 recalls by day: asked, refused, and hits that were not used."""
    return answer({"days": listed(ctx.access.recall_days(**asked.arguments()))})


@router.get("/recalls/{id}", response_model=answers.RecallEntry)
def logged_recall(id: Id, ctx: Reading) -> Response:
    """Read one recall of the log, with those of its memories that are still stored, as they are now."""
    entry, memories = ctx.access.logged_recall(id)
    return answer({"recall": entry.to_dict(), "memories": listed(memories)})


@router.get("/graph", response_model=answers.Graph)
def graph(asked: Annotated[requests.GraphQuery, Query()], ctx: Reading) -> Response:
    """Read which people and things are named together with one, now or at `as_of`."""
    return answer(ctx.access.graph(**asked.arguments()).to_dict())


@router.get("/matching", response_model=answers.Memories)
def matching(asked: Annotated[requests.Matching, Query()], ctx: Reading) -> Response:
    """List the memories that contain all of some words, newest first."""
    return answer({"memories": listed(ctx.access.matching(asked.words, limit=asked.limit, **asked.filters()))})


@router.post("/change", response_model=answers.ChangedMany)
def change_many(body: requests.ChangeMany, ctx: Writing) -> Response:
    """Forget, move or tag some memories. Undoing the event of the last call takes back all calls that it continues."""
    return ctx.once(lambda: ctx.access.change_many(**body.arguments()).to_dict())
