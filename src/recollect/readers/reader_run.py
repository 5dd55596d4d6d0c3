"""Runs the reader: a question and texts to log-odds."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..embedders.encodable import encodable
from ..embedders.granite_pack import Floats, Pack
from ..embedders.granite_run import FIRST_POSITION, session, tokenizer
from . import reader_graph
from .comparison import Comparison
from .reader_graph import DIM, INPUT, MASK

MAX_TOKENS = 96
"""Of a pair. A message of a conversation has about 60."""
MAX_QUESTION_TOKENS = 40
BATCH = 8
"""Pairs that run together: padded to the longest, so they are sorted by length."""
COMPARISON = "compare."
"""Names of the comparison's weights in the file begin with this."""
_START, _END = 0, 2
_MAX_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What the model says: one row per text, and the question alone."""

    first: Floats
    """The first position of the last layer."""
    log_odds: Floats
    """answers, concerns"""
    intents: Floats
    """The log-odds that the question asks for the present state, and for a former one."""


class PairEncoder:
    """A loaded model; safe to use from several threads."""

    def __init__(self, pack: Pack, weights: bytes) -> None:
        held = {name: np.asarray(values, np.float32) for name, values in load(weights).items()}
        self._words = pack.words
        self._positions = pack.weights["pos_emb"][FIRST_POSITION:] + held["type_emb"][0]
        self._second = held["type_two"]
        self._head = held["head.w"], held["head.b"]
        self._intents = held["intent.w"], held["intent.b"]
        self._tokenizer = tokenizer(pack)
        self._tokenizer.no_truncation()
        self.layers = 1 + max(int(name[1]) for name in held if name[0] == "l")
        self.comparison = Comparison(
            {name.removeprefix(COMPARISON): values for name, values in held.items() if name.startswith(COMPARISON)}
        )
        self._session = session(reader_graph.build(held, self.layers))

    def read(self, question: str, texts: Sequence[str]) -> Rows:
        """Reads the question with each text, and alone."""
        asked, *told = self._tokens([question, *texts])
        pairs = [pair(asked, text) for text in (*told, [])]
        first = np.empty((len(pairs), DIM), np.float32)
        for batch in _batches([len(ids) for ids, _ in pairs]):
            first[batch] = self._forward([pairs[n] for n in batch])
        return Rows(
            first=first[:-1],
            log_odds=_linear(first[:-1], self._head),
            intents=_linear(first[-1:], self._intents)[0],
        )

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        shown = [encodable(text, _MAX_CHARACTERS) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(shown, add_special_tokens=False)]

    def _forward(self, pairs: Sequence[tuple[list[int], int]]) -> Floats:
        longest = max(len(ids) for ids, _ in pairs)
        ids = np.ones((len(pairs), longest), np.int64)
        second = np.zeros((len(pairs), longest, 1), np.float32)
        mask = np.zeros((len(pairs), longest), np.int32)
        for row, (tokens, start) in enumerate(pairs):
            ids[row, : len(tokens)] = tokens
            second[row, start : len(tokens)] = 1
            mask[row, : len(tokens)] = 1
        embedded = self._words.rows(ids) + self._positions[:longest] + second * self._second
        (last,) = self._session.run(None, {INPUT: embedded, MASK: mask})
        first: Floats = last[:, 0]
        return first


def pair(question: Sequence[int], text: Sequence[int]) -> tuple[list[int], int]:
    """The tokens of a pair, and where the text begins."""
    asked = list(question[:MAX_QUESTION_TOKENS])
    told = text[: MAX_TOKENS - len(asked) - 3]
    return [_START, *asked, _END, *told, _END], len(asked) + 2


def load(content: bytes) -> dict[str, Floats]:
    """The weights of a reader's file. Matrices are int8 with one scale per row."""
    held = np.load(io.BytesIO(content))
    found = {name: held[name].astype(np.float32) for name in held.files if not name.endswith(".scale")}
    for name in held.files:
        if name.endswith(".scale"):
            found[name.removesuffix(".scale")] *= held[name].astype(np.float32)[:, None]
    return found


def _linear(rows: Floats, layer: tuple[Floats, Floats]) -> Floats:
    weights, bias = layer
    found: Floats = rows @ weights.T + bias
    return found


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    by_length = sorted(range(len(lengths)), key=lengths.__getitem__)
    yield from (by_length[start : start + BATCH] for start in range(0, len(by_length), BATCH))


__all__ = ["DIM", "PairEncoder", "load", "pair"]
