"""BrainDB's keyword mode: BM25 with boosts by kind.

Known pitfalls:
- Finds nothing if the question and the memory share no word.
- A boost of 0.3 lets a decision with three quarters of the BM25 score come first.
"""

from dataclasses import replace

from . import braindb
from .recipe import Scaled, ScoreSum

RECIPE = replace(
    braindb.RECIPE,
    name="braindb-keyword",
    cite="BrainDB as the BM25 article describes it, its mode for keywords: the score is BM25, with the boosts of "
    "`braindb`.",
    routes=braindb.RECIPE.routes[:1],
    fuse=ScoreSum(routes={"lexical": Scaled(scale="raw")}),
)
