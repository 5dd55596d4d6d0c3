"""Compares the passages of one question: is the answer among them?

Two small attention layers over one row per passage. A row is what the reader's last layer says of the passage's best
piece, its log-odds, its age and its place in the ranking. An extra row collects what the passages say together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..embedders.granite_pack import Floats

LAYERS, HEADS = 2, 4
LOG_ODDS_SCALE = 4.0
"""Log-odds are divided by this, so that all inputs are about as large."""
EPSILON = 1e-5
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
"""Abramowitz and Stegun, 7.1.26: erf within 1.5e-7."""


class Comparison:
    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self._weights = weights

    def among(self, first: Floats, log_odds: Floats, features: Floats) -> float:
        """The log-odds that one of the passages answers: `first` (passages, 384), `log_odds` (passages, 2)."""
        rows = self._linear("inp", np.concatenate([first, features, log_odds / LOG_ODDS_SCALE], axis=1))
        rows = np.concatenate([self._weights["null"][None], rows])
        for number in range(LAYERS):
            rows = self._layer(f"layers.{number}", rows)
        return float(self._linear("none", self._norm("norm", rows[:1]))[0, 0])

    def _layer(self, name: str, rows: Floats) -> Floats:
        rows = rows + self._linear(f"{name}.o", self._attended(name, self._norm(f"{name}.n1", rows)))
        wide = _gelu(self._linear(f"{name}.f1", self._norm(f"{name}.n2", rows)))
        return rows + self._linear(f"{name}.f2", wide)

    def _attended(self, name: str, rows: Floats) -> Floats:
        count, width = rows.shape
        parts = self._linear(f"{name}.qkv", rows).reshape(count, 3, HEADS, width // HEADS)
        query, key, value = parts.transpose(1, 2, 0, 3)
        weights = _softmax(query @ key.transpose(0, 2, 1) / math.sqrt(width // HEADS))
        joined: Floats = (weights @ value).transpose(1, 0, 2).reshape(count, width)
        return joined

    def _linear(self, name: str, rows: Floats) -> Floats:
        found: Floats = rows @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return found

    def _norm(self, name: str, rows: Floats) -> Floats:
        centred = rows - rows.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON)
        found: Floats = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return found


def _softmax(rows: Floats) -> Floats:
    raised = np.exp(rows - rows.max(axis=-1, keepdims=True))
    found: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return found


def _gelu(rows: Floats) -> Floats:
    found: Floats = 0.5 * rows * (1 + _erf(rows / math.sqrt(2)))
    return found


def _erf(rows: Floats) -> Floats:
    t = 1 / (1 + 0.3275911 * np.abs(rows))
    sum_ = t * (_ERF[0] + t * (_ERF[1] + t * (_ERF[2] + t * (_ERF[3] + t * _ERF[4]))))
    return (np.sign(rows) * (1 - sum_ * np.exp(-np.square(rows)))).astype(np.float32)
