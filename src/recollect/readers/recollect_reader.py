"""`recollect-reader`: granite's layers, trained to say whether a memory answers a question.

A pair is read as `<s> question </s> speaker, month, age: text </s>`. A text is read in pieces, and the
best piece counts. Then all passages are compared (comparison.py). The word table comes from granite's own file; all
other weights come from `recollect-reader.npz`. docs/model-card.md describes the training.
"""

from __future__ import annotations

import math
import os
import re
import threading
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..embedders.granite import disable_telemetry
from ..errors import EmbedderUnavailable
from ..extras import reinstall_command
from ..text.excerpt import pieces
from ..text.sentences import LONGEST_SENTENCE, sentences
from .protocol import Passage, Reading, Readings

if TYPE_CHECKING:
    from ..embedders.granite_pack import Floats
    from .reader_run import PairEncoder

NAME = "recollect-reader"
FILE = Path(__file__).parent / f"{NAME}.npz"
SHA256 = "56a4689b713ca27b47760d4f1ad9a565dd934f65eac915e88afb8d2fbef00ba5"
MONTHS = "January February March April May June July August September October November December".split()
PIECE_CHARS = 150
BEFORE_CHARS = 80
CHINESE_SHARE = 3
"""A Chinese character says about as much as three letters."""
SAME_DAYS = 0.01
"""Passages told within this time of each other are equally new."""
AGE_SCALE, RANK_SCALE = 6.0, 20.0
LEAST_STANDING = 0.05
SECONDS_PER_DAY = 86_400
_HAN = re.compile("[\u4e00-\u9fff]")
_LOADING = threading.Lock()


class RecollectReader:
    name = NAME
    fingerprint = f"{NAME}@{SHA256[:8]}"

    def read(self, question: str, passages: Sequence[Passage], asked_at: datetime) -> Readings:
        from ..text.chinese_to_english import translate_chinese

        parts = [(n, part) for n, passage in enumerate(passages) for part in described(passage, asked_at)]
        encoder = _loaded()
        rows = encoder.read(translate_chinese(question), [translate_chinese(part) for _, part in parts])
        starts = _starts([n for n, _ in parts])
        log_odds = np.maximum.reduceat(rows.log_odds, starts)
        answers = np.split(rows.log_odds[:, 0], starts[1:])
        best = [start + int(piece.argmax()) for start, piece in zip(starts, answers, strict=True)]
        return Readings(
            each=tuple(Reading(answers=answers, concerns=concerns) for answers, concerns in log_odds.tolist()),
            among=encoder.comparison.among(rows.first[best], log_odds, features(passages, asked_at)),
            current=float(rows.intents[0]),
        )


def _starts(owners: Sequence[int]) -> list[int]:
    """Where the pieces of each passage begin."""
    return [at for at, owner in enumerate(owners) if at == 0 or owners[at - 1] != owner]


def features(passages: Sequence[Passage], asked_at: datetime) -> Floats:
    """What the comparison knows of each passage beside its text: the form that the model was trained on."""
    days = np.array([_days(passage, asked_at) for passage in passages])
    newer = (days[None] < days[:, None] - SAME_DAYS).mean(axis=1)
    older = (days[None] > days[:, None] + SAME_DAYS).mean(axis=1)
    columns = [
        np.log1p(np.maximum(days, 0)) / AGE_SCALE,
        newer,
        older,
        [passage.ranked for passage in passages],
        np.arange(len(passages)) / RANK_SCALE,
        [math.log(max(passage.standing, LEAST_STANDING)) for passage in passages],
        [float(passage.said_at is not None) for passage in passages],
        [float(passage.speaker == "user") for passage in passages],
        [float(passage.speaker == "assistant") for passage in passages],
    ]
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def _days(passage: Passage, asked_at: datetime) -> float:
    return 0.0 if passage.said_at is None else (asked_at - passage.said_at).total_seconds() / SECONDS_PER_DAY


def described(passage: Passage, asked_at: datetime | None) -> list[str]:
    """The passage in pieces of a sentence or two, each with the speaker, the month and its age in words: the form that
    the model was trained on. A message often holds the answer in one sentence and other matter in the rest. A message
    of one piece is read with the end of the message before it, which may be the question that it answers."""
    share = CHINESE_SHARE if _HAN.search(passage.text) else 1
    parts = pieces(passage.text, PIECE_CHARS // share)
    before = _end(passage.before, BEFORE_CHARS // share) if len(parts) == 1 else ""
    who = f"{passage.speaker}{_when(passage.said_at, asked_at)}" + (f', to "{before}"' if before else "")
    return [f"{who}: {part}" for part in parts]


def _end(text: str, most_chars: int) -> str:
    """The last sentence, or its last words."""
    found = [sentence for _, sentence in sentences(text[-LONGEST_SENTENCE:]) if sentence.strip()]
    last = " ".join(found[-1].split()) if found else ""
    if len(last) <= most_chars:
        return last
    first_word, _, others = last[-most_chars:].partition(" ")
    return others or first_word


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
    return EmbedderUnavailable(f"the reader's file {what}; run: {reinstall_command()}")
