"""Writes ONNX models without the onnx package.

A model is a protobuf message: a sequence of (field number, value) pairs. The field numbers are those of
onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

IR_VERSION = 8
OPSET = 17  # the first with LayerNormalization
CONTRIB = "com.microsoft"  # onnxruntime's own operators
CONTRIB_OPSET = 1

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7  # TensorProto.DataType
_DTYPES = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int32": INT32, "int64": INT64}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2  # AttributeProto.AttributeType


def model(
    nodes: Iterable[bytes], tensors: Mapping[str, NDArray[np.generic]], inputs: list[bytes], outputs: list[bytes]
) -> bytes:
    graph = b"".join(
        [
            *(_field(1, one) for one in nodes),
            _field(2, "granite"),
            *(_field(5, _tensor(name, values)) for name, values in tensors.items()),
            *(_field(11, one) for one in inputs),
            *(_field(12, one) for one in outputs),
        ]
    )
    return _field(1, IR_VERSION) + _opset("", OPSET) + _opset(CONTRIB, CONTRIB_OPSET) + _field(7, graph)


def node(op: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: float) -> bytes:
    return b"".join(
        [
            *(_field(1, name) for name in inputs),
            *(_field(2, name) for name in outputs),
            _field(4, op),
            *(_field(5, _attribute(name, value)) for name, value in attributes.items()),
            _field(7, domain),
        ]
    )


def value(name: str, dtype: int, dims: list[int | str]) -> bytes:
    """An input or output of the graph. A variable dimension is given by a name."""
    shape = b"".join(_field(1, _field(2 if isinstance(dim, str) else 1, dim)) for dim in dims)
    return _field(1, name) + _field(2, _field(1, _field(1, dtype) + _field(2, shape)))


def _opset(domain: str, version: int) -> bytes:
    return _field(8, _field(1, domain) + _field(2, version))


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, _ATTRIBUTE_INT)
    return _field(1, name) + _field(2, value) + _field(20, _ATTRIBUTE_FLOAT)


def _tensor(name: str, values: NDArray[np.generic]) -> bytes:
    dims = b"".join(_field(1, dim) for dim in values.shape)
    return dims + _field(2, _DTYPES[values.dtype.name]) + _field(8, name) + _field(9, values.tobytes())


def _field(number: int, content: float | str | bytes) -> bytes:
    """One protobuf field. Wire types: 0 varint, 2 bytes with their length, 5 a 32-bit float."""
    if isinstance(content, int):
        return _varint(number << 3) + _varint(content)
    if isinstance(content, float):
        return _varint(number << 3 | 5) + struct.pack("<f", content)
    data = content.encode() if isinstance(content, str) else content
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    """Seven bits per byte, lowest first. The high bit means that more bytes follow."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
