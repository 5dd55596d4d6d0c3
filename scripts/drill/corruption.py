"""Damaged files: bits, pages, texts and vectors (`tests/damage.py`)."""

from __future__ import annotations

from pathlib import Path

import damage

from .tally import Tally


def damaged(folder: Path, count: int) -> list[Tally]:
    """`survived` counts damage in unused space: everything reads back equal."""
    tally = Tally("damage to the file (kinds: see below)")
    original = folder / "undamaged.db"
    damage.make(original)
    before, where = damage.content(original), damage.places(original)
    for case in damage.cases(count):
        tally.tried += 1
        try:
            outcome, missing = damage.tried(case, original, before, where, folder)
        except Exception as error:  # noqa: BLE001 - the drill counts these
            tally.tracebacks += 1
            tally.notes.append(f"{case}: {error!r}")
            continue
        tally.detected += outcome == "detected"
        tally.survived += outcome == "harmless"
        tally.undetected += outcome == "undetected"
        tally.lost += len(missing)
    return [tally]
