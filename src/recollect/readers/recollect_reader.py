"""`recollect-reader`: granite's layers, trained to say whether a memory answers a question.

A pair is read as `<s> question </s> speaker, month, age: text </s>`. The word table comes from granite's own file; the
layers and the two outputs come from `recollect-reader.npz`. docs/model-card.md describes the training.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import EmbedderUnavailable
from .protocol import Passage, Reading

if TYPE_CHECKING:
    from .reader_run import PairEncoder

NAME = "recollect-reader"
FILE = Path(__file__).parent / f"{NAME}.npz"
SHA256 = ""
MONTHS = "January February March April May June July August September October November December".split()
_LOADING = threading.Lock()


class RecollectReader:
    name = NAME
    fingerprint = f"{NAME}@{SHA256[:8]}"

    def reads(self, question: str) -> bool:
        return True

    def read(self, question: str, passages: Sequence[Passage], asked_at: datetime) -> list[Reading]:
        if not passages:
            return []
        from ..text.chinese_to_english import translate_chinese

        told = [translate_chinese(described(passage, asked_at)) for passage in passages]
        rows = _loaded().logits(translate_chinese(question), told)
        return [Reading(answers=float(answers), concerns=float(concerns)) for answers, concerns in rows]


def described(passage: Passage, asked_at: datetime) -> str:
    """The passage with its speaker, its month and its age in words: the form that the model was trained on."""
    said = passage.said_at
    return f"{passage.speaker}, {MONTHS[said.month - 1]} {said.year}, {age((asked_at - said).days)}: {passage.text}"


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
        return _encoder()


@cache
def _encoder() -> PairEncoder:
    """Loaded once per process and shared by all stores."""
    from ..embedders import granite_pack
    from .reader_run import PairEncoder

    return PairEncoder(granite_pack.read(), granite_pack.checked(FILE, SHA256, _unavailable))


def _unavailable(what: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(f"the reader's file {what}; run: pip install --force-reinstall --no-deps recollect")
