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


LEXICAL = Confidence(bias=-4.0, similarity=0.0, coverage=7.0, agreement=0.0, margin=1.0)
"""When no vectors are there."""

FITTED = {
    "granite": Confidence(bias=-9.0, similarity=10.0, coverage=4.0, agreement=1.0, margin=0.5),
    "hashing": Confidence(bias=-4.0, similarity=3.0, coverage=6.0, agreement=0.5, margin=0.5),
}


def model_for(embedder: str | None) -> Confidence:
    """The model for an embedder; one we have not fitted for borrows granite's."""
    return LEXICAL if embedder is None else FITTED.get(embedder, FITTED["granite"])
