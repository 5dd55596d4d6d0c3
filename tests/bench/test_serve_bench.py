"""The load run, in small: a real server process, eight clients, three seconds."""

import re
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench" / "serve.py"


def test_eight_clients_at_once_see_no_error(tmp_path):
    sizes = ["--memories", "300", "--clients", "8", "--seconds", "3", "--thinking-seconds", "0.1"]
    line = [sys.executable, str(BENCH), *sizes, "--embedder", "hashing", "--out", str(tmp_path)]
    said = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert re.search(r"^errors +0 ", said.stdout, re.MULTILINE), said.stdout + said.stderr
    assert {"8 clients: recall", "8 clients: remember", "growth over the second half"} <= names(said.stdout)


def names(table):
    return {re.split(r"  | \(", line)[0] for line in table.splitlines()}
