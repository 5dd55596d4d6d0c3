"""Our own: words and meaning on one scale, neighbours, sessions, links, time, and an honest "not in memory".

Known pitfalls:
- Min-max scaling gives the best of each route a full point, also when that best is poor; the confidence gate is what
  catches that.
- A question that names a time lifts everything of that time, also what only happens to be near.
- What the assistant said counts a little less than what was said to it, unless the question says "you", and not only in
  a request ("can you suggest …").
- Where a question names one who speaks, what others said of them counts less, also where they know better.
- A short text that ends with a question mark counts less: it asks. A note kept as a question pays for that.
"""

from .recipe import (
    Activation,
    Asks,
    Contradiction,
    Depth,
    Factors,
    Gate,
    Group,
    Later,
    Lexical,
    Recipe,
    Relevance,
    Role,
    SameMeaning,
    SameText,
    Scaled,
    ScoreSum,
    SessionPrior,
    Speaker,
    StatusPenalty,
    Stored,
    Then,
    TurnNeighbours,
    Vector,
    When,
)

_DEEP = Depth(times=10, least=100)

RECIPE = Recipe(
    name="default",
    cite="Ours. Min-max scaled BM25 and cosine are added up; turns receive from their neighbours and their session. "
    "Each part is justified by measurement in docs/default-recipe.md.",
    compares=True,
    routes=(
        Lexical(
            fields={"gist": 1.0, "text": 1.0, "entities": 0.5, "tags": 0.5},
            b=0.5,
            stop_weight=0.4,
            depth=_DEEP,
        ),
        Vector(depth=_DEEP),
        Then(depth=Depth(times=5, least=200)),
    ),
    fuse=ScoreSum(
        routes={
            "lexical": Scaled(scale="minmax", doubt=0.5),
            "vector": Scaled(scale="minmax", weight=0.9),
            "then": Scaled(scale="minmax"),
        },
        flat={"recollect-30m": 0.1},
        keep=Depth(times=10, least=50),
    ),
    spread=(
        TurnNeighbours(share=0.2, between_people=0.4, among=40),
        SessionPrior(share=0.3),
        Activation(hops=2, decay=0.5, passing=("temporal", "extends", "similar")),
    ),
    factors=Factors(
        add=(Relevance(),),
        multiply=(
            Role(multipliers={"assistant": 0.8}, unless=("you", "your")),
            Speaker(others=0.7),
            Asks(multiplier=0.7, shorter_than=150),
            When(boost=0.4, slack_days=3.0),
            Later(multiplier=0.3),
            Stored(field="strength", floor=0.8),
            Stored(field="importance", floor=0.6),
            StatusPenalty(multipliers={"superseded": 0.5, "contradicted": 0.3}),
        ),
    ),
    conflicts=Contradiction(multiplier=0.6, outdated=0.5),
    reject=Gate(
        rule="confidence", tau=0.1, by_embedder={"recollect-30m": 0.22, "granite": 0.13, "multilingual": 0.388}
    ),
    group=Group(parts=5, deeper=3),
    diversify=(SameText(), SameMeaning(similarity=0.90, in_groups=False)),
)
