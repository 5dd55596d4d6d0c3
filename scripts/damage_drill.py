"""Damages copies of a store in many seeded ways and prints what `check` and `recover` made of each, as a table.

Usage: python scripts/damage_drill.py [CASES]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import damage  # noqa: E402

OUTCOMES = ("detected", "harmless", "undetected", "lost")


def main(count: int) -> int:
    tally: Counter[tuple[str, str]] = Counter()
    with TemporaryDirectory() as name:
        folder = Path(name)
        original = folder / "original.db"
        damage.make(original)
        before, where = damage.content(original), damage.places(original)
        for case in damage.cases(count):
            outcome, missing = damage.tried(case, original, before, where, folder)
            tally[case.kind, outcome] += 1
            tally[case.kind, "lost"] += len(missing)
            if outcome == "undetected" or missing:
                print(case, outcome, sorted(missing))  # noqa: T201
    _print(tally)
    return sum(tally[kind, bad] for kind in damage.KINDS for bad in ("undetected", "lost"))


def _print(tally: Counter[tuple[str, str]]) -> None:
    print(f"| damage | cases | {' | '.join(OUTCOMES[:3])} | sound rows lost |\n|---|---|---|---|---|---|")  # noqa: T201
    for kind in damage.KINDS:
        numbers = [tally[kind, outcome] for outcome in OUTCOMES]
        print(f"| {kind} | {sum(numbers[:3])} | {' | '.join(map(str, numbers))} |")  # noqa: T201


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 405) else 0)
