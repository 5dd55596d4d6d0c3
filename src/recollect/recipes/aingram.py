"""AIngram: keywords, vectors and an entity graph, fused by rank.

Known pitfalls:
- Importance multiplies the score: at 0.5, the usual default, a memory loses half of its score, at 0 all of it.
- Scores decay by 2.4% a day: after a month half is gone, whatever the question.
- The graph helps only if memories have entities and links.
"""

from .recipe import (
    AUTOMATIC_LINK_KINDS,
    STORED_AS_GIVEN,
    Depth,
    Factors,
    Graph,
    Lexical,
    Recency,
    Recipe,
    ReciprocalRank,
    Relevance,
    Stored,
    Vector,
)

_HOURS_PER_DAY = 24

RECIPE = Recipe(
    name="aingram",
    cite="AIngram as drawn in the BM25 article: three routes, RRF. Constants from its code: three times the limit "
    "per route, k = 60, score = rrf * importance * confidence * exp(-0.001 * hours).",
    routes=(
        Lexical(depth=Depth(times=3)),
        Vector(depth=Depth(times=3)),
        Graph(hops=2, excluded_link_kinds=AUTOMATIC_LINK_KINDS, depth=Depth(times=3)),
    ),
    fuse=ReciprocalRank(k=60.0),
    factors=Factors(
        add=(Relevance(),),
        multiply=(
            Stored(field="importance"),
            Stored(field="confidence"),
            Recency(since="created", rate_per_day=0.001 * _HOURS_PER_DAY),
        ),
    ),
    write=STORED_AS_GIVEN,
)
