"""Routes for recalls: search, compare recipes, assemble a context, read a profile, give feedback."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from ...types import Recall
from . import answers, requests
from .answers import answer
from .dependencies import Reading, RequestContext, Writing, listed

router = APIRouter(prefix="/v1", tags=["recalls"])


@router.post("/recall", response_model=answers.Recall)
def recall(body: requests.Recall, ctx: Reading) -> Response:
    """Search for the memories that answer a question. Every score comes with its explanation."""
    return answer(_asked(ctx, body).to_dict())


@router.post("/recall/batch", response_model=answers.Recalls)
def recall_many(body: requests.RecallMany, ctx: Reading) -> Response:
    """Run several recalls, one after the other."""
    return answer({"recalls": [_asked(ctx, query).to_dict() for query in body.queries]})


def _asked(ctx: RequestContext, body: requests.Recall) -> Recall:
    found = ctx.access.recall(**body.arguments())
    _measure(ctx, found)
    return found


def _measure(ctx: RequestContext, found: Recall) -> None:
    meter = ctx.services.meter
    meter.count(ctx.namespace, "recollect_recalls_total")
    if found.rejected is not None:
        meter.count(ctx.namespace, "recollect_recalls_rejected_total")
    for step in found.trace:
        meter.time(ctx.namespace, "recollect_recall_stage_seconds", step.ms / 1000, stage=step.stage)


@router.post("/compare", response_model=answers.Comparison)
def compare(body: requests.Compare, ctx: Reading) -> Response:
    """Run one question through several recipes. Nothing is recorded."""
    found = ctx.access.compare(**body.arguments())
    return answer({"query": found.query, "recalls": {name: one.to_dict() for name, one in found.recalls.items()}})


@router.post("/context", response_model=answers.Context)
def context(body: requests.Assemble, ctx: Reading) -> Response:
    """Assemble the context of a prompt: pinned, team, recent, recalled and documents, fenced as data."""
    return answer(ctx.access.assemble(**body.arguments()).to_dict())


@router.get("/profile", response_model=answers.Profile)
def profile(asked: Annotated[requests.ProfileQuery, Query()], ctx: Reading) -> Response:
    """Read what holds now, or held at `as_of`, about a person or thing, with sources and what it replaced."""
    return answer(ctx.access.profile(**asked.arguments()).to_dict())


@router.post("/feedback", response_model=answers.Memories)
def feedback(body: requests.Feedback, ctx: Writing) -> Response:
    """Record which hits of a recall were used, and whether it helped. Replaces earlier feedback on that recall."""
    return ctx.once(lambda: {"memories": listed(ctx.access.feedback(body.recall_id, body.used, body.outcome))})
