"""memweave: weighted merge, then threshold, decay and diversity.

Known pitfalls:
- A memory that only the words found scores at most 0.3 and the threshold of 0.35 always drops it.
  `spare_keyword_only = true` repairs it.
- The threshold comes before decay, so an old exact match stays in and then sinks.
- BM25 as r / (1 + r) is above 0.8 for every decent match: the keyword part hardly tells good from best.
"""

from .recipe import (
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
    cite="memweave as the BM25 article draws it: 0.7 vector + 0.3 BM25 (as r / (1 + r)), threshold 0.35, half-life "
    "30 days (undated files never decay), MMR with lambda 0.7. A hit of keywords alone scores at most 0.3 and is "
    "always dropped; `spare_keyword_only = true` in fuse repairs that.",
    routes=(Vector(depth=Depth(times=4)), Lexical(depth=Depth(times=4))),
    fuse=ScoreSum(
        routes={"vector": Scaled(weight=0.7, scale="raw"), "lexical": Scaled(weight=0.3, scale="saturate")},
        floor=0.35,
    ),
    factors=Factors(
        add=(Relevance(),),
        multiply=(Recency(since="happened", half_life_days=30.0, spare_undated_documents=True),),
    ),
    diversify=(MaximalMarginalRelevance(lambda_=0.7),),
)
