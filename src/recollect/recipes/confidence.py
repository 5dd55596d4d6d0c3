"""The fitted models behind `Recall.confidence`, one per embedder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """Weights of a logistic model over `types.Signals`."""

    bias: float
    similarity: float
    coverage: float
    agreement: float
    margin: float
    lead: float = 0.0
    """Of how far the nearest memory stands above the background."""
    background: float = 0.0
    """What unrelated texts have, for stores too small to show it."""


LEXICAL = Confidence(bias=-1.9, similarity=0.0, coverage=2.5, agreement=0.0, margin=4.3)
"""When no vectors are there."""

UNKNOWN = Confidence(bias=-1.9, similarity=0.0, coverage=2.5, agreement=1.3, margin=3.0)
"""For an embedder we have not fitted: how similar its unrelated texts are is not known, so cosine stays out."""

FITTED = {
    "recollect-30m": Confidence(
        bias=-4.26, similarity=3.94, coverage=0.49, agreement=1.03, margin=0.0, lead=4.37, background=0.5
    ),
    "granite": Confidence(bias=-9.2, similarity=10.5, coverage=2.5, agreement=1.3, margin=0.4),
    "multilingual": Confidence(bias=-2.22, similarity=3.9, coverage=0.91, agreement=0.49, margin=0.0),
    "hashing": Confidence(bias=-4.0, similarity=3.0, coverage=6.0, agreement=0.5, margin=0.5),
}


def model_for(embedder: str | None) -> Confidence:
    return LEXICAL if embedder is None else FITTED.get(embedder, UNKNOWN)
