"""Asks whether a package of the lock file has a known vulnerability (pip-audit). Fails only if one has.

    python scripts/audit.py
    python scripts/audit.py --daily     not again on the same day, unless the lock file changes

The data come from the package index. Where it can't be reached, this says that nothing was audited.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

LOCK = Path(__file__).resolve().parents[1] / "requirements-dev.lock"
DONE = Path(sys.prefix) / "audited"
DAY_SECONDS = 24 * 3600
SECONDS = 300
"""What the index may take altogether."""


def main() -> int:
    if "--daily" in sys.argv and _is_fresh():
        return 0
    found = asked([str(Path(sys.executable).with_name("pip-audit"))])
    print(found if isinstance(found, str) else "\n".join(report(found)))  # noqa: T201
    if not isinstance(found, str) and vulnerable(found):
        return 1
    DONE.touch()
    return 0


def _is_fresh() -> bool:
    done = DONE.stat().st_mtime if DONE.exists() else 0.0
    return done > max(LOCK.stat().st_mtime, time.time() - DAY_SECONDS)


def asked(tool: list[str]) -> list[dict[str, Any]] | str:
    """The packages as pip-audit found them, or why there is no answer."""
    options = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
    try:
        done = subprocess.run(
            [*tool, *options, "--requirement", str(LOCK)], capture_output=True, text=True, check=False, timeout=SECONDS
        )
        return list(json.loads(done.stdout)["dependencies"])
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"not audited: {error}"
    except (ValueError, KeyError):
        return f"not audited: {(done.stderr.strip().splitlines() or ['pip-audit gave no answer'])[-1]}"


def vulnerable(packages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [package for package in packages if package.get("vulns")]


def report(packages: list[dict[str, Any]]) -> list[str]:
    """What to print: a line for each vulnerability, and how many packages were looked up."""
    flaws = [(package, each) for package in vulnerable(packages) for each in package["vulns"]]
    lines = [
        f"{package['name']} {package['version']}: {each['id']}, fixed in {', '.join(each['fix_versions']) or 'none'}"
        for package, each in flaws
    ]
    known = [package for package in packages if "skip_reason" not in package]
    if not known:
        return ["not audited: the package index knows none of these packages, or is not the public one"]
    unknown = f"; {len(packages) - len(known)} are unknown to the index" if len(known) < len(packages) else ""
    return [*lines, f"{len(known)} packages audited, {len(vulnerable(packages))} vulnerable{unknown}"]


if __name__ == "__main__":
    sys.exit(main())
