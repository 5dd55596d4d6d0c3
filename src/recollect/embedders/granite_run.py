"""Runs granite: texts to vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from .. import forks
from . import granite_graph
from .encodable import encodable
from .granite_graph import DIM, INPUT
from .granite_pack import Floats, Pack

MAX_TOKENS = 512
FIRST_POSITION = 2  # RoBERTa keeps 0 and 1 for padding
# The longest token of the vocabulary has 128 bytes, so later text is never read.
MAX_CHARACTERS = MAX_TOKENS * 128
# The fastest of 1 to 2048 on two cores: the activations of a layer still fit the cache.
BATCH_TOKENS = 256
_ONLY_ERRORS = 3


class Encoder:
    """A loaded model; safe to use from several threads."""

    def __init__(self, pack: Pack) -> None:
        self._words = pack.words
        # All tokens have the same type, so its vector is added to the positions once.
        self._positions = pack.weights["pos_emb"][FIRST_POSITION:] + pack.weights["type_emb"][0]
        self._tokenizer = tokenizer(pack)
        self._session = session(granite_graph.build(pack.weights))

    def embed(self, texts: Sequence[str]) -> Floats:
        tokens = self.tokens(texts)
        rows = np.empty((len(texts), DIM), np.float32)
        for batch in same_length_batches([len(ids) for ids in tokens]):
            rows[batch] = self._forward(np.array([tokens[index] for index in batch]))
        return rows

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch_fast([encodable(text, MAX_CHARACTERS) for text in texts])
        return [encoding.ids for encoding in encodings]

    def _forward(self, ids: np.ndarray[Any, np.dtype[np.int64]]) -> Floats:
        embedded = self._words.rows(ids) + self._positions[: ids.shape[1]]
        (first_tokens,) = self._session.run(None, {INPUT: embedded})
        vectors = first_tokens[:, 0]
        unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def tokenizer(pack: Pack) -> Tokenizer:
    made = Tokenizer.from_buffer(pack.tokenizer_json)
    made.enable_truncation(MAX_TOKENS)
    return made


def session(model: bytes) -> Any:  # noqa: ANN401 - onnxruntime has no types
    options = ort.SessionOptions()
    options.log_severity_level = _ONLY_ERRORS
    options.enable_mem_pattern = False  # it would keep a memory plan for every input length
    # threads that spin while they wait slow down other callers, and a batch takes twice as long
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    made = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    forks.watch_threads(made)
    return made


def same_length_batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Batches of indexes of texts with the same number of tokens, so that no padding is needed."""
    by_length = sorted(range(len(lengths)), key=lengths.__getitem__)
    for length, group in groupby(by_length, key=lengths.__getitem__):
        indexes = list(group)
        size = max(1, BATCH_TOKENS // length)
        yield from (indexes[start : start + size] for start in range(0, len(indexes), size))
