"""`recollect-reader`: granite's layers, trained to say whether a memory answers a question.

A pair is read as `<s> question </s> speaker, month, age: text </s>`. A text is read in pieces, and the
best piece counts. The word table comes from granite's own file; the
layers and the two outputs come from `recollect-reader.npz`. docs/model-card.md describes the training.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..embedders.granite import disable_telemetry
from ..errors import EmbedderUnavailable
from ..text.excerpt import pieces
from .protocol import Passage, Reading

if TYPE_CHECKING:
    from .reader_run import PairEncoder

NAME = "recollect-reader"
FILE = Path(__file__).parent / f"{NAME}.npz"
SHA256 = "a23aad27d95cc5db18b336129dc28e736160eb123a47d766689dbf417b3f4e41"
MONTHS = "January February March April May June July August September October November December".split()
PIECE_CHARS = 150
CHINESE_SHARE = 3
"""A Chinese character says about as much as three letters."""
_HAN = re.compile("[\u4e00-\u9fff]")
_LEAST = -30.0
_LOADING = threading.Lock()


class RecollectReader:
    name = NAME
    fingerprint = f"{NAME}@{SHA256[:8]}"

    def read(self, question: str, passages: Sequence[Passage], asked_at: datetime) -> list[Reading]:
        from ..text.chinese_to_english import translate_chinese

        parts = [(n, part) for n, passage in enumerate(passages) for part in described(passage, asked_at)]
        if not parts:
            return []
        rows = _loaded().logits(translate_chinese(question), [translate_chinese(part) for _, part in parts])
        found = [Reading(answers=_LEAST, concerns=_LEAST)] * len(passages)
        for (n, _), (answers, concerns) in zip(parts, rows.tolist(), strict=True):
            found[n] = Reading(answers=max(answers, found[n].answers), concerns=max(concerns, found[n].concerns))
        return found


def described(passage: Passage, asked_at: datetime | None) -> list[str]:
    """The passage in pieces of a sentence or two, each with the speaker, the month and its age in words: the form that
    the model was trained on. A message often holds the answer in one sentence and other matter in the rest."""
    chars = PIECE_CHARS // CHINESE_SHARE if _HAN.search(passage.text) else PIECE_CHARS
    return [f"{passage.speaker}{_when(passage.said_at, asked_at)}: {piece}" for piece in pieces(passage.text, chars)]


def _when(said_at: datetime | None, asked_at: datetime | None) -> str:
    if said_at is None or asked_at is None:
        return ""
    return f", {MONTHS[said_at.month - 1]} {said_at.year}, {age((asked_at - said_at).days)}"


def age(days: int) -> str:
    """How long ago, in words."""
    if days <= 0:
        return "today"
    if days == 1:
        return "yesterday"
    if days < 14:
        return f"{days} days ago"
    if days < 60:
        return f"{days // 7} weeks ago"
    if days < 730:
        return f"{days // 30} months ago"
    return f"{days // 365} years ago"


def _loaded() -> PairEncoder:
    with _LOADING:
        return _encoder(os.getpid())


@cache
def _encoder(_process: int) -> PairEncoder:
    """Loaded once per process and shared by all stores. A forked child does not have the threads of its parent's."""
    disable_telemetry()
    try:
        from ..embedders import granite_pack
        from .reader_run import PairEncoder
    except ImportError as error:
        raise _unavailable(f"can't be used ({error})") from error
    return PairEncoder(granite_pack.read(), granite_pack.checked(FILE, SHA256, _unavailable))


def _unavailable(what: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(f"the reader's file {what}; run: pip install --force-reinstall --no-deps recollect")
