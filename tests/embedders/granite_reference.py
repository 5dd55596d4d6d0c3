"""Granite's forward pass as its paper has it: float32, one text, every step written out."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from recollect.embedders.granite_graph import DIM, HEADS, LAYER_NORM_EPS, LAYERS
from recollect.embedders.granite_pack import Floats, Pack
from recollect.embedders.granite_run import FIRST_POSITION

_ERF = np.frompyfunc(erf, 1, 1)


def forward(pack: Pack, ids: list[int]) -> Floats:
    """The unit vector of one text's tokens."""
    weights = pack.weights
    positions = weights["pos_emb"][FIRST_POSITION : FIRST_POSITION + len(ids)]
    hidden = pack.words.rows(np.array(ids)) + positions + weights["type_emb"][0]
    hidden = _norm(weights, "emb_ln", hidden)
    for layer in range(LAYERS):
        hidden = _layer(weights, f"l{layer}", hidden)
    return hidden[0] / np.linalg.norm(hidden[0])


def _layer(weights: dict[str, Floats], name: str, hidden: Floats) -> Floats:
    attended = _linear(weights, f"{name}.ao", _attention(_linear(weights, f"{name}.qkv", hidden)))
    middle = _norm(weights, f"{name}.aln", hidden + attended)
    wide = _gelu(_linear(weights, f"{name}.f1", middle))
    return _norm(weights, f"{name}.fln", middle + _linear(weights, f"{name}.f2", wide))


def _attention(qkv: Floats) -> Floats:
    query, key, value = (_heads(part) for part in np.split(qkv, 3, axis=1))
    scores = query @ key.transpose(0, 2, 1) / np.float32(sqrt(DIM // HEADS))
    shares = np.exp(scores - scores.max(axis=2, keepdims=True))
    shares /= shares.sum(axis=2, keepdims=True)
    return (shares @ value).transpose(1, 0, 2).reshape(-1, DIM)


def _heads(rows: Floats) -> Floats:
    return rows.reshape(-1, HEADS, DIM // HEADS).transpose(1, 0, 2)


def _linear(weights: dict[str, Floats], name: str, rows: Floats) -> Floats:
    return rows @ weights[f"{name}.w"].T + weights[f"{name}.b"]


def _norm(weights: dict[str, Floats], name: str, rows: Floats) -> Floats:
    centred = rows - rows.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + LAYER_NORM_EPS)
    return centred / spread * weights[f"{name}.w"] + weights[f"{name}.b"]


def _gelu(rows: NDArray[np.float32]) -> Floats:
    return rows * np.float32(0.5) * (1 + _ERF(rows / sqrt(2)).astype(np.float32))
