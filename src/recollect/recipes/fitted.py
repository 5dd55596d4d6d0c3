"""A confidence model that was fitted for one store, as saved in the store's settings."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from .confidence import Confidence

SETTING = "confidence"
"""The key in the store's settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The model, the thresholds that go with it, and what it was fitted on."""

    model: Confidence
    fingerprint: str
    """The embedder's. Vectors of another embedder need another model."""
    tau: float
    """Threshold on confidence."""
    similarity_tau: float | None
    """Threshold on the best cosine, for recipes with MemX's rules."""
    auroc: float
    calibration_error: float
    examples: int
    judged_by: str = ""
    """The name of the built-in model that it replaces: the reader's if questions were read, else the embedder's. Empty
    if an older version fitted it, always for the embedder."""

    def dumps(self) -> str:
        return json.dumps(asdict(self))


def loads(setting: str | None) -> Fitted | None:
    """The saved model, or None if there is none or it can't be read. The built-in model is then used."""
    try:
        data = json.loads(setting or "null")
        return Fitted(**{**data, "model": Confidence(**data["model"])}) if data else None
    except (ValueError, TypeError, KeyError):
        return None


def load_fitted(setting: str | None, fingerprint: str | None = None) -> Fitted | None:
    """The model that was fitted for this embedder, or None."""
    found = loads(setting)
    return None if found is None or (fingerprint is not None and found.fingerprint != fingerprint) else found
