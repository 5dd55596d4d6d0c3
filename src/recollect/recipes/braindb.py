"""BrainDB: keywords and vectors fused by rank, with boosts by kind.

Known pitfalls:
- A boost of 0.3 outweighs most differences of rank fusion: a decision at rank 12 comes before a fact at rank 1.
- Superseded memories are fetched and score zero. In a small store they are still returned.
"""

from dataclasses import replace

from .recipe import Depth, Factors, KindBoost, Lexical, Recipe, ReciprocalRank, Relevance, StatusPenalty, Vector

RECIPE = Recipe(
    name="braindb",
    cite="BrainDB as the BM25 article describes it: FTS5 BM25, embedding similarity, or both by RRF. Remove a route "
    "for its keyword or semantic mode. Boosts from its code: decision +0.3, issue -0.1, superseded memories score 0.",
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
)

KEYWORD = replace(RECIPE, name="braindb-keyword", routes=RECIPE.routes[:1])
SEMANTIC = replace(RECIPE, name="braindb-semantic", routes=RECIPE.routes[1:])
"""BrainDB's other two search modes: the same data with one route."""
