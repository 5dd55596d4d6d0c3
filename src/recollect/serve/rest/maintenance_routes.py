"""Routes to everything between writing and reading: conversations, the log, tending, namespaces, figures."""

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
def ingest(given: requests.Ingest, visit: Writing) -> Response:
    """Take in a conversation. The same session again, or a longer version of it, adds only what is new."""
    return visit.once(lambda: visit.desk.ingest(**given.said()).to_dict(), 201)


@router.post("/ingest/batch", status_code=201, response_model=answers.IngestedMany)
def ingest_many(given: requests.IngestMany, visit: Writing) -> Response:
    """Take in many conversations."""
    return visit.once(lambda: {"ingested": [one.to_dict() for one in visit.desk.ingest_many(**given.said())]}, 201)


@router.post("/events/{id}/undo", response_model=answers.Event)
def undo(id: Id, visit: Writing) -> Response:
    """Take one event of the log back."""
    return visit.once(lambda: visit.desk.undo(id).to_dict())


@router.get("/audit", response_model=answers.EventList)
def audit(page: Annotated[requests.Page, Query()], visit: Reading) -> Response:
    """Who did what, newest first."""
    found = list(visit.desk.audit(limit=page.limit + 1, after=visit.after("audit", page.cursor)))
    return answer({"events": listed(found[: page.limit]), "next": visit.next("audit", found, page.limit)})


@router.get("/recipes", response_model=answers.Recipes)
def recipes(visit: Reading) -> Response:
    """The recipes: published memory systems and ours."""
    return answer({"recipes": [{"name": recipe.name, "cite": recipe.cite} for recipe in visit.desk.recipes()]})


@router.get("/recipes/{name}", response_model=dict[str, Any])
def recipe(name: requests.RecipeName, visit: Reading) -> Response:
    """A recipe as data."""
    try:
        return answer(toml.to_dict(visit.desk.recipe(name)))
    except UnknownName as error:
        raise NotFound(str(error)) from None


@router.post("/tend", response_model=answers.Tended)
def tend(visit: Writing, given: requests.Tend | None = None) -> Response:
    """Do what is due: expire, complete, fade, archive, consolidate, link."""
    return visit.once(lambda: visit.desk.tend(**_said(given)).to_dict())


@router.post("/decay", response_model=answers.Changed)
def decay(visit: Writing, given: requests.Decay | None = None) -> Response:
    """Let strength fade up to a moment."""
    return visit.once(lambda: {"changed": visit.desk.decay(**_said(given))})


@router.post("/consolidate", response_model=answers.Memories)
def consolidate(visit: Writing, given: requests.Tend | None = None) -> Response:
    """Replace groups of memories that say much the same by one each. Answers with those."""
    return visit.once(lambda: {"memories": listed(visit.desk.consolidate(**_said(given)))})


def _said(given: requests.Request | None) -> dict[str, Any]:
    return {} if given is None else given.said()


@router.get("/namespaces", response_model=answers.Namespaces)
def namespaces(visit: Reading) -> Response:
    """The namespaces this key sees, with the number of their memories."""
    return answer({"namespaces": dict(visit.desk.namespaces())})


@router.post("/namespaces/move", response_model=answers.Moved)
def move(given: requests.Move, visit: Writing) -> Response:
    """Rename a namespace with all below it, or merge it into another."""
    return visit.once(
        lambda: {"moved": visit.desk.move(given.old, given.new), "namespaces": dict(visit.desk.namespaces())}
    )


@router.get("/stats", response_model=answers.Stats)
def stats(visit: Reading, namespace: Annotated[requests.Path | None, Query()] = None) -> Response:
    """Counts, growth, embedder and health."""
    shop, growth = visit.shop, visit.desk.growth(namespace)
    return answer(
        {
            **asdict(visit.desk.stats(namespace)),
            "growth": [{"day": day.isoformat(), "memories": count} for day, count in growth],
            "embedder": shop.mind.embedder.name,
            "health": {"model": shop.model.state},
        }
    )
