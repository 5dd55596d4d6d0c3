"""OpenMem: keyword search, activation that spreads over links, and competition between contradicting memories.

Known pitfalls:
- Half of the score does not depend on the question: if matches are weak, recent and strong memories win.
- It uses no vectors, so a paraphrase is found only over a link.
- A memory with many links is found for many questions.
"""

from dataclasses import replace

from .recipe import (
    AUTOMATIC_LINK_KINDS,
    STORED_AS_GIVEN,
    Activation,
    Contradiction,
    Depth,
    Factors,
    Lexical,
    Pack,
    Recency,
    Recipe,
    Record,
    Relevance,
    Scaled,
    ScoreSum,
    StatusPenalty,
    Stored,
)

RECIPE = Recipe(
    name="openmem",
    cite="OpenMem, 'Retrieval Model', as the text describes it. Its code spreads with decay^(hop+1), does not reset "
    "the decay clock and recalls deleted memories; we follow the text.",
    statuses=("active", "superseded", "contradicted"),
    routes=(Lexical(fields={"text": 1.0, "gist": 1.0, "entities": 1.0}, depth=Depth(times=4)),),
    fuse=ScoreSum(routes={"lexical": Scaled(scale="max")}),
    spread=(Activation(hops=2, decay=0.5, excluded_link_kinds=AUTOMATIC_LINK_KINDS),),
    factors=Factors(
        add=(
            Relevance(weight=0.5),
            Recency(weight=0.2, since="touched", rate_per_day=0.05),
            Stored(weight=0.2, field="strength"),
            Stored(weight=0.1, field="confidence"),
        ),
        multiply=(StatusPenalty(multipliers={"active": 1.0, "superseded": 0.5, "contradicted": 0.3}),),
    ),
    conflicts=Contradiction(multiplier=0.3, rate_per_day=0.05),
    pack=Pack(budget_tokens=2000, chars_per_token=4.0, whole_tokens=False),
    record=Record(counts="access"),
    write=replace(STORED_AS_GIVEN, reinforcement=0.1, decay_per_day=0.01),
)
