"""Our own: words and meaning on one scale, links, validity, and an honest "not in memory".

Known pitfalls:
- Min-max scaling gives the best of each route a full point, also when that best is poor; the confidence gate is
  what catches that.
"""

from .recipe import (
    Activation,
    Contradiction,
    Depth,
    Factors,
    Gate,
    Lexical,
    Recipe,
    Relevance,
    SameText,
    Scaled,
    ScoreSum,
    StatusPenalty,
    Vector,
)

RECIPE = Recipe(
    name="default",
    cite="Ours: the sum of min-max scaled BM25 and cosine over the first hundred of each. On LongMemEval and LoCoMo "
    "it beats rank fusion and either route alone.",
    routes=(
        Lexical(fields={"gist": 1.0, "text": 1.0, "entities": 0.5, "tags": 0.5}, depth=Depth(times=20, least=100)),
        Vector(depth=Depth(times=20, least=100)),
    ),
    fuse=ScoreSum(routes={"lexical": Scaled(scale="minmax"), "vector": Scaled(scale="minmax")}),
    spread=(Activation(hops=1, decay=0.5),),
    factors=Factors(add=(Relevance(),), multiply=(StatusPenalty(multipliers={"contradicted": 0.3}),)),
    conflicts=Contradiction(),
    reject=Gate(rule="confidence", tau=0.2),
    diversify=(SameText(),),
)
