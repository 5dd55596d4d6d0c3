"""memweave: weighted merge, then threshold, decay and diversity.

Known pitfalls:
- A memory that only the lexical route found scores at most 0.3, so the threshold of 0.35 always drops it.
  `exempt_keyword_only = true` repairs it.
- The threshold is applied before decay: an old exact match passes it and is then ranked low.
- BM25 as r / (1 + r) is above 0.8 for every decent match, so the keyword part hardly separates good from best.
"""

from .recipe import (
    STORED_AS_GIVEN,
    Depth,
    Factors,
    Lexical,
    MaximalMarginalRelevance,
    Recency,
    Recipe,
    Relevance,
    Scaled,
    ScoreSum,
    Vector,
)

RECIPE = Recipe(
    name="memweave",
    cite="memweave as drawn in the BM25 article: 0.7 vector + 0.3 BM25 (as r / (1 + r)), threshold 0.35, half-life "
    "30 days (undated files never decay), MMR with lambda 0.7. A hit by keywords alone scores at most 0.3 and is "
    "always dropped; `exempt_keyword_only = true` in fuse repairs that.",
    routes=(Vector(depth=Depth(times=4)), Lexical(depth=Depth(times=4))),
    fuse=ScoreSum(
        routes={"vector": Scaled(weight=0.7, scale="raw"), "lexical": Scaled(weight=0.3, scale="saturate")},
        floor=0.35,
    ),
    factors=Factors(
        add=(Relevance(),),
        multiply=(Recency(since="happened", half_life_days=30.0, exempt_undated_documents=True),),
    ),
    diversify=(MaximalMarginalRelevance(lambda_=0.7),),
    write=STORED_AS_GIVEN,
)
