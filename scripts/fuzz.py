"""Looks for inputs that end in a traceback, guided by the code they reach (atheris). Needs `pip install --group fuzz`.

    python scripts/fuzz.py                   every target for a minute
    python scripts/fuzz.py filters 600       one target for ten minutes

What a target found is written to tests/fuzz/corpus/TARGET/, named by its digest: mend it and keep the file.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FUZZ = Path(__file__).resolve().parents[1] / "tests" / "fuzz"
SECONDS = 60
LONGEST_BYTES = 2_000


def main() -> int:
    if sys.argv[1:2] == ["--here"]:
        run(sys.argv[2], sys.argv[3:])
        return 0
    given = [name for name in sys.argv[1:] if not name.isdigit()]
    seconds = next((name for name in sys.argv[1:] if name.isdigit()), str(SECONDS))
    names = given or sorted(folder.name for folder in (FUZZ / "corpus").iterdir())
    return max(_in_process(name, seconds) for name in names)


def _in_process(name: str, seconds: str) -> int:
    """A process for each target: the fuzzer ends its own. New inputs without a finding are not kept."""
    corpus = FUZZ / "corpus" / name
    with TemporaryDirectory() as new:
        options = [new, str(corpus), f"-max_total_time={seconds}", f"-max_len={LONGEST_BYTES}", "-rss_limit_mb=4096"]
        line = [sys.executable, __file__, "--here", name, *options, f"-artifact_prefix={corpus}/"]
        print(f"{name}: {seconds} s", flush=True)
        return subprocess.run(line, check=False).returncode


def run(name: str, options: list[str]) -> None:
    import atheris

    sys.path.insert(0, str(FUZZ))
    with atheris.instrument_imports(include=["recollect"]):
        from targets import TARGETS
    atheris.Setup([sys.argv[0], *options], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
