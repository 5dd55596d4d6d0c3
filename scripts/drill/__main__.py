"""Kills, damages and starves stores, and prints what survives as a table.

    python scripts/drill              about twenty minutes
    python scripts/drill --quick      about two minutes; part of the tests
    python scripts/drill --write      also writes the table into docs/durability.md

The same seed gives the same tries. Random moments of kills depend on the machine, though.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(ROOT / "tests")]

from drill import corruption, disk, kills, life, servers, stores  # noqa: E402
from drill.acts import ACTS  # noqa: E402
from drill.kills import in_child  # noqa: E402
from drill.tally import Tally, table  # noqa: E402

DOCS = ROOT / "docs" / "durability.md"
BEGIN, END = "<!-- drill: begin -->", "<!-- drill: end -->"
FEW_ACTS = ("remember", "forget", "purge")
Part = Callable[[], list[Tally]]


def parts(original: Path, folder: Path, seed: int, *, quick: bool) -> dict[str, Part]:
    chosen = random.Random(seed)  # each part makes its own, so it does not matter which parts run
    some = (lambda whole, few: few) if quick else (lambda whole, few: whole)
    return {
        "points": lambda: kills.at_every_point(original, folder / "points", chosen, some(14, 2)),
        "random": lambda: [kills.at_random(original, folder / "kills", chosen, some(120, 5))],
        "postgres": lambda: servers.postgres(original, chosen, some(40, 3), some(6, 1), some(tuple(ACTS), FEW_ACTS)),
        "server": lambda: servers.killed(original, folder / "server", chosen, some(6, 1)),
        "server points": lambda: servers.at_points_of_server(
            original, folder / "asked", chosen, some(3, 1), some(tuple(ACTS), FEW_ACTS)
        ),
        "traffic": lambda: servers.malformed(original, folder / "traffic"),
        "disk": lambda: disk.injected(original, folder / "disk", some(50, 4)),
        "full": lambda: [disk.full(original, folder / "full", some(45, 4))],
        "corruption": lambda: corruption.damaged(folder, some(405, 18)),
        "restore": lambda: [life.restored(original, folder / "restore", chosen, some(20, 2))],
        "forks": lambda: [life.forked(original, folder / "forks", some(20, 2))],
        "clocks": lambda: [life.jumped(original, folder / "clocks")],
    }


def main() -> int:
    given = _given()
    rows: list[Tally] = []
    with TemporaryDirectory() as name, ProcessPoolExecutor(given.jobs) as pool:
        original = Path(name) / "original" / "agent.db"
        original.parent.mkdir()
        in_child(lambda: stores.make(original))
        names = [part for part in parts(original, Path(name), 0, quick=True) if not given.only or part in given.only]
        for part, seconds, done in pool.map(partial(_done, original, given.seed, given.quick), names):
            rows += done
            print(f"{part}: {seconds:.0f} s", file=sys.stderr)  # noqa: T201
            for note in [note for row in done for note in row.notes][:20]:
                print(f"  {note[:300]}", file=sys.stderr)  # noqa: T201
    print(table(rows))  # noqa: T201
    if given.write:
        write(table(rows))
    return int(any(row.bad for row in rows))


def _done(original: Path, seed: int, quick: bool, part: str) -> tuple[str, float, list[Tally]]:
    began = time.monotonic()
    done = parts(original, original.parent.parent, seed, quick=quick)[part]()
    return part, time.monotonic() - began, done


def write(made: str) -> None:
    before, _, rest = DOCS.read_text().partition(BEGIN)
    DOCS.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.partition(END)[2]}")


def _given() -> argparse.Namespace:
    wanted = argparse.ArgumentParser(description="Kills, damages and starves stores.")
    wanted.add_argument("--seed", type=int, default=22)
    wanted.add_argument("--quick", action="store_true")
    wanted.add_argument("--write", action="store_true", help="write the table into docs/durability.md")
    wanted.add_argument("--jobs", type=int, default=2, help="parts at the same time")
    wanted.add_argument("--only", nargs="*", help="names of parts")
    return wanted.parse_args()


if __name__ == "__main__":
    sys.exit(main())
