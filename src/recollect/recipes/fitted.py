"""A confidence model fitted for one store, as its settings keep it."""

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
    """Of the embedder; another one's vectors need another model."""
    tau: float
    """On confidence."""
    similarity_tau: float | None
    """On the best similarity, for recipes with MemX's rules."""
    auroc: float
    calibration_error: float
    examples: int

    def dumps(self) -> str:
        return json.dumps(asdict(self))


def loads(setting: str | None) -> Fitted | None:
    """None for no setting, or one that can't be read: the product's own model then holds."""
    try:
        data = json.loads(setting or "null")
        return Fitted(**{**data, "model": Confidence(**data["model"])}) if data else None
    except (ValueError, TypeError, KeyError):
        return None


def load_fitted(setting: str | None, fingerprint: str | None = None) -> Confidence | None:
    """The model to use in place of the built-in one, when it was fitted for this embedder."""
    found = loads(setting)
    if found is None or (fingerprint is not None and found.fingerprint != fingerprint):
        return None
    return found.model
