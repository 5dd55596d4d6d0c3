"""The short part of the drill: nothing acknowledged is lost or doubled, no damage is missed."""

import re
import subprocess
import sys
from pathlib import Path

DRILL = Path(__file__).parents[1] / "scripts" / "drill"
PARTS = 19
"""The rows of the table."""


def test_the_short_drill_loses_nothing_doubles_nothing_and_misses_no_damage():
    done = subprocess.run([sys.executable, str(DRILL), "--quick"], capture_output=True, text=True, timeout=900)
    rows = [re.split(r" *\| *", line.strip("| ")) for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == PARTS, done.stderr
    assert {
        what: numbers
        for what, *_, lost, doubled, missed, tracebacks in rows
        if (numbers := [lost, doubled, missed, tracebacks]) != ["0"] * 4
    } == {}, done.stderr
    assert done.returncode == 0
