"""MemSense: eight routes, rank fusion, whole sessions first, diversity by MMR.

Known pitfalls:
- The MMR as printed subtracts cosines (0.5 to 0.9) from scores below 0.6: after the first pick, being different
  matters more than being relevant. `scale = true` repairs it.
- Rank fusion ignores how much better the first is than the second.
- The views of facets, roles and next turns exist only for ingested conversations. Single memories are found by the
  full view and by words.
"""

from .recipe import (
    STORED_AS_GIVEN,
    Depth,
    Factors,
    Lexical,
    MaximalMarginalRelevance,
    Pack,
    Recipe,
    ReciprocalRank,
    Relevance,
    SessionFirst,
    Stored,
    Vector,
)

_PER_ROUTE = Depth(times=8, least=64)
"""max(max(top_k × 4, 32) × 2, 40), which is max(8 × top_k, 64)."""

RECIPE = Recipe(
    name="memsense",
    cite="MemSense, 'Retrieval': RRF with k = 15 over eight routes, + 0.1 memory score, session-first hybrid, MMR. "
    "The MMR is as printed: it subtracts cosines from scores that are rarely above 0.5, so redundancy dominates; "
    "`scale = true` in diversify scales both to [0, 1] first. Memory score is our importance, task_tag our gist.",
    routes=(
        Vector(name="vec_full", view="full", depth=_PER_ROUTE),
        Vector(name="vec_user", view="user", depth=_PER_ROUTE),
        Vector(name="vec_asst", view="assistant", depth=_PER_ROUTE),
        Vector(name="vec_next_user", view="next_user", depth=_PER_ROUTE),
        Lexical(fields={"gist": 1.0, "text": 1.0}, depth=_PER_ROUTE),
        Vector(name="facet_personal_info", view="personal_info", depth=_PER_ROUTE),
        Vector(name="facet_preferences", view="preferences", depth=_PER_ROUTE),
        Vector(name="facet_events", view="events", depth=_PER_ROUTE),
    ),
    fuse=ReciprocalRank(k=15.0, keep=Depth(times=4, least=32)),
    spread=(SessionFirst(cap=0.12, factor=0.6),),
    factors=Factors(add=(Relevance(weight=1.0), Stored(weight=0.1, field="importance"))),
    diversify=(MaximalMarginalRelevance(lambda_=0.78, duplicate=0.94, tag_share=0.35, scale=False),),
    pack=Pack(neighbours=1),
    write=STORED_AS_GIVEN,
)
