"""BrainDB's semantic mode: cosine with boosts by kind.

Known pitfalls:
- It always returns something: there is no distance at which it says "not in memory".
- Cosines of unrelated texts are far above 0, so a boost of 0.3 puts any decision first.
"""

from dataclasses import replace

from . import braindb
from .recipe import Scaled, ScoreSum

RECIPE = replace(
    braindb.RECIPE,
    name="braindb-semantic",
    cite="BrainDB as the BM25 article describes it, its mode for meaning: the score is the cosine, with the boosts of "
    "`braindb`.",
    routes=braindb.RECIPE.routes[1:],
    fuse=ScoreSum(routes={"vector": Scaled(scale="raw")}),
)
