"""The bodies and queries of requests, with all limits. The façade checks what the values mean."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

from ...checks import MOST_CHARS, MOST_PATH_CHARS, MOST_TAGS
from ...read.question import MOST_QUERY_CHARS
from ...types import Granularity, LinkKind, Status, Tier
from ...write.conversations.ingest import How
from ..arguments import MAY_BE_WORDS

MOST_ITEMS = 1000
"""The most items of a batch, and the most entries of a page."""
MOST_HITS = 200
MOST_QUERIES = 32
MOST_MESSAGES = 10_000
MOST_TOKENS = 1_000_000
DEEPEST_WHERE = 64

Id: TypeAlias = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_.:-]+$")]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=MOST_CHARS, pattern=r"\S")]
Question: TypeAlias = Annotated[str, Field(min_length=1, max_length=MOST_QUERY_CHARS, pattern=r"\S")]
Label: TypeAlias = Annotated[str, Field(min_length=1, max_length=128, pattern=r"\S")]
Labels: TypeAlias = Annotated[list[Label], Field(max_length=MOST_TAGS)]
Path: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=MOST_PATH_CHARS, pattern=r"^[^/]+(/[^/]+)*$", examples=["acme/agents/ada"])
]
Moment: TypeAlias = Annotated[
    str,
    MAY_BE_WORDS,
    Field(
        min_length=3,
        max_length=64,
        examples=["2026-05-20T07:34:00Z"],
        description="ISO 8601, in UTC if it names no time zone; or words such as yesterday, last March, 2026-06.",
    ),
]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
RecipeName: TypeAlias = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9_-]+$")]
Data: TypeAlias = Annotated[dict[str, Any], Field(max_length=1000)]
"""A JSON object. `bodies.py` limits its depth with that of the whole body."""
Tokens: TypeAlias = Annotated[int, Field(ge=1, le=MOST_TOKENS)]


class Request(BaseModel):
    """A JSON body. Unknown fields are refused, and no type is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def arguments(self) -> dict[str, Any]:
        """The fields that the client sent, as arguments of the façade."""
        return self.model_dump(exclude_unset=True)


class Remember(Request):
    text: Text
    kind: Label = "fact"
    tags: Labels | None = None
    entities: Labels | None = None
    gist: Annotated[str, Field(max_length=10_000)] | None = None
    importance: Share = 0.5
    confidence: Share = 1.0
    metadata: Data | None = None
    namespace: Path | None = None
    session_id: Label | None = None
    at: Moment | None = None
    occurred_at: Moment | None = None
    expires_at: Moment | None = None
    source: Label | None = None
    dedup: bool = True


class RememberMany(Request):
    items: Annotated[list[Remember], Field(min_length=1, max_length=MOST_ITEMS)]


def _omitted() -> Any:  # noqa: ANN401 - the default of fields of any type
    """The default of fields that may be left out but not be null. `arguments` leaves them out."""
    return None


class Update(Request):
    text: Text = Field(default_factory=_omitted)
    kind: Label = Field(default_factory=_omitted)
    tags: Labels = Field(default_factory=_omitted)
    entities: Labels = Field(default_factory=_omitted)
    gist: Annotated[str, Field(max_length=10_000)] = Field(default_factory=_omitted)
    importance: Share = Field(default_factory=_omitted)
    confidence: Share = Field(default_factory=_omitted)
    strength: Share = Field(default_factory=_omitted)
    status: Status = Field(default_factory=_omitted)
    tier: Tier = Field(default_factory=_omitted)
    metadata: Data = Field(default_factory=_omitted)
    source: Label | None = None
    occurred_at: Moment | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    expires_at: Moment | None = None


class Conditions(Request):
    """Chooses memories of a namespace, by id or by filters."""

    id: Id | None = None
    kinds: Labels | None = None
    tags: Labels | None = None
    statuses: list[Status] | None = None
    tiers: list[Tier] | None = None
    granularity: Granularity | None = None
    session_id: Label | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    where: Data | None = None

    def arguments(self) -> dict[str, Any]:
        """Without filters that are null: the façade would count them as filters."""
        return {name: value for name, value in super().arguments().items() if value is not None}


class Filters(Conditions):
    """Chooses memories, by id or by at least one filter."""

    namespace: Path | None = None
    namespaces: Annotated[list[Path], Field(min_length=1, max_length=MOST_TAGS)] | None = None
    preview: bool = False


