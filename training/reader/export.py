"""Writes a trained reader as the package ships it: matrices in int8 with one scale per row, the rest in float16.

    python training/reader/export.py trained.0.npz trained.1.npz groups.jsonl.gz recollect-reader.npz

Of several trainings, the mean of the weights is taken.

A few channels of the activations are a hundred times as large as the others. Each matrix is therefore smoothed (Xiao et
al. 2023, SmoothQuant): a channel's input is divided, and its column multiplied, by a number that depends on how large
both become on the groups. Prints the sha256 that readers/recollect_reader.py has to name.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recollect.embedders import granite_pack
from recollect.embedders import onnx_bytes as onnx
from recollect.embedders.granite_run import session
from recollect.readers import reader_run
from recollect.readers.reader_graph import MASK, ReaderGraph, quantised

ALPHA = 0.85
"""How much of a channel's size moves into the matrix."""
SAMPLE, EVERY = 150, 15
"""That many groups, spread over the file."""


def named(trained: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """`l0_qkv_w` becomes `l0.qkv.w`, `emb_ln_w` becomes `emb_ln.w`. The comparison's names stay."""
    found = {}
    for name, values in trained.items():
        if name.startswith(reader_run.COMPARISON):
            found[name] = values.astype(np.float32)
            continue
        whole, _, last = name.rpartition("_")
        dotted = name if name.startswith("type") else f"{whole}.{last}"
        found[dotted.replace("_", ".", 1) if dotted[0] == "l" else dotted] = values.astype(np.float32)
    return found


class Recording(ReaderGraph):
    """The graph in float32, with the input of every matrix as a further output."""

    def __init__(self, weights: dict[str, np.ndarray], layers: int) -> None:
        super().__init__(weights, layers)
        self.rows: dict[str, str] = {}

    def linear(self, rows: str, name: str, part: slice = slice(None)) -> str:
        self.rows.setdefault(name, rows)
        return self.add("MatMul", [rows, self.constant(np.ascontiguousarray(self.weights[f"{name}.w"][part].T))])

    def outputs(self, last: str) -> list[bytes]:
        sizes = {name: self.weights[f"{name}.w"].shape[1] for name in self.rows}
        shown = [
            onnx.value(rows, onnx.FLOAT, ["texts", f"tokens_{name}", sizes[name]]) for name, rows in self.rows.items()
        ]
        return [*super().outputs(last), *shown]


class Maxima:
    """Stands in for the model's session and notes how large each channel becomes."""

    def __init__(self, weights: dict[str, np.ndarray], layers: int) -> None:
        graph = Recording(weights, layers)
        self._session = session(graph.build())
        self._names = list(graph.rows)
        self.found: dict[str, np.ndarray] = {}

    def run(self, _: None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        first, *rows = self._session.run(None, feed)
        mask = feed[MASK].astype(bool)
        for name, values in zip(self._names, rows, strict=True):
            told = values[mask] if values.shape[1] == mask.shape[1] else values[:, 0]
            self.found[name] = np.maximum(self.found.get(name, 0), np.abs(told).max(axis=0))
        return [first]


def maxima(weights: dict[str, np.ndarray], groups: Path) -> dict[str, np.ndarray]:
    ones = {
        f"{name[:-2]}.smooth": np.ones(v.shape[1], np.float32) for name, v in weights.items() if _is_matrix(name, v)
    }
    encoder = reader_run.PairEncoder(granite_pack.read(), _bytes(weights | ones))
    encoder._session = spy = Maxima(weights, encoder.layers)
    with gzip.open(groups, "rt", encoding="utf-8") as file:
        for line in itertools.islice(file, 0, SAMPLE * EVERY, EVERY):
            group = json.loads(line)
            encoder.read(group["question"], [piece for item in group["items"][:8] for piece in item["pieces"]])
    return spy.found


def smoothed(weights: dict[str, np.ndarray], largest: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    found = dict(weights)
    for name, most in largest.items():
        matrix = weights[f"{name}.w"]
        smooth = np.maximum(most, 1e-3) ** ALPHA / np.maximum(np.abs(matrix).max(axis=0), 1e-4) ** (1 - ALPHA)
        smooth = (smooth / np.median(smooth)).astype(np.float16).astype(np.float32)
        found[f"{name}.w"], found[f"{name}.smooth"] = matrix * smooth, smooth
    return found


def packed(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for name, values in weights.items():
        if _is_matrix(name, values):
            found[name], found[f"{name}.scale"] = quantised(values)
        else:
            found[name] = values.astype(np.float16)
    return found


def _is_matrix(name: str, values: np.ndarray) -> bool:
    return name[0] == "l" and values.ndim == 2


def _bytes(weights: dict[str, np.ndarray]) -> bytes:
    held = io.BytesIO()
    np.savez(held, **weights)
    return held.getvalue()


def mean(files: Sequence[str]) -> dict[str, np.ndarray]:
    """The mean of the weights of trainings that have a common beginning."""
    held = [np.load(file) for file in files]
    return {name: np.mean([each[name].astype(np.float32) for each in held], axis=0) for name in held[0].files}


def main(*given: str) -> None:
    *trained, groups, out = given
    weights = named(mean(trained))
    np.savez_compressed(out, **packed(smoothed(weights, maxima(weights, Path(groups)))))
    content = Path(out).read_bytes()
    print(f"{len(content) / 1e6:.1f} MB, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
