"""A recipe of somebody else's: words first, and the newest of what they find."""

from recollect.recipes.recipe import Factors, Lexical, Recency, Recipe, Relevance, Scaled, ScoreSum

RECIPE = Recipe(
    name="freshest",
    cite="Made for this test.",
    routes=(Lexical(),),
    fuse=ScoreSum(routes={"lexical": Scaled(scale="max")}),
    factors=Factors(add=(Relevance(weight=0.2), Recency(weight=0.8, since="created", half_life_days=1.0))),
)