class Page(BaseModel):
    """The query of a list. A query has only text, so numbers are converted."""

    model_config = ConfigDict(extra="forbid")

    limit: Annotated[int, Field(ge=1, le=MOST_ITEMS)] = 50
    cursor: Annotated[str, Field(min_length=1, max_length=512)] | None = None


class SessionPage(Page):
    namespace: Path | None = None


class TurnPage(BaseModel):
    """The query of one conversation."""

    model_config = ConfigDict(extra="forbid")

    session_id: Label
    namespace: Path | None = None
    start: Annotated[int, Field(ge=0, le=10**9, description="The number of the first message.")] = 0
    limit: Annotated[int, Field(ge=1, le=200, description="At most so many messages.")] = 50
    text: Annotated[str, Field(min_length=1, max_length=500, description="Only messages with these words.")] | None = (
        None
    )


def _repeated(name: str, in_python: str) -> Any:  # noqa: ANN401 - the default of fields of any type
    """A parameter that may be given several times. The name that it has in Python is accepted too."""
    return Field(default_factory=list, validation_alias=AliasChoices(name, in_python))


class MemoryPage(Page):
    namespace: Annotated[list[Path], Field(max_length=MOST_TAGS)] = _repeated("namespace", "namespaces")
    kind: Labels = _repeated("kind", "kinds")
    tag: Labels = _repeated("tag", "tags")
    status: Annotated[list[Status], Field(max_length=16)] = _repeated("status", "statuses")
    tier: Annotated[list[Tier], Field(max_length=16)] = _repeated("tier", "tiers")
    granularity: Granularity | None = None
    session_id: Label | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    where: Annotated[str, Field(max_length=2_000, description="A JSON object.")] | None = None
    after: Id | None = Field(default=None, description="Continue after this memory. Ignored when there is a cursor.")

    @field_validator("where")
    @classmethod
    def _is_an_object(cls, where: str | None) -> str | None:
        if where is not None:
            flat = where.count("{") + where.count("[") <= DEEPEST_WHERE
            if not flat or not isinstance(json.loads(where), dict):
                raise ValueError(f"must be a JSON object with at most {DEEPEST_WHERE} brackets")
        return where

    def filters(self) -> dict[str, Any]:
        """The filters as arguments of the façade's `list`."""
        filters = {
            "namespaces": self.namespace,
            "kinds": self.kind,
            "tags": self.tag,
            "statuses": self.status,
            "tiers": self.tier,
            "granularity": self.granularity,
            "session_id": self.session_id,
            "since": self.since,
            "until": self.until,
            "as_of": self.as_of,
            "where": None if self.where is None else json.loads(self.where),
        }
        return {name: value for name, value in filters.items() if value}


class Listing(MemoryPage):
    """The query of the list of memories."""

    order: Literal["newest", "oldest"] = "newest"


class Matching(MemoryPage):
    """The query of a search for all memories that contain some words."""

    words: Question


class Asking(BaseModel):
    """A query whose fields are arguments of the façade."""

    model_config = ConfigDict(extra="forbid")

    namespace: Path | None = None

    def arguments(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)


class LogDays(Asking):
    actor: Label | None = None


class LogPage(LogDays):
    limit: Annotated[int, Field(ge=1, le=MOST_ITEMS)] = 50
    before: Id | None = Field(default=None, description="The `before` of the page before.")
    since: Moment | None = None
    until: Moment | None = None
    text: Annotated[str, Field(max_length=2_000, description="The question contains this.")] | None = None
    outcome: Literal["answered", "refused", "used", "unused"] | None = None


class GraphQuery(Asking):
    name: Label = Field(description="A person or thing; `user` for the owner.")
    as_of: Moment | None = None
    kind: Annotated[Labels | None, Field(description="Only memories of these kinds.")] = None
    limit: Annotated[int, Field(ge=1, le=60)] = 12
    at: Moment | None = None

    def arguments(self) -> dict[str, Any]:
        given = super().arguments()
        return given | ({"kinds": given.pop("kind")} if "kind" in given else {})


class ChangeMany(Request):
    ids: Annotated[list[Id], Field(min_length=1, max_length=MOST_TAGS)]
    action: Literal["forget", "move", "tag"]
    to: Path | None = Field(default=None, description="The namespace to move to.")
    add_tags: Labels | None = None
    remove_tags: Labels | None = None
    previous: Id | None = Field(default=None, description="The event of the call that this one continues.")


