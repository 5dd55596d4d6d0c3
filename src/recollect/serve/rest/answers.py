"""The bodies of answers, for the OpenAPI document. The routes send `to_dict()` as it is, without these models."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from ...types import Granularity, LinkKind, Status, Tier


def answer(body: Any, status: int = 200) -> Response:  # noqa: ANN401 - whatever JSON can hold
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "backslashreplace"), status, media_type="application/json")


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Memory(Answer):
    id: str
    text: str
    kind: str
    tags: list[str]
    entities: list[str]
    gist: str
    importance: float
    confidence: float
    strength: float
    status: Status
    tier: Tier
    namespace: str
    session_id: str | None
    turn: int | None
    role: str | None
    granularity: Granularity
    source: str | None
    origin: str
    trust: str
    metadata: dict[str, Any]
    created_at: str
    occurred_at: str | None
    valid_from: str | None
    valid_to: str | None
    expires_at: str | None
    access_count: int
    last_accessed_at: str | None
    retrieval_count: int
    last_retrieved_at: str | None
    decayed_at: str | None
    merged_into: str | None = Field(description="The memory that this text was a duplicate of, if any.")
    superseded: list[str] = Field(description="The statements that it replaced. Only in the answer to a write.")
    also_changed: list[str] = Field(description="The memories that the request changed together with this one.")


class Memories(Answer):
    memories: list[Memory]


class MemoryList(Memories):
    next: str | None = Field(description="The cursor of the next page; null at the end.")


class Link(Answer):
    a: str
    b: str
    kind: LinkKind
    weight: float
    created_at: str | None


class Links(Answer):
    links: list[Link]


class Neighbour(Answer):
    link: Link
    memory: Memory


class Neighbours(Answer):
    links: list[Neighbour]


class Change(Answer):
    memory_id: str
    before: dict[str, Any] | None


class Event(Answer):
    id: str
    at: str
    actor: str
    action: str
    namespace: str
    changes: list[Change]
    detail: dict[str, Any]
    undone_by: str | None


class Events(Answer):
    events: list[Event]


class EventList(Events):
    next: str | None


class Explanation(Answer):
    name: str
    value: float
    formula: str | None = None
    note: str | None = None
    parts: list[Explanation] | None = None


class Hit(Answer):
    memory: Memory
    score: float
    routes: dict[str, int]
    neighbours: list[Memory]
    parts: list[Hit]
    earlier_than: str | None = Field(description="The id of a newer memory that gives another value of the same thing.")
    explanation: Explanation


class Step(Answer):
    stage: str
    into: int
    out: int
    note: str
    ms: float


class Signals(Answer):
    top_similarity: float | None
    keyword_match: bool
    coverage: float
    agreement: float
    margin: float
    background: float | None
    evidence: float | None
    read: float | None
    read_mean: float
    read_count: int
    read_first: float
    read_among: float
    read_speaker: float | None
    known: float
    unknown_codes: list[str] = Field(description="The question's codes that no memory contains, as written.")


class Recall(Answer):
    id: str
    query: str
    recipe: str
    at: str
    rejected: str | None
    confidence: float
    hits: list[Hit]
    nearest: list[Hit] = Field(
        description="If the question was refused: what comes nearest, if the recipe shows it. Probably not the answer."
    )
    past_moment: str | None = Field(
        description="The end of the past time that the question names. `as_of` gives what held then."
    )
    signals: Signals
    trace: list[Step]


class Recalls(Answer):
    recalls: list[Recall]


class Comparison(Answer):
    query: str
    recalls: dict[str, Recall]


class Layer(Answer):
    name: str
    text: str
    memories: list[Memory]
    tokens: int
    truncated: bool


class Context(Answer):
    text: str
    layers: list[Layer]
    tokens: int
    recalls: list[str]


class ProfileSource(Answer):
    id: str = Field(description="The message it was taken from, or the statement itself.")
    session_id: str | None
    turn: int | None
    speaker: str | None


class Replaced(Answer):
    id: str
    text: str
    told_at: str
    valid_to: str | None
    event: str | None = Field(description="The event that replaced it; undoing it brings the statement back.")


class ProfileStatement(Answer):
    id: str
    text: str
    kind: str
    namespace: str
    about: str | None
    told_at: str
    occurred_at: str | None
    when: str = Field(description="The time it names, in words.")
    source: ProfileSource
    replaced: list[Replaced]
    pinned: bool
    contradicts: list[str] = Field(description="Statements that hold too and say otherwise.")
    same: list[str] = Field(description="Statements that hold too and say the same.")


class ProfileGroup(Answer):
    heading: str
    statements: list[ProfileStatement]
    more: int


class ProfileSubject(Answer):
    name: str
    count: int
    groups: list[ProfileGroup]


class Profile(Answer):
    namespace: str
    at: str
    subjects: list[ProfileSubject]
    truncated: bool


class RecallHit(Answer):
    """A recall that returned a memory, with its feedback."""

    id: str
    at: str
    actor: str
    query: str
    recipe: str
    rank: int
    score: float
    used: bool | None
    outcome: float | None


class RecallHits(Answer):
    recalls: list[RecallHit]


class LoggedHit(Answer):
    memory_id: str
    score: float
    used: bool | None = Field(description="Null without feedback.")
    outcome: float | None


class LoggedRecall(Answer):
    """A recall of the log."""

    id: str
    at: str
    actor: str
    namespace: str
    query: str
    recipe: str
    rejected: str | None
    confidence: float
    ms: float | None = Field(description="How long it took; null for recalls that an older version logged.")
    hits: list[LoggedHit]


class RecallLog(Answer):
    recalls: list[LoggedRecall]
    before: str | None = Field(description="What to send as `before` for the next page; null at the end.")


class RecallEntry(Answer):
    recall: LoggedRecall
    memories: list[Memory] = Field(description="Those of its hits that are still stored, as they are now.")


class RecallDay(Answer):
    day: str
    asked: int
    refused: int
    judged: int
    unused: int


class RecallDays(Answer):
    days: list[RecallDay]


class GraphNode(Answer):
    name: str
    count: int


class GraphEdge(Answer):
    a: str
    b: str
    count: int
    memories: list[str]


class Graph(Answer):
    name: str
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    memories: list[Memory]
    kinds: dict[str, int]
    first: str | None
    more: int
    truncated: bool


class ChangedMany(Answer):
    changed: list[str]
    event: str | None = Field(description="Undo this event to take everything back.")


class Key(Answer):
    id: str
    name: str
    namespace: str
    role: str
    trust: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None


class Keys(Answer):
    keys: list[Key]


class NewKey(Answer):
    key: Key
    token: str = Field(description="Shown only here: it is not stored.")


class Job(Answer):
    id: str
    what: str
    state: str
    done: int
    result: Any
    error: str | None


class Backup(Answer):
    name: str
    bytes: int
    at: str


class Backups(Answer):
    folder: str
    backups: list[Backup]


class Ingested(Answer):
    session_id: str
    added: list[Memory]
    merged: list[Memory]
    changed: list[Memory]
    unchanged: int


class IngestedMany(Answer):
    ingested: list[Ingested]


class RecipeSummary(Answer):
    name: str
    cite: str


class Recipes(Answer):
    recipes: list[RecipeSummary]


class Tended(Answer):
    at: str
    preview: bool
    expired: list[str]
    completed: list[str]
    decayed: int
    archived: list[str]
    consolidated: list[str]
    summaries: list[str]
    linked: int
    recovered: int
    counts: dict[str, int]


class Changed(Answer):
    changed: int


class Namespaces(Answer):
    namespaces: dict[str, int]


class Moved(Namespaces):
    moved: int


class Day(Answer):
    day: str
    memories: int


class StatsHealth(Answer):
    model: str


class Stats(Answer):
    memories: int
    by_status: dict[str, int]
    by_kind: dict[str, int]
    by_tier: dict[str, int]
    by_granularity: dict[str, int]
    without_vector: int
    links: int
    events: int
    recalls: int
    bytes: int
    extra: dict[str, Any]
    growth: list[Day]
    embedder: str
    health: StatsHealth


class Elsewhere(Answer):
    """The memories outside of a namespace that has none."""

    memories: int
    namespaces: list[str] = Field(description="Where they are, at most five.")
    more: int = Field(description="How many other namespaces there are.")
    command: str = Field(description="Makes a key for the first of them.")


class Session(Answer):
    """The key in use."""

    name: str
    namespace: str
    role: str
    place: str = Field(default="", description="For the owner: the options that lead other commands to this store.")
    elsewhere: Elsewhere | None = Field(
        default=None, description="For the owner: where the memories are, if the key's namespace has none."
    )


class SignedOut(Answer):
    signed_in: bool


class Health(Answer):
    status: str


class ServerState(Answer):
    name: str
    state: str


class Readiness(Answer):
    status: str
    store: str
    servers: list[ServerState]
    model: str
