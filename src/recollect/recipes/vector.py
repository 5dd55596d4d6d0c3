"""Vector search alone, as in a plain vector store.

Known pitfalls:
- It always returns something: there is no distance at which it says "not in memory".
- Identifiers that look alike (`/v2/exports`, `/v2/imports`) have similar vectors.
"""

from .recipe import STORED_AS_GIVEN, Depth, Recipe, Scaled, ScoreSum, Vector

RECIPE = Recipe(
    name="vector",
    cite="Cosine similarity of the whole text, nothing else.",
    routes=(Vector(depth=Depth(times=1, least=20)),),
    fuse=ScoreSum(routes={"vector": Scaled(scale="raw")}, keep=Depth(times=1)),
    write=STORED_AS_GIVEN,
)
