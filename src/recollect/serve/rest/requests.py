"""What a request may hold, with every bound stated. What the words mean is the façade's to check."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ...checks import MOST_CHARS, MOST_PATH_CHARS, MOST_TAGS
from ...read.question import MOST_QUERY_CHARS
from ...types import Granularity, LinkKind, Status, Tier
from ...write.conversations.ingest import How

MOST_ITEMS = 1000
"""Of a batch, and of a page."""
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
    str, Field(min_length=8, max_length=64, examples=["2026-05-20T07:34:00Z"], description="ISO 8601; UTC if no zone.")
]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
RecipeName: TypeAlias = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9_]+$")]
Data: TypeAlias = Annotated[dict[str, Any], Field(max_length=1000)]
"""A JSON object. How deep it may be is checked with the whole body."""
Tokens: TypeAlias = Annotated[int, Field(ge=1, le=MOST_TOKENS)]


class Request(BaseModel):
    """Nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def said(self) -> dict[str, Any]:
        """What the client gave, as the façade's arguments."""
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


def _unsaid() -> Any:  # noqa: ANN401 - stands for whatever was not given
    """For fields that may be left out but not be null; `said` leaves it out again."""
    return None


class Update(Request):
    text: Text = Field(default_factory=_unsaid)
    kind: Label = Field(default_factory=_unsaid)
    tags: Labels = Field(default_factory=_unsaid)
    entities: Labels = Field(default_factory=_unsaid)
    gist: Annotated[str, Field(max_length=10_000)] = Field(default_factory=_unsaid)
    importance: Share = Field(default_factory=_unsaid)
    confidence: Share = Field(default_factory=_unsaid)
    strength: Share = Field(default_factory=_unsaid)
    status: Status = Field(default_factory=_unsaid)
    tier: Tier = Field(default_factory=_unsaid)
    metadata: Data = Field(default_factory=_unsaid)
    source: Label | None = None
    occurred_at: Moment | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    expires_at: Moment | None = None


class Filters(Request):
    """Which memories are meant: by id, or by filters, at least one."""

    id: Id | None = None
    namespace: Path | None = None
    namespaces: Annotated[list[Path], Field(min_length=1, max_length=MOST_TAGS)] | None = None
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
    preview: bool = False

    def said(self) -> dict[str, Any]:
        """A filter that is null is no filter; left in, it would stand for one."""
        return {name: value for name, value in super().said().items() if value is not None}


class Page(BaseModel):
    """The query of a list. Text is all a query has, so numbers are read from it."""

    model_config = ConfigDict(extra="forbid")

    limit: Annotated[int, Field(ge=1, le=MOST_ITEMS)] = 50
    cursor: Annotated[str, Field(min_length=1, max_length=512)] | None = None


class MemoryPage(Page):
    namespace: Annotated[list[Path], Field(max_length=MOST_TAGS)] = Field(default_factory=list)
    kind: Labels = Field(default_factory=list)
    tag: Labels = Field(default_factory=list)
    status: Annotated[list[Status], Field(max_length=16)] = Field(default_factory=list)
    tier: Annotated[list[Tier], Field(max_length=16)] = Field(default_factory=list)
    granularity: Granularity | None = None
    session_id: Label | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    where: Annotated[str, Field(max_length=2_000, description="A JSON object.")] | None = None
    after: Id | None = Field(default=None, description="Go on after this memory; a cursor goes before it.")

    @field_validator("where")
    @classmethod
    def _is_an_object(cls, given: str | None) -> str | None:
        if given is not None:
            flat = given.count("{") + given.count("[") <= DEEPEST_WHERE
            if not flat or not isinstance(json.loads(given), dict):
                raise ValueError(f"must be a JSON object with at most {DEEPEST_WHERE} brackets")
        return given

    def filters(self) -> dict[str, Any]:
        """As `list` wants them."""
        given = {
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
        return {name: value for name, value in given.items() if value}


class Pin(Request):
    pinned: bool = True


class Supersede(Request):
    by: Id


class Connect(Request):
    to: Id
    kind: LinkKind = "related"
    weight: Share = 0.5


class Asked(Request):
    """What `recall` and `compare` have in common."""

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

    def said(self) -> dict[str, Any]:
        return {name: value for name, value in super().said().items() if value is not None}


class Recall(Asked):
    recipe: RecipeName | None = None
    track: bool = True


class RecallMany(Request):
    queries: Annotated[list[Recall], Field(min_length=1, max_length=MOST_QUERIES)]


class Compare(Asked):
    recipes: Annotated[list[RecipeName], Field(min_length=1, max_length=32)] | None = None


class Assemble(Request):
    query: Question
    budget_tokens: Tokens = 16_000
    namespace: Path | None = None
    team: Path | None = None
    recipe: RecipeName | None = None
    at: Moment | None = None
    track: bool = True


class Feedback(Request):
    recall_id: Id
    used: Annotated[list[Id], Field(max_length=MOST_TAGS)] = Field(default_factory=list)
    outcome: Literal["helped", "failed"] | Annotated[float, Field(ge=-1, le=1)] | None = None


class Message(BaseModel):
    """A chat message as it comes; what is not named here is passed over."""

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


class Taking(Request):
    """How conversations are taken in. Which model reads them is the server's setting, never a client's."""

    namespace: Path | None = None
    granularity: How = "hybrid"
    extractor: Literal["rules"] | None = None


class Ingest(Conversation, Taking):
    pass


class IngestMany(Taking):
    conversations: Annotated[list[Conversation], Field(min_length=1, max_length=MOST_ITEMS)]


class Decay(Request):
    namespace: Path | None = None
    at: Moment | None = None


class Tend(Decay):
    preview: bool = False


class Move(Request):
    old: Path = Field(alias="from")
    new: Path = Field(alias="to")


class SignIn(Request):
    key: Annotated[str, Field(min_length=1, max_length=512)]
