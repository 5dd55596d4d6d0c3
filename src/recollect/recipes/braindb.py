"""BrainDB: keywords and vectors fused by rank, with boosts by kind.

Known pitfalls:
- A boost of 0.3 outweighs most differences of rank fusion: a decision at rank 12 comes before a fact at rank 1.
- Superseded memories are fetched and score zero. In a small store they are still returned.
"""

from .recipe import (
    STORED_AS_GIVEN,
    Depth,
    Factors,
    KindBoost,
    Lexical,
    Recipe,
    ReciprocalRank,
    Relevance,
    StatusPenalty,
    Vector,
)

RECIPE = Recipe(
    name="braindb",
    cite="BrainDB as the BM25 article describes it: FTS5 BM25, embedding similarity, or both by RRF. This is the mode "
    "with both; `braindb-keyword` and `braindb-semantic` are the others. Boosts from its code: decision +0.3, "
    "issue -0.1, superseded memories score 0.",
    statuses=("active", "superseded"),
    routes=(Lexical(depth=Depth(times=4)), Vector(depth=Depth(times=4))),
    fuse=ReciprocalRank(k=60.0),
    factors=Factors(
        add=(Relevance(),),
        multiply=(
            KindBoost(boosts={"decision": 0.3, "issue": -0.1}),
            StatusPenalty(multipliers={"superseded": 0.0}),
        ),
    ),
    write=STORED_AS_GIVEN,
)
