"""Seeded damage to a write-ahead log, beside a store whose last commits are only there."""

import random
import shutil
from pathlib import Path

from recollect import Recollect

LETTERS = [f"Letter {n} is in box {n * 31}" for n in range(8)]
KINDS = ("flip", "header of the log", "header of a page", "zeros", "noise", "cut")
FRAME = 24 + 4096
HEADER = 32


def make(path):
    """A store as a killed process leaves it: each letter is a commit in its log."""
    live = path.with_name("live.db")
    with Recollect(live, embedder="hashing") as mind:
        for letter in LETTERS:
            mind.remember(letter)
        copy(live, path)


def copy(old, new):
    for suffix in ("", "-wal"):
        shutil.copyfile(f"{old}{suffix}", f"{new}{suffix}")


def damage(path, seed):
    """Damages the log. Returns the kind."""
    log, chance, kind = Path(f"{path}-wal"), random.Random(seed), KINDS[seed % len(KINDS)]
    data = bytearray(log.read_bytes())
    start = HEADER + chance.randrange((len(data) - HEADER) // FRAME) * FRAME
    match kind:
        case "cut":
            del data[start:]
        case "zeros":
            data[start : start + 4096] = bytes(4096)
        case "noise":
            data[start + 100 : start + 164] = chance.randbytes(64)
        case _:
            begin, end = {"flip": (0, len(data)), "header of the log": (0, HEADER)}.get(kind, (start, start + 24))
            data[chance.randrange(begin, end)] ^= 1 << chance.randrange(8)
    log.write_bytes(data)
    return kind


def told(path):
    """The letters that the store still has, and whether it says that commits are missing."""
    with Recollect(path, embedder="hashing") as mind:
        held = [memory.text for memory in reversed(mind.list(limit=100))]
        return held, any("commits are missing" in finding.what for finding in mind.check())
