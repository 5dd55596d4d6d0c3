"""Routes to memories: bring one in, look at it, change it, let it go."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from ...types import LinkKind, Memory
from . import answers, requests
from .answers import answer
from .dependencies import Reading, Write, Writing, listed
from .idempotency import Answered
from .requests import Id

router = APIRouter(prefix="/v1", tags=["memories"])


@router.post("/memories", status_code=201, response_model=answers.Memory, responses={200: {"model": answers.Memory}})
def remember(given: requests.Remember, visit: Writing) -> Response:
    """Remember one thing. 200 instead of 201 when it was known: `merged_into` names what stays."""

    def work() -> Answered:
        made = visit.desk.remember(**given.said())
        _count_quarantined(visit, [made])
        return Answered(201 if made.merged_into is None else 200, made.to_dict())

    return visit.answered(work)


@router.post("/memories/batch", status_code=201, response_model=answers.Memories)
def remember_many(given: requests.RememberMany, visit: Writing) -> Response:
    """Remember many things, all or none."""

    def work() -> Any:  # noqa: ANN401 - JSON
        made = visit.desk.remember_many([item.said() for item in given.items])
        _count_quarantined(visit, made)
        return {"memories": listed(made)}

    return visit.once(work, 201)


def _count_quarantined(visit: Write, made: list[Memory]) -> None:
    held = sum(memory.status == "quarantined" for memory in made)
    if held:
        visit.shop.meter.count(visit.namespace, "recollect_quarantined_total", held)


@router.get("/memories", response_model=answers.MemoryList)
def list_memories(page: Annotated[requests.MemoryPage, Query()], visit: Reading) -> Response:
    """Memories, newest first; forgotten ones only when `status` asks for them."""
    after = visit.after("memories", page.cursor) or page.after
    found = list(visit.desk.list(limit=page.limit + 1, after=after, **page.filters()))
    return answer({"memories": listed(found[: page.limit]), "next": visit.next("memories", found, page.limit)})


@router.get("/memories/{id}", response_model=answers.Memory)
def get(id: Id, visit: Reading) -> Response:
    """One memory. Counts as an access."""
    return answer(visit.desk.get(id).to_dict())


@router.patch("/memories/{id}", response_model=answers.Memory)
def update(id: Id, given: requests.Update, visit: Writing) -> Response:
    """Change fields of a memory; what they were stays in its history."""
    return visit.once(lambda: visit.desk.update(id, **given.said()).to_dict())


@router.delete("/memories/{id}", response_model=answers.Memory)
def delete(id: Id, visit: Writing, purge: Annotated[bool, Query(description="For good.")] = False) -> Response:
    """Forget a memory (`restore` brings it back), or purge it for good. Answers with what it was."""

    def work() -> Any:  # noqa: ANN401 - JSON
        forget = visit.desk.purge if purge else visit.desk.forget
        before = forget(id, preview=True) or [visit.desk.get(id)]
        forget(id)
        return before[0].to_dict()

    return visit.once(work)


@router.post("/memories/{id}/restore", response_model=answers.Memory)
def restore(id: Id, visit: Writing) -> Response:
    """Take a `forget` back, or release what is quarantined."""
    return visit.once(lambda: visit.desk.restore(id).to_dict())


@router.post("/memories/{id}/pin", response_model=answers.Memory)
def pin(id: Id, visit: Writing, given: requests.Pin | None = None) -> Response:
    """Load a memory into every context, or no longer."""
    pinned = given is None or given.pinned
    return visit.once(lambda: visit.desk.pin(id, pinned).to_dict())


@router.post("/memories/{id}/reinforce", response_model=answers.Memory)
def reinforce(id: Id, visit: Writing) -> Response:
    """Make a memory stronger."""
    return visit.once(lambda: visit.desk.reinforce(id).to_dict())


@router.post("/memories/{id}/supersede", response_model=answers.Memory)
def supersede(id: Id, given: requests.Supersede, visit: Writing) -> Response:
    """Another memory replaces this one. Answers with this one, which no longer holds."""
    return visit.once(lambda: visit.desk.supersede(id, given.by).to_dict())


@router.get("/memories/{id}/history", response_model=answers.Events)
def history(id: Id, visit: Reading) -> Response:
    """What happened to a memory, oldest first."""
    return answer({"events": listed(visit.desk.history(id))})


@router.get("/memories/{id}/recalls", response_model=answers.RecalledList)
def recalls(id: Id, visit: Reading, limit: Annotated[int, Query(ge=1, le=requests.MOST_ITEMS)] = 100) -> Response:
    """When a memory was found, newest first, and whether that helped."""
    return answer({"recalls": listed(visit.desk.recalls(id, limit=limit))})


@router.get("/memories/{id}/links", response_model=answers.Neighbours)
def neighbours(id: Id, visit: Reading) -> Response:
    """What a memory is linked with, in either direction."""
    found = visit.desk.neighbours(id)
    return answer({"links": [{"link": link.to_dict(), "memory": memory.to_dict()} for link, memory in found]})


@router.post("/memories/{id}/links", status_code=201, response_model=answers.Link)
def link(id: Id, given: requests.Connect, visit: Writing) -> Response:
    """Link a memory to another."""
    return visit.once(lambda: visit.desk.link(id, given.to, given.kind, given.weight).to_dict(), 201)


@router.delete("/memories/{id}/links/{other}", response_model=answers.Links)
def unlink(id: Id, other: Id, visit: Writing, kind: LinkKind | None = None) -> Response:
    """Remove the links from one memory to another, or the one of that kind."""
    return visit.once(lambda: {"links": listed(visit.desk.unlink(id, other, kind))})


# Several at once ----------------------------------------------------------------------------------


@router.post("/forget", response_model=answers.Memories)
def forget(given: requests.Filters, visit: Writing) -> Response:
    """Forget what the filters admit; with `preview`, only say what that is."""
    return visit.once(lambda: {"memories": listed(visit.desk.forget(**given.said()))})


@router.post("/purge", response_model=answers.Memories)
def purge(given: requests.Filters, visit: Writing) -> Response:
    """Remove for good what the filters admit; with `preview`, only say what that is."""
    return visit.once(lambda: {"memories": listed(visit.desk.purge(**given.said()))})


@router.post("/archive", response_model=answers.Memories)
def archive(given: requests.Filters, visit: Writing) -> Response:
    """Put what the filters admit out of the way; with `preview`, only say what that is."""
    return visit.once(lambda: {"memories": listed(visit.desk.archive(**given.said()))})
