"""Builds the ONNX graph of granite from its weights.

The graph is written node by node, with onnxruntime's fused operators: six RoBERTa layers from summed
embeddings to the first token's vector. Its matrices are int8 in groups of 64, as in the pack. Each row
of the activations is quantised in the same groups at run time, so a text's vector does not depend on
the other texts of its batch.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from . import onnx_bytes as onnx
from .granite_pack import GROUP, Floats, quantise

# The architecture of ibm-granite/granite-embedding-30m-english, from its header.
DIM = 384
LAYERS = 6
HEADS = 12
LAYER_NORM_EPS = 1e-12

INPUT = "embedded"
_INT8_ACTIVATIONS = 4  # MatMulNBits' accuracy_level: 0 and 1 would compute in float32
_UINT8_ZERO = np.uint8(0x80)  # MatMulNBits stores int8 shifted by 128
_QUERY, _KEY, _VALUE = (slice(start, start + DIM) for start in range(0, 3 * DIM, DIM))


def build(weights: Mapping[str, Floats]) -> bytes:
    """An ONNX model with input `embedded` (texts, tokens, DIM) and output (texts, 1, DIM)."""
    return GraniteGraph(weights).build()


class GraniteGraph:
    """Collects nodes and constants. Each method adds some and returns the name of its result."""

    def __init__(self, weights: Mapping[str, Floats], layers: int = LAYERS) -> None:
        self.weights = weights
        self.layers = layers
        self.nodes: list[bytes] = []
        self.constants: dict[str, NDArray[np.generic]] = {}
        self.inputs = [onnx.value(INPUT, onnx.FLOAT, ["texts", "tokens", DIM])]

    def build(self) -> bytes:
        hidden = self.add("LayerNormalization", [INPUT, *self.norm("emb_ln")], epsilon=LAYER_NORM_EPS)
        for layer in range(self.layers - 1):
            hidden = self.layer(f"l{layer}", hidden, queries=hidden)
        # Only the first token's vector is used, so the last layer computes no other.
        last = self.layer(f"l{self.layers - 1}", hidden, queries=self.first_token(hidden))
        return onnx.model(self.nodes, self.constants, self.inputs, self.outputs(last))

    def outputs(self, last: str) -> list[bytes]:
        return [onnx.value(last, onnx.FLOAT, ["texts", 1, DIM])]

    def layer(self, name: str, hidden: str, queries: str) -> str:
        attended = self.linear(self.attention(name, hidden, queries), f"{name}.ao")
        middle = self.add_and_norm(attended, queries, f"{name}.ao.b", f"{name}.aln")
        wide = self.contrib("BiasGelu", [self.linear(middle, f"{name}.f1"), self.vector(f"{name}.f1.b")])
        return self.add_and_norm(self.linear(wide, f"{name}.f2"), middle, f"{name}.f2.b", f"{name}.fln")

    def attention(self, name: str, hidden: str, queries: str) -> str:
        qkv = f"{name}.qkv"
        query, key = self.linear(queries, qkv, _QUERY), self.linear(hidden, qkv, _KEY)
        inputs = [query, key, self.linear(hidden, qkv, _VALUE), self.vector(f"{qkv}.b")]
        return self.contrib("MultiHeadAttention", [*inputs, *self.mask()], num_heads=HEADS)

    def mask(self) -> list[str]:
        """Empty: all texts of a batch have the same number of tokens."""
        return []

    def linear(self, rows: str, name: str, part: slice = slice(None)) -> str:
        """`rows` times the transposed matrix. The next operator adds the bias."""
        matrix = quantise(self.weights[f"{name}.w"][part])
        outputs, inputs = matrix.values.shape
        shifted = (matrix.values.view(np.uint8) ^ _UINT8_ZERO).reshape(outputs, -1, GROUP)
        constants = [self.constant(shifted), self.constant(matrix.scales)]
        shape = {"K": inputs, "N": outputs, "bits": 8, "block_size": GROUP}
        return self.contrib("MatMulNBits", [rows, *constants], **shape, accuracy_level=_INT8_ACTIVATIONS)

    def add_and_norm(self, new: str, old: str, bias: str, norm: str) -> str:
        inputs = [new, old, *self.norm(norm), self.vector(bias)]
        return self.contrib("SkipLayerNormalization", inputs, epsilon=LAYER_NORM_EPS)

    def first_token(self, hidden: str) -> str:
        start, stop, axis = (self.constant(np.array([number], np.int64)) for number in (0, 1, 1))
        return self.add("Slice", [hidden, start, stop, axis])

    def norm(self, name: str) -> list[str]:
        return [self.vector(f"{name}.w"), self.vector(f"{name}.b")]

    def vector(self, name: str) -> str:
        return self.constant(self.weights[name])

    def constant(self, values: NDArray[np.generic]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants[name] = values
        return name

    def contrib(self, op: str, inputs: list[str], **attributes: float) -> str:
        return self.add(op, inputs, onnx.CONTRIB, **attributes)

    def add(self, op: str, inputs: list[str], domain: str = "", **attributes: float) -> str:
        name = f"node_{len(self.nodes)}"
        self.nodes.append(onnx.node(op, inputs, [name], domain, **attributes))
        return name
