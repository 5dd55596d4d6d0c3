"""Our own: BM25 and cosine on one scale, neighbouring turns, sessions, links, time, a reader and a confidence gate.

Known pitfalls:
- Scaling gives the best memory of each route 1, even if it is a poor match. The reader and the gate correct most of it.
- Reading twenty candidates takes some tens of milliseconds; `default-fast` does without.
- A question that names a time boosts every memory of that time, related or not.
- The assistant's turns count less than the user's, unless the question says "you" outside a request such as "can you
  suggest …".
- If a question names a speaker, what others said about that speaker counts less, even if they know better.
- A short text that ends with a question mark counts less, because it asks something. This also affects notes that are
  worded as a question.
"""

from .recipe import (
    AUTOMATIC_LINK_KINDS,
    Activation,
    Contradiction,
    Depth,
    Factors,
    FuturePenalty,
    Gate,
    Group,
    Lexical,
    OnePerMessage,
    Pack,
    QuestionPenalty,
    Read,
    Recipe,
    Relevance,
    Role,
    SameStatement,
    Scaled,
    ScoreSum,
    SessionPrior,
    SpeakerMatch,
    StatusPenalty,
    Stored,
    TierPenalty,
    TimeMatch,
    TimeWindow,
    TurnNeighbours,
    Vector,
    WriteRules,
)

_DEEP = Depth(times=10, least=100)

RECIPE = Recipe(
    name="default",
    cite="Ours. BM25 and cosine on one scale, with a share of neighbouring turns and sessions; then a reader reads the "
    "question with the best candidates. docs/default-recipe.md describes each part, docs/lab/default-recipe.md has the "
    "measurements.",
    search_archived=True,
    past_questions=True,
    split_comparisons=True,
    split_topics=True,
    routes=(
        Lexical(
            fields={"gist": 1.0, "text": 1.0, "entities": 0.5, "tags": 0.5},
            b=0.5,
            stopword_weight=0.4,
            depth=_DEEP,
        ),
        Vector(depth=_DEEP),
        TimeWindow(depth=Depth(times=5, least=200)),
    ),
    fuse=ScoreSum(
        routes={
            "lexical": Scaled(scale="max", coverage_exponent=0.5),
            "vector": Scaled(scale="minmax", weight=0.9),
            "time_window": Scaled(scale="minmax"),
        },
        rank_fusion_below_range={"recollect-30m": 0.1},
        keep=Depth(times=10, least=50),
    ),
    spread=(
        TurnNeighbours(share=0.2, named_speaker_share=0.4, top_candidates=40),
        SessionPrior(share=0.3),
        Activation(hops=2, decay=0.5, excluded_link_kinds=AUTOMATIC_LINK_KINDS),
    ),
    factors=Factors(
        add=(Relevance(),),
        multiply=(
            Role(multipliers={"assistant": 0.8}, unless_words=("you", "your")),
            SpeakerMatch(other_speakers=0.7),
            QuestionPenalty(multiplier=0.7, shorter_than_chars=150),
            TimeMatch(boost=0.4, slack_days=3.0),
            FuturePenalty(multiplier=0.3),
            Stored(field="strength", floor=0.8),
            Stored(field="importance", floor=0.6),
            StatusPenalty(multipliers={"superseded": 0.5, "contradicted": 0.3}),
            TierPenalty(multipliers={"archived": 0.9}),
        ),
    ),
    conflicts=Contradiction(multiplier=0.6, superseded_multiplier=0.3),
    read=Read(
        candidates=20,
        bias=-1.2,
        answers=0.39,
        ranked=1.0,
        place=0.5,
        newer=4.6,
        newer_date=0.2,
        older=0.55,
        alike=2.0,
        not_meant=1.5,
        unread=-8.0,
        earlier=0.7,
    ),
    reject=Gate(
        rule="confidence",
        tau=0.1,
        by_embedder={
            "recollect-reader": 0.29,
            "recollect-30m": 0.22,
            "granite": 0.13,
            "multilingual": 0.388,
        },
        refuse_unknown_codes=True,
        show_nearest=True,
    ),
    group=Group(parts=5, depth_multiplier=3),
    diversify=(OnePerMessage(), SameStatement(in_groups=False)),
    pack=Pack(above=0.0),
    write=WriteRules(
        duplicate=0.92,
        duplicate_by_embedder={"recollect-30m": 0.90},
        cluster=0.80,
        # 0.80 assumes that unrelated texts score 0.15. With these embedders they score higher; docs/lab/maintenance.md
        # has the measurements.
        cluster_by_embedder={"granite": 0.88, "recollect-30m": 0.86},
    ),
)
