"""MemX: hybrid search with four-factor re-ranking and a rejection rule.

Known pitfalls:
- Recency weighs more than half as much as relevance, so a new and slightly related memory can come before an old
  exact match.
- z-score and sigmoid keep the order and only change the scores. Scores of different questions can't be compared.
- The tag-signature rule returns one memory per kind and set of tags: with few tags it hides answers. With the
  exemption off, all untagged memories of a kind share one signature (its Table 7).
- tau depends on the embedder. If unrelated texts score 0.55, a tau of 0.50 rejects nothing: set `reject.tau` for yours.
"""

from .recipe import (
    STORED_AS_GIVEN,
    Depth,
    Factors,
    Frequency,
    Gate,
    Lexical,
    Recency,
    Recipe,
    ReciprocalRank,
    Record,
    Relevance,
    SameText,
    Stored,
    TagSignature,
    Vector,
    ZScoreSigmoid,
)

RECIPE = Recipe(
    name="memx",
    cite="Sun, 'MemX: A Local-First Long-Term Memory System for AI Assistants', March 2026: Algorithm 1, "
    "equations 1-4, Tables 1 and 10. f_sem is the RRF score divided by the best candidate's, because the raw "
    "score (at most 0.033) is too small beside recency. The keyword set holds the memories with all content words, so "
    "it can be empty. tau is the paper's 0.50, which it recommends for Qwen3-Embedding-0.6B.",
    routes=(
        Lexical(fields={"text": 1.0}, analyzer="unicode61", match="all", depth=Depth(times=3)),
        Vector(floor=0.3, depth=Depth(times=3)),
    ),
    fuse=ReciprocalRank(k=60.0),
    factors=Factors(
        add=(
            Relevance(weight=0.45, scale="max"),
            Recency(weight=0.25, since="retrieved", half_life_days=30.0),
            Frequency(weight=0.05, count="retrieval", divisor=10.0),
            Stored(weight=0.10, field="importance"),
        )
    ),
    normalise=ZScoreSigmoid(least_deviation=1e-6),
    reject=Gate(rule="R1", tau=0.50),
    diversify=(SameText(), TagSignature(exempt_untagged=True)),
    record=Record(counts="retrieval"),
    write=STORED_AS_GIVEN,
)
