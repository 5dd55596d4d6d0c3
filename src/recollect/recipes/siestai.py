"""Siestai: cosine, importance and recency in one SQL expression.

Known pitfalls:
- Half of the score does not depend on the question, and cosines of unrelated texts are far above 0: important
  recent memories are returned for every question.
- It has no threshold: it never says "not in memory".
- Memories without a vector are never found.
- The cosine alone decides what is merged: "the blue car" and "the green car" can become one memory.
"""

from .recipe import (
    Depth,
    Factors,
    Recency,
    Recipe,
    Record,
    Relevance,
    Scaled,
    ScoreSum,
    Stored,
    Vector,
    WriteRules,
)

RECIPE = Recipe(
    name="siestai",
    cite="Siestai, 'Relevance Scoring': 0.5 cosine + 0.3 importance + 0.2 exp(-0.05 days since last access), no "
    "threshold. Its query sorts every row by the sum, which no vector index supports; we fetch the nearest "
    "(at least 1,000) and score those. Agent and team memories are two namespaces in one recall.",
    routes=(Vector(depth=Depth(times=40, least=1000)),),
    fuse=ScoreSum(routes={"vector": Scaled(scale="raw")}),
    factors=Factors(
        add=(
            Relevance(weight=0.5),
            Stored(weight=0.3, field="importance"),
            Recency(weight=0.2, since="touched", rate_per_day=0.05),
        )
    ),
    record=Record(counts="access"),
    write=WriteRules(
        duplicate=0.92, near_duplicates="cosine", cluster=0.80, clusters="cosine", recognise_updates=False
    ),
)