class NewKey(Request):
    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"\S")]
    role: Literal["read", "write", "admin"] = "write"
    namespace: Path | None = None
    expires_at: Moment | None = None


class Import(Request):
    name: Annotated[str, Field(min_length=1, max_length=255, description="The file's name; its ending is the format.")]
    content: Annotated[str, Field(min_length=1)]
    preview: bool = False
    namespace: Path | None = None
    lines: Annotated[bool, Field(description="Each line or list item of a text is a memory of its own.")] = False


class Pin(Request):
    pinned: bool = True


class Supersede(Request):
    """Either the id of the memory that holds now, or its text."""

    by: Id | None = None
    text: Text | None = None
    since: Moment | None = None


class NewLink(Request):
    to: Id
    kind: LinkKind = "related"
    weight: Share = 0.5


class Search(Request):
    """The fields that `recall` and `compare` share."""

    query: Question
    limit: Annotated[int, Field(ge=1, le=MOST_HITS)] = 5
    namespace: Path | None = None
    namespaces: Annotated[list[Path], Field(min_length=1, max_length=MOST_TAGS)] | None = None
    granularity: Granularity | None = None
    budget_tokens: Tokens | None = None
    at: Moment | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    kinds: Labels | None = None
    tags: Labels | None = None
    where: Data | None = None
    session_id: Label | None = None
    include: list[Status | Literal["archived"]] | None = None

    def arguments(self) -> dict[str, Any]:
        return {name: value for name, value in super().arguments().items() if value is not None}


class Recall(Search):
    recipe: RecipeName | None = None
    track: bool = True


class RecallMany(Request):
    queries: Annotated[list[Recall], Field(min_length=1, max_length=MOST_QUERIES)]


class Compare(Search):
    recipes: Annotated[list[RecipeName], Field(min_length=1, max_length=32)] | None = None


class Assemble(Request):
    query: Question
    budget_tokens: Tokens = 16_000
    namespace: Path | None = None
    team: Path | None = None
    recipe: RecipeName | None = None
    at: Moment | None = None
    track: bool = True


class ProfileQuery(BaseModel):
    """The query of a profile."""

    model_config = ConfigDict(extra="forbid")

    subject: Label | None = Field(default=None, description="A name, or `user` for the owner. None: those known best.")
    namespace: Path | None = None
    as_of: Moment | None = None
    at: Moment | None = None

    def arguments(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)


class Feedback(Request):
    recall_id: Id
    used: Annotated[list[Id], Field(max_length=MOST_TAGS)] = Field(default_factory=list)
    outcome: Literal["helped", "failed"] | Annotated[float, Field(ge=-1, le=1)] | None = None


class Message(BaseModel):
    """A chat message. Fields that are not listed here are ignored."""

    model_config = ConfigDict(extra="allow", strict=True)

    role: Label | None = None
    speaker: Label | None = None
    name: Label | None = None
    content: Annotated[str, Field(max_length=MOST_CHARS)] | list[str | dict[str, Any]] | None = None
    text: Annotated[str, Field(max_length=MOST_CHARS)] | None = None
    at: Moment | None = None
    timestamp: Moment | None = None


class Conversation(Request):
    messages: Annotated[list[Message], Field(min_length=1, max_length=MOST_MESSAGES)]
    session_id: Label | None = None
    at: Moment | None = None


class IngestOptions(Request):
    """How conversations are stored. A client can't choose the model that extracts facts; the server's setting does."""

    namespace: Path | None = None
    granularity: How = "hybrid"
    extractor: Literal["rules"] | None = None


class Ingest(Conversation, IngestOptions):
    pass


class IngestMany(IngestOptions):
    conversations: Annotated[list[Conversation], Field(min_length=1, max_length=MOST_ITEMS)]


class Consolidate(Request):
    namespace: Path | None = None
    at: Moment | None = None
    preview: bool = False


class Decay(Request):
    namespace: Path | None = None
    at: Moment | None = None
    force: Annotated[bool, Field(description="Also if `at` is more than a year ahead.")] = False


class Tend(Decay):
    preview: bool = False


class Move(Conditions):
    """With an id or filters, only those memories move."""

    old: Path = Field(alias="from")
    new: Path = Field(alias="to")


class SignIn(Request):
    key: Annotated[str, Field(min_length=1, max_length=512)]
