"""The fitted models behind `Recall.confidence`, one per embedder."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """Weights of a logistic model over `types.Signals`."""

    bias: float
    similarity: float = 0.0
    coverage: float = 0.0
    agreement: float = 0.0
    margin: float = 0.0
    evidence: float = 0.0
    read: float = 0.0
    """Weight of the reader's best log-odds. The following three are weights of its other signals."""
    read_mean: float = 0.0
    read_first: float = 0.0
    read_among: float = 0.0
    speaker: float = 0.0
    """If the question names one speaker: weight of how much surer their own statements are to answer than those of
    others, compared with the usual."""
    speaker_bias: float = 0.0
    """Added if the question names one speaker: such questions have less confidence than others, also if they have an
    answer."""
    speaker_evidence: float = 0.0
    """If the question names one speaker: weight of the evidence, compared with the usual."""
    far: float = 0.0
    """Weight of the distance of the nearest memory: how far `evidence` is below what related texts have."""
    unknown: float = 0.0
    """Weight of the unknown words: how far `known` is below one half. Few unknown words say nothing."""
    unknown_code: float = -4.0
    """Added if the question names a code that no memory contains."""
    lead: float = 0.0
    """Weight of the lead: the best cosine minus the background."""
    background: float = 0.0
    """The usual cosine of unrelated texts, used if a store is too small to measure it. It is lower than in a large
    store, where some unrelated texts are close by chance."""
    allowance: float = 0.0
    """Log-odds by which the lead lowers the gate's threshold. A conceptual question shares few words with its answer
    and is far from every memory, so a memory that stands out is accepted at a lower confidence."""


LEXICAL = Confidence(bias=-1.9, coverage=2.5, margin=4.3)
"""Used if there are no vectors."""

UNKNOWN = Confidence(bias=-1.9, coverage=2.5, agreement=1.3, margin=3.0)
"""Used for an embedder that was not fitted. The cosine of its unrelated texts is unknown, so cosines are not used."""

READER = Confidence(bias=1.24, read_among=0.47, unknown=-0.5)
"""Used with a reader and any embedder: what a reader says does not depend on vectors."""

FITTED = {
    "recollect-30m": Confidence(bias=-7.51, evidence=8.59, background=0.45, allowance=10.3),
    "recollect-30m+recollect-reader": replace(READER, far=-20.0, speaker=0.45, speaker_bias=0.5, speaker_evidence=6.0),
    "granite+recollect-reader": replace(READER, far=-20.0),
    "hashing+recollect-reader": replace(READER, bias=-0.2, coverage=3.0),
    "granite": Confidence(bias=-6.72, evidence=6.97, lead=2.79, background=0.5),
    "multilingual": Confidence(bias=-0.92, evidence=1.46, lead=0.73, background=0.1),
    "hashing": Confidence(bias=-4.0, similarity=3.0, coverage=6.0, agreement=0.5, margin=0.5),
}


def model_for(judge: str | None) -> Confidence:
    """The model for an embedder, or for an embedder and a reader (`recollect-30m+recollect-reader`)."""
    if judge is None:
        return LEXICAL
    return FITTED.get(judge, READER if "+" in judge else UNKNOWN)
