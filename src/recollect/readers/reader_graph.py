"""The ONNX graph of the reader: granite's layers with other weights, padded batches and int8 activations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..embedders import onnx_bytes as onnx
from ..embedders.granite_graph import DIM, INPUT, GraniteGraph
from ..embedders.granite_pack import Floats

MASK = "mask"


def build(weights: Mapping[str, Floats], layers: int) -> bytes:
    """An ONNX model with inputs `embedded` (texts, tokens, DIM) and `mask` (texts, tokens), output (texts, 1, DIM)."""
    return ReaderGraph(weights, layers).build()


class ReaderGraph(GraniteGraph):
    """Matrices are int8 with one scale per output. onnxruntime quantises the activations of a batch at run time, which
    takes about half the time of granite's groups of 64."""

    def __init__(self, weights: Mapping[str, Floats], layers: int) -> None:
        super().__init__(weights, layers)
        self.inputs.append(onnx.value(MASK, onnx.INT32, ["texts", "tokens"]))

    def mask(self) -> list[str]:
        return [MASK]

    def linear(self, rows: str, name: str, part: slice = slice(None)) -> str:
        values, scales = quantised(self.weights[f"{name}.w"][part])
        constants = [self.constant(np.ascontiguousarray(values.T)), self.constant(scales)]
        return self.contrib("DynamicQuantizeMatMul", [self.smoothed(rows, name), *constants])

    def smoothed(self, rows: str, name: str) -> str:
        """The rows with each channel divided by its `smooth` (SmoothQuant). The matrix in the file is multiplied by it.

        The product is the same, but no channel is so large that the others lose their digits in int8."""
        return self.add("Mul", [rows, self.constant(1 / self.weights[f"{name}.smooth"])])


def quantised(weights: Floats) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int8]], Floats]:
    """Symmetric int8 values, and one scale per row."""
    scales = (np.abs(weights).max(axis=1) / 127).astype(np.float32)
    return np.rint(weights / np.where(scales == 0, 1, scales)[:, None]).astype(np.int8), scales


__all__ = ["DIM", "INPUT", "MASK", "build", "quantised"]
