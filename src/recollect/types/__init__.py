"""The data types of the system. All are frozen; none does any I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from .brief import Brief, BriefChange, BriefStatement
from .events import Change, Event, Retention, Tended
from .fence import (
    FENCE_CLOSE,
    FENCE_OPEN,
    NEAREST,
    NEAREST_LAYER,
    NEAREST_NOTE,
    NEAREST_OPEN,
    RECALLED_NOTE,
    data_line,
    fence,
    fence_line,
    fence_open,
    label_shown,
)
from .graph import Changed, Graph, GraphEdge, GraphNode
from .log import LoggedHit, LoggedRecall, RecallDay, RecallLog
from .memory import (
    CORRECTS,
    FIELDS,
    GRANULARITIES,
    LINK_KINDS,
    NAMELESS,
    RESULTS,
    RETRACTS,
    STATUSES,
    TIERS,
    VISIBLE,
    Granularity,
    Link,
    LinkKind,
    Memory,
    Status,
    Tier,
)
from .plain import by_name, from_plain, plain
from .postings import Block, Postings
from .profile import Profile, ProfileGroup, ProfileSource, ProfileStatement, ProfileSubject, Replaced
from .query import Condition, Corpus, Filter, Junction, Posting, Query, Statistics
from .ranking import Ranking, Sightings
from .recall import Candidate, Context, Hit, Layer, Neighbourhood, Recall, Sighting, Signals, Step
from .shown import day_shown, when_shown
from .when import WHEN, When

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]

__all__ = [
    "Block",
    "Brief",
    "BriefChange",
    "BriefStatement",
    "CORRECTS",
    "Candidate",
    "Change",
    "Changed",
    "Condition",
    "Context",
    "Corpus",
    "Event",
    "FENCE_CLOSE",
    "FENCE_OPEN",
    "FIELDS",
    "Filter",
    "GRANULARITIES",
    "Granularity",
    "Graph",
    "GraphEdge",
    "GraphNode",
    "Hit",
    "Junction",
    "LINK_KINDS",
    "Layer",
    "Link",
    "LinkKind",
    "LoggedHit",
    "LoggedRecall",
    "Memory",
    "NAMELESS",
    "NEAREST",
    "NEAREST_LAYER",
    "NEAREST_NOTE",
    "NEAREST_OPEN",
    "Neighbourhood",
    "Posting",
    "Postings",
    "Profile",
    "ProfileGroup",
    "ProfileSource",
    "ProfileStatement",
    "ProfileSubject",
    "Query",
    "RECALLED_NOTE",
    "RESULTS",
    "RETRACTS",
    "Ranking",
    "Recall",
    "RecallDay",
    "RecallLog",
    "Replaced",
    "Retention",
    "STATUSES",
    "Sighting",
    "Sightings",
    "Signals",
    "Statistics",
    "Status",
    "Step",
    "TIERS",
    "Tended",
    "Tier",
    "VISIBLE",
    "WHEN",
    "When",
    "by_name",
    "day_shown",
    "data_line",
    "fence",
    "fence_line",
    "fence_open",
    "label_shown",
    "from_plain",
    "plain",
    "when_shown",
]
