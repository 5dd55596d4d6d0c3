"""MemSense: eight routes, rank fusion, sessions first, diverse.

Known pitfalls:
- Printed MMR subtracts cosines (0.5 to 0.9) from scores below 0.6: after the first pick, being different matters
  more than being relevant. `scale = true` repairs it.
- Rank fusion forgets by how much the first is better than the second.
- Facet and side views exist only for ingested conversations; for single memories the full view and the words
  decide.
"""

from .recipe import (
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
    "The MMR is the printed form: it subtracts cosines from scores that hardly pass 0.5, so redundancy rules; "
    "`scale = true` in diversify brings both to [0, 1] first. Memory score is our importance, task_tag our gist.",
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
)
