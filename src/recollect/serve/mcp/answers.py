"""The answers of the tools. They are short. Whatever a writer chose is inside a fence that marks it as data: texts, but
also kinds, tags, namespaces, sources and metadata. Outside are only ids, numbers, dates and words of our own."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ...types import (
    FENCE_CLOSE,
    FENCE_OPEN,
    NEAREST_OPEN,
    Context,
    Hit,
    Link,
    Memory,
    Profile,
    Recall,
    data_line,
    fence_line,
    label_shown,
    plain,
)

Fenced = Annotated[str, Field(description="The texts, fenced as data. Each line begins with the memory's id.")]
"""Memory texts appear only inside the fence, so that a model does not take them for instructions."""


class Answer(BaseModel):
    """Fields that are None are not sent."""

    def data(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)

    def blocks(self) -> list[str | dict[str, Any]]:
        """For clients that read only `content`: the fenced text, then the other fields as data."""
        data = self.data()
        texts = [data.pop(name) for name in ("memories", "text") if name in data]
        return [*texts, data]


_PLAIN_KIND = re.compile(r"[a-z][a-z_-]{0,31}")
_DETAILS = ("namespace", "origin", "trust", "session_id", "source", "tags", "entities", "gist", "metadata")
"""Fields that writers choose. `get` shows them inside the fence."""


def fenced(memories: Iterable[Memory], *, earlier: Collection[str] = (), nearest: bool = False) -> str | None:
    """`earlier` has the ids that a newer memory replaces. `nearest` says that they probably do not answer."""
    lines = [_line(memory, earlier=memory.id in earlier) for memory in memories]
    return "\n".join([NEAREST_OPEN if nearest else FENCE_OPEN, *lines, FENCE_CLOSE]) if lines else None


def _line(memory: Memory, *, earlier: bool = False) -> str:
    tags = f" (tags: {', '.join(map(label_shown, memory.tags))})" if memory.tags else ""
    return data_line(f"- {memory.id}{fence_line(memory, earlier=earlier)[1:]}{tags}")


def fenced_details(memory: Memory, others: Sequence[Memory]) -> str:
    """The memory with all that its writer chose, then its neighbours."""
    held = {name: value for name, value in memory.to_dict().items() if name in _DETAILS and value}
    details = [
        data_line(f"  {name}: {json.dumps(held[name], ensure_ascii=False)}") for name in _DETAILS if name in held
    ]
    return "\n".join([FENCE_OPEN, _line(memory), *details, *map(_line, others), FENCE_CLOSE])


def fenced_recall(recall: Recall) -> str | None:
    """The hits. If the question was refused: what comes nearest, under a heading that says so."""
    shown = recall.hits or recall.nearest
    earlier = {hit.memory.id for hit in shown if hit.earlier_than}
    return fenced((hit.memory for hit in shown), earlier=earlier, nearest=bool(recall.nearest))


class Remembered(Answer):
    id: str
    status: Annotated[str, Field(description="active, or quarantined: no recall returns it.")]
    merged_into: Annotated[str | None, Field(description="The memory it duplicates, which is kept.")] = None
    superseded: Annotated[list[str] | None, Field(description="The statements that it replaced.")] = None
    reasons: Annotated[list[str] | None, Field(description="Why it is quarantined.")] = None

    @classmethod
    def of(cls, memory: Memory) -> Remembered:
        return cls(
            id=memory.id,
            status=memory.status,
            merged_into=memory.merged_into,
            superseded=list(memory.superseded) or None,
            reasons=_reasons(memory),
        )


class Found(Answer):
    """One hit. Its text is in `memories`."""

    id: str
    score: float
    happened_at: str
    status: Annotated[str | None, Field(description="Only when it is not active.")] = None
    earlier_than: Annotated[str | None, Field(description="A newer memory gives another value: this id.")] = None
    routes: dict[str, int] | None = None
    explanation: dict[str, Any] | None = None

    @classmethod
    def of(cls, hit: Hit, explain: bool) -> Found:
        memory = hit.memory
        return cls(
            id=memory.id,
            score=_short(hit.score),
            happened_at=plain(memory.happened_at),
            status=None if memory.status == "active" else memory.status,
            earlier_than=hit.earlier_than,
            routes=dict(hit.routes) if explain else None,
            explanation=hit.explanation.to_dict() if explain else None,
        )


class RecallAnswer(Answer):
    recall_id: Annotated[str, Field(description="Pass it to `feedback`.")]
    confidence: Annotated[float, Field(description="0 to 1: is the answer in memory at all?")]
    rejected: Annotated[str | None, Field(description="Why nothing is returned.")] = None
    memories: Fenced | None = None
    hits: Annotated[list[Found], Field(description="Best first, in the order of `memories`.")]
    nearest: Annotated[
        list[Found] | None, Field(description="If rejected: what comes nearest. Probably not the answer.")
    ] = None
    trace: list[dict[str, Any]] | None = None

    @classmethod
    def of(cls, recall: Recall, explain: bool) -> RecallAnswer:
        return cls(
            recall_id=recall.id,
            confidence=_short(recall.confidence),
            rejected=recall.rejected,
            memories=fenced_recall(recall),
            hits=[Found.of(hit, explain) for hit in recall.hits],
            nearest=[Found.of(hit, explain) for hit in recall.nearest] or None,
            trace=recall.to_dict()["trace"] if explain else None,
        )


class Linked(Answer):
    a: str
    b: str
    kind: Annotated[str, Field(description="Reads from a to b: a supersedes b.")]
    weight: float

    @classmethod
    def of(cls, link: Link) -> Linked:
        return cls(a=link.a, b=link.b, kind=link.kind, weight=link.weight)


class Links(Answer):
    links: list[Linked]
    removed: bool = False


class MemoryDetails(Answer):
    """One memory. What was written is in `memories`: its text, kind, tags, source, metadata, and its neighbours."""

    id: str
    memories: Fenced
    status: str
    tier: str
    importance: float
    confidence: float
    strength: float
    granularity: str
    created_at: str
    occurred_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    expires_at: str | None = None
    access_count: int
    retrieval_count: int
    links: list[Linked] | None = None

    @classmethod
    def of(cls, memory: Memory, around: Sequence[tuple[Link, Memory]] | None = None) -> MemoryDetails:
        held = {name: value for name, value in memory.to_dict().items() if value not in ([], {}, "")}
        shown = {name: held[name] for name in cls.model_fields if name in held}
        links = None if around is None else [Linked.of(link) for link, _ in around]
        return cls(**shown, memories=fenced_details(memory, [other for _, other in around or ()]), links=links)


class Changed(Answer):
    id: str
    status: str
    tier: str
    also_changed: Annotated[list[str] | None, Field(description="Memories that changed with it, such as facts.")] = None

    @classmethod
    def of(cls, memory: Memory, others: Sequence[Memory] = ()) -> Changed:
        also = [*memory.also_changed, *(other.id for other in others)]
        return cls(id=memory.id, status=memory.status, tier=memory.tier, also_changed=also or None)


class Superseded(Answer):
    old: str
    new: str
    valid_to: Annotated[str | None, Field(description="When the old one stopped being true.")] = None


class Ingested(Answer):
    session_id: str
    added: Annotated[int, Field(description="Turns and facts that are new.")]
    merged: Annotated[int, Field(description="Facts that were known already.")]
    changed: int
    unchanged: int
    quarantined: Annotated[int, Field(description="Added ones that look like instructions or hold secrets.")]


class Credited(Answer):
    recall_id: str
    credited: Annotated[list[str], Field(description="The hits whose strength changed.")]


class Layer(Answer):
    name: str
    tokens: int
    truncated: bool


class Assembled(Answer):
    text: Annotated[str, Field(description="Ready for a prompt; every layer is fenced as data.")]
    tokens: int
    layers: list[Layer]
    recall_ids: list[str]

    @classmethod
    def of(cls, context: Context) -> Assembled:
        layers = [Layer(name=each.name, tokens=each.tokens, truncated=each.truncated) for each in context.layers]
        return cls(text=context.text, tokens=context.tokens, layers=layers, recall_ids=list(context.recalls))


class ProfileAnswer(Answer):
    memories: Annotated[
        str | None, Field(description="By subject and heading, fenced as data: id, dates, source and text of each.")
    ] = None
    ids: Annotated[list[str], Field(description="Those that hold, in the order of `memories`.")]
    truncated: Annotated[bool, Field(description="Whether older ones were left out.")]

    @classmethod
    def of(cls, profile: Profile) -> ProfileAnswer:
        ids = [statement.id for statement in profile.statements]
        return cls(memories=profile.context() if ids else None, ids=ids, truncated=profile.truncated)


class Listed(Answer):
    memories: Fenced | None = None
    ids: Annotated[list[str], Field(description="In the order of `memories`.")]
    more: Annotated[bool, Field(description="Whether there are more: pass the last id as `after`.")]

    @classmethod
    def of(cls, found: Sequence[Memory], limit: int) -> Listed:
        shown = found[:limit]
        return cls(memories=fenced(shown), ids=[memory.id for memory in shown], more=len(found) > limit)


class Ranking(Answer):
    ids: Annotated[list[str], Field(description="Best first.")]
    scores: list[float]
    confidence: float
    rejected: str | None = None
    nearest: Annotated[str | None, Field(description="If rejected: what comes nearest, fenced as data.")] = None

    @classmethod
    def of(cls, recall: Recall) -> Ranking:
        return cls(
            ids=[hit.memory.id for hit in recall.hits],
            scores=[_short(hit.score) for hit in recall.hits],
            confidence=_short(recall.confidence),
            rejected=recall.rejected,
            nearest=fenced_recall(recall) if recall.nearest else None,
        )


class Compared(Answer):
    recipes: dict[str, Ranking]
    memories: Fenced | None = None


class Counted(Answer):
    memories: int
    by_status: dict[str, int]
    by_kind: Annotated[dict[str, int], Field(description="Kinds that are not plain words are counted as other.")]
    by_tier: dict[str, int]
    by_granularity: dict[str, int]

    def blocks(self) -> list[str | dict[str, Any]]:
        return [self.data()]


def plain_kinds(counts: Mapping[str, int]) -> dict[str, int]:
    """Kinds by name. A writer can choose any text as a kind; one that is not a plain word is not shown."""
    found: dict[str, int] = {}
    for kind, count in counts.items():
        name = kind if _PLAIN_KIND.fullmatch(kind) else "other"
        found[name] = found.get(name, 0) + count
    return found


def _short(number: float) -> float:
    """Six digits: enough for a model, and fewer tokens."""
    return float(f"{number:.6g}")


def _reasons(memory: Memory) -> list[str] | None:
    held = memory.metadata.get("quarantine") if memory.status == "quarantined" else None
    if isinstance(held, Mapping):
        held = held.get("reasons", list(held))
    return [str(reason) for reason in held] if isinstance(held, Sequence) and not isinstance(held, str) else None
