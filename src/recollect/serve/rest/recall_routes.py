"""Routes to recalls: ask, compare, put a context together, say whether it helped."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ...types import Recall
from . import answers, requests
from .answers import answer
from .dependencies import Reading, Visit, Writing, listed

router = APIRouter(prefix="/v1", tags=["recalls"])


@router.post("/recall", response_model=answers.Recall)
def recall(given: requests.Recall, visit: Reading) -> Response:
    """The few memories that answer a question, with the arithmetic that put them there."""
    return answer(_asked(visit, given).to_dict())


@router.post("/recall/batch", response_model=answers.Recalls)
def recall_many(given: requests.RecallMany, visit: Reading) -> Response:
    """Several questions, one after the other."""
    return answer({"recalls": [_asked(visit, query).to_dict() for query in given.queries]})


def _asked(visit: Visit, given: requests.Recall) -> Recall:
    found = visit.desk.recall(**given.said())
    _measure(visit, found)
    return found


def _measure(visit: Visit, found: Recall) -> None:
    meter = visit.shop.meter
    meter.count(visit.namespace, "recollect_recalls_total")
    if found.rejected is not None:
        meter.count(visit.namespace, "recollect_recalls_rejected_total")
    for step in found.trace:
        meter.time(visit.namespace, "recollect_recall_stage_seconds", step.ms / 1000, stage=step.stage)


@router.post("/compare", response_model=answers.Comparison)
def compare(given: requests.Compare, visit: Reading) -> Response:
    """The same question through several recipes; leaves no trace."""
    found = visit.desk.compare(**given.said())
    return answer({"query": found.query, "recalls": {name: one.to_dict() for name, one in found.recalls.items()}})


@router.post("/context", response_model=answers.Context)
def context(given: requests.Assemble, visit: Reading) -> Response:
    """What a prompt should hold: pinned, team, recent, recalled, documents; fenced as data."""
    return answer(visit.desk.assemble(**given.said()).to_dict())


@router.post("/feedback", response_model=answers.Memories)
def feedback(given: requests.Feedback, visit: Writing) -> Response:
    """Which hits of a recall were used, and whether it helped. Said again, it replaces the former."""
    return visit.once(lambda: {"memories": listed(visit.desk.feedback(given.recall_id, given.used, given.outcome))})
