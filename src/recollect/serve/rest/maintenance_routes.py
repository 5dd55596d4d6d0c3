"""Routes for conversations, the log, recipes, maintenance, namespaces and statistics."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from ...errors import NotFound, UnknownName
from ...recipes import toml
from . import answers, requests
from .answers import answer
from .dependencies import Reading, Writing, listed
from .requests import Id

router = APIRouter(prefix="/v1", tags=["maintenance"])


@router.post("/ingest", status_code=201, response_model=answers.Ingested)
def ingest(body: requests.Ingest, ctx: Writing) -> Response:
    """Store a conversation. Sending the same session again, or a longer version of it, adds only what is new."""
    return ctx.once(lambda: ctx.access.ingest(**body.arguments()).to_dict(), 201)


@router.post("/ingest/batch", status_code=201, response_model=answers.IngestedMany)
def ingest_many(body: requests.IngestMany, ctx: Writing) -> Response:
    """Store many conversations."""
    return ctx.once(lambda: {"ingested": [one.to_dict() for one in ctx.access.ingest_many(**body.arguments())]}, 201)


@router.post("/events/{id}/undo", response_model=answers.Event)
def undo(id: Id, ctx: Writing) -> Response:
    """Undo one event of the log."""
    return ctx.once(lambda: ctx.access.undo(id).to_dict())


@router.get("/audit", response_model=answers.EventList)
def audit(page: Annotated[requests.Page, Query()], ctx: Reading) -> Response:
    """List who wrote and who asked what, newest first. Needs an admin key."""
    found = list(ctx.access.audit(limit=page.limit + 1, after=ctx.after("audit", page.cursor)))
    return answer({"events": listed(found[: page.limit]), "next": ctx.next("audit", found, page.limit)})


@router.get("/changes", response_model=answers.EventList)
def changes(page: Annotated[requests.Page, Query()], ctx: Reading) -> Response:
    """List what was changed, newest first. An event has at most ten of its changes; `detail.memories` is the number of
    memories that it changed, `detail.first` the text of the first. Needs an admin key."""
    found = list(ctx.access.changes(limit=page.limit + 1, after=ctx.after("changes", page.cursor)))
    return answer({"events": listed(found[: page.limit]), "next": ctx.next("changes", found, page.limit)})


@router.get("/recipes", response_model=answers.Recipes)
def recipes(ctx: Reading) -> Response:
    """List the recipes: the published memory systems, and ours."""
    return answer({"recipes": [{"name": recipe.name, "cite": recipe.cite} for recipe in ctx.access.recipes()]})


@router.get("/recipes/{name}", response_model=dict[str, Any])
def recipe(name: requests.RecipeName, ctx: Reading) -> Response:
    """Read one recipe as data."""
    try:
        return answer(toml.to_dict(ctx.access.recipe(name)))
    except UnknownName as error:
        raise NotFound(str(error)) from None


@router.post("/tend", response_model=answers.Tended)
def tend(ctx: Writing, body: requests.Tend | None = None) -> Response:
    """Run the maintenance that is due: expire, complete, decay, archive, consolidate and link memories."""
    return ctx.once(lambda: ctx.access.tend(**_arguments(body)).to_dict())


@router.post("/decay", response_model=answers.Changed)
def decay(ctx: Writing, body: requests.Decay | None = None) -> Response:
    """Lower the strength of memories by the time that has passed up to `at`."""
    return ctx.once(lambda: {"changed": ctx.access.decay(**_arguments(body))})


@router.post("/consolidate", response_model=answers.Memories)
def consolidate(ctx: Writing, body: requests.Consolidate | None = None) -> Response:
    """Replace each group of similar memories by one summary. Returns the summaries."""
    return ctx.once(lambda: {"memories": listed(ctx.access.consolidate(**_arguments(body)))})


def _arguments(body: requests.Request | None) -> dict[str, Any]:
    return {} if body is None else body.arguments()


@router.get("/namespaces", response_model=answers.Namespaces)
def namespaces(ctx: Reading) -> Response:
    """List the namespaces the key may see, with the number of memories in each."""
    return answer({"namespaces": dict(ctx.access.namespaces())})


@router.post("/namespaces/move", response_model=answers.Moved)
def move(body: requests.Move, ctx: Writing) -> Response:
    """Rename a namespace with all namespaces below it, or merge it into another one; or move some of its memories."""

    def work() -> Any:  # noqa: ANN401 - JSON
        return {"moved": ctx.access.move(**body.arguments()), "namespaces": dict(ctx.access.namespaces())}

    return ctx.once(work)


@router.get("/stats", response_model=answers.Stats)
def stats(ctx: Reading, namespace: Annotated[requests.Path | None, Query()] = None) -> Response:
    """Read counts, growth per day, the embedder and the state of the model."""
    services, growth = ctx.services, ctx.access.growth(namespace)
    return answer(
        {
            **asdict(ctx.access.stats(namespace)),
            "growth": [{"day": day.isoformat(), "memories": count} for day, count in growth],
            "embedder": services.mind.embedder.name,
            "health": {"model": services.model.state},
        }
    )
