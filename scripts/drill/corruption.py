"""Damaged files: bits, pages, texts and vectors (`tests/damage.py`), and the log (`tests/damaged_log.py`)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from shutil import rmtree

import damage
import damaged_log

from .tally import Tally


def damaged(folder: Path, count: int) -> list[Tally]:
    """`survived` counts damage in unused space: everything reads back equal."""
    original = folder / "undamaged.db"
    damage.make(original)
    rows = (
        ("damage to the file (kinds: see below)", damage.cases(count)),
        ("damage to headers, misplaced pages", damage.cases(count // 3, damage.PLACES)),
    )
    return [*(_tried(what, cases, original, folder) for what, cases in rows), _log(folder, count // 3)]


def _tried(what: str, cases: Iterable[damage.Case], original: Path, folder: Path) -> Tally:
    tally = Tally(what)
    truth = damage.answers(original)  # counts its reads, so it comes first
    before, where = damage.content(original), damage.places(original)
    for case in cases:
        tally.tried += 1
        try:
            outcome, missing = damage.tried(case, original, before, where, folder)
            wrong = damage.answers(folder / "damaged.db") - truth
        except Exception as error:  # noqa: BLE001 - the drill counts these
            tally.tracebacks += 1
            tally.notes.append(f"{case}: {error!r}")
            continue
        tally.detected += outcome == "detected"
        tally.survived += outcome == "harmless"
        tally.undetected += outcome == "undetected"
        tally.notes += [f"{case}: undetected"] * (outcome == "undetected")
        tally.lost += len(missing)
        tally.undetected += len(wrong)
        tally.notes += [f"{case}: a wrong answer: {text!r}" for _, text in wrong]
    return tally


def _log(folder: Path, count: int) -> Tally:
    """`survived` counts logs that are read up to their end, or whose last commit looks like an interrupted one. A log
    that is cut off can't be told from a shorter one."""
    tally = Tally("damage to the write-ahead log")
    original, path = folder / "with-a-log" / "store.db", folder / "damaged-log" / "store.db"
    original.parent.mkdir()
    damaged_log.make(original)
    for seed in range(count):
        rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir()
        damaged_log.copy(original, path)
        kind = damaged_log.damage(path, seed)
        if kind == "cut":
            continue
        tally.tried += 1
        held, said = damaged_log.told(path)
        ends_early = len(held) < len(damaged_log.LETTERS) - 1
        tally.detected += said
        tally.survived += not said and not ends_early
        tally.undetected += (ends_early and not said) or held != damaged_log.LETTERS[: len(held)]
    return tally
