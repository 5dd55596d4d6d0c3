"""Routes for memories: add, read, change, link and forget them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from ...types import LinkKind, Memory
from . import answers, conversation_answers, requests
from .answers import answer
from .dependencies import Reading, WriteContext, Writing, listed
from .idempotency import Answered
from .requests import Id

router = APIRouter(prefix="/v1", tags=["memories"])


@router.post("/memories", status_code=201, response_model=answers.Memory, responses={200: {"model": answers.Memory}})
def remember(body: requests.Remember, ctx: Writing) -> Response:
    """Store one memory. The answer is 200 instead of 201 when it was merged into the one that `merged_into` names."""

    def work() -> Answered:
        made = ctx.access.remember(**body.arguments())
        _count_quarantined(ctx, [made])
        return Answered(201 if made.merged_into is None else 200, made.to_dict())

    return ctx.answered(work)


@router.post("/memories/batch", status_code=201, response_model=answers.Memories)
def remember_many(body: requests.RememberMany, ctx: Writing) -> Response:
    """Store many memories, all or none."""

    def work() -> Any:  # noqa: ANN401 - JSON
        made = ctx.access.remember_many([item.arguments() for item in body.items])
        _count_quarantined(ctx, made)
        return {"memories": listed(made)}

    return ctx.once(work, 201)


def _count_quarantined(ctx: WriteContext, made: list[Memory]) -> None:
    held = sum(memory.status == "quarantined" for memory in made)
    if held:
        ctx.services.meter.count(ctx.namespace, "recollect_quarantined_total", held)


@router.get("/memories", response_model=answers.MemoryList)
def list_memories(page: Annotated[requests.Listing, Query()], ctx: Reading) -> Response:
    """List memories, newest or oldest first. Forgotten ones are included only when `status` asks for them."""
    pages = f"memories {page.order}"
    after = ctx.after(pages, page.cursor) or page.after
    found = list(ctx.access.list(limit=page.limit + 1, after=after, order=page.order, **page.filters()))
    return answer({"memories": listed(found[: page.limit]), "next": ctx.next(pages, found, page.limit)})


@router.get("/memories/{id}", response_model=answers.Memory)
def get(id: Id, ctx: Reading) -> Response:
    """Read one memory. This counts as an access."""
    return answer(ctx.access.get(id).to_dict())


@router.patch("/memories/{id}", response_model=answers.Memory)
def update(id: Id, body: requests.Update, ctx: Writing) -> Response:
    """Change fields of a memory. Its history keeps the former values. A new text of a turn is read for facts again."""
    return ctx.once(lambda: ctx.access.update(id, **body.arguments()).to_dict())


@router.delete("/memories/{id}", response_model=answers.Memory)
def delete(
    id: Id, ctx: Writing, purge: Annotated[bool, Query(description="Remove it permanently.")] = False
) -> Response:
    """Forget a memory (`restore` undoes it), or purge it permanently, with what was made from it. Returns the memory as
    it was before."""

    def work() -> Any:  # noqa: ANN401 - JSON
        forget = ctx.access.purge if purge else ctx.access.forget
        (before, *_) = forget(id, preview=True) or [ctx.access.get(id)]
        others = tuple(memory.id for memory in forget(id) if memory.id != before.id)
        return replace(before, also_changed=others).to_dict()

    return ctx.once(work)


@router.post("/memories/{id}/restore", response_model=answers.Memory)
def restore(id: Id, ctx: Writing) -> Response:
    """Undo a `forget` with all that followed from it, or release a quarantined memory with its facts."""
    return ctx.once(lambda: ctx.access.restore(id).to_dict())


@router.post("/memories/{id}/pin", response_model=answers.Memory)
def pin(id: Id, ctx: Writing, body: requests.Pin | None = None) -> Response:
    """Pin a memory, so that every context contains it, or unpin it."""
    pinned = body is None or body.pinned
    return ctx.once(lambda: ctx.access.pin(id, pinned).to_dict())


@router.post("/memories/{id}/reinforce", response_model=answers.Memory)
def reinforce(id: Id, ctx: Writing) -> Response:
    """Raise the strength of a memory."""
    return ctx.once(lambda: ctx.access.reinforce(id).to_dict())


@router.post("/memories/{id}/supersede", response_model=answers.Memory)
def supersede(id: Id, body: requests.Supersede, ctx: Writing) -> Response:
    """Replace this memory by another one, or by a new text that holds since then. Returns this memory, now superseded;
    the first id in `also_changed` is that of the new text."""
    return ctx.once(lambda: ctx.access.supersede(id, body.by, text=body.text, since=body.since).to_dict())


@router.get("/memories/{id}/history", response_model=answers.Events)
def history(id: Id, ctx: Reading) -> Response:
    """List what happened to a memory, oldest first."""
    return answer({"events": listed(ctx.access.history(id))})


@router.get("/memories/{id}/recalls", response_model=answers.RecallHits)
def recalls(id: Id, ctx: Reading, limit: Annotated[int, Query(ge=1, le=requests.MOST_ITEMS)] = 100) -> Response:
    """List the recalls that returned a memory, newest first, with their feedback."""
    return answer({"recalls": listed(ctx.access.recalls(id, limit=limit))})


@router.get("/memories/{id}/links", response_model=answers.Neighbours)
def neighbours(id: Id, ctx: Reading) -> Response:
    """List the links of a memory, in both directions, with the memories at the other end."""
    found = ctx.access.neighbours(id)
    return answer({"links": [{"link": link.to_dict(), "memory": memory.to_dict()} for link, memory in found]})


@router.post("/memories/{id}/links", status_code=201, response_model=answers.Link)
def link(id: Id, body: requests.NewLink, ctx: Writing) -> Response:
    """Link this memory to another one."""
    return ctx.once(lambda: ctx.access.link(id, body.to, body.kind, body.weight).to_dict(), 201)


@router.delete("/memories/{id}/links/{other}", response_model=answers.Links)
def unlink(id: Id, other: Id, ctx: Writing, kind: LinkKind | None = None) -> Response:
    """Remove the links from this memory to another one, or only those of one kind."""
    return ctx.once(lambda: {"links": listed(ctx.access.unlink(id, other, kind))})


# Conversations ------------------------------------------------------------------------------------


@router.get("/sessions", response_model=conversation_answers.Sessions)
def sessions(page: Annotated[requests.SessionPage, Query()], ctx: Reading) -> Response:
    """List conversations, newest first, each with its first message."""
    after = ctx.after("sessions", page.cursor)
    found = ctx.access.sessions(namespace=page.namespace, limit=page.limit + 1, after=after)
    begun = [{"id": first.session_id, "namespace": first.namespace, "first": first.to_dict()} for first in found]
    return answer({"sessions": begun[: page.limit], "next": ctx.next("sessions", found, page.limit)})


@router.get("/conversation", response_model=conversation_answers.Conversation)
def conversation(asked: Annotated[requests.TurnPage, Query()], ctx: Reading) -> Response:
    """Read messages of a conversation, each with the statements that were taken from it."""
    return answer(ctx.access.conversation(**asked.model_dump()).to_dict())


# Several at once ----------------------------------------------------------------------------------


@router.post("/forget", response_model=answers.Memories)
def forget(body: requests.Filters, ctx: Writing) -> Response:
    """Forget the memories that match the filters, and what was made from them. Lists everything that changed; with
    `preview`, only what would be forgotten."""
    return ctx.once(lambda: {"memories": listed(ctx.access.forget(**body.arguments()))})


@router.post("/purge", response_model=answers.Memories)
def purge(body: requests.Filters, ctx: Writing) -> Response:
    """Permanently remove the memories that match the filters, and what was made from them. With `preview`, only list
    them."""
    return ctx.once(lambda: {"memories": listed(ctx.access.purge(**body.arguments()))})


@router.post("/archive", response_model=answers.Memories)
def archive(body: requests.Filters, ctx: Writing) -> Response:
    """Archive the memories that match the filters. With `preview`, only list them."""
    return ctx.once(lambda: {"memories": listed(ctx.access.archive(**body.arguments()))})
