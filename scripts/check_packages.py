"""Builds the wheel and the source package twice, from two copies of the sources, and compares them byte for byte.

    python scripts/check_packages.py dist

SOURCE_DATE_EPOCH is the time of the last commit, unless it is given. The packages stay in the folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIRST_DAY = "1577836800"
"""2020-01-01, for sources without a repository."""


def epoch() -> str:
    asked = os.environ.get("SOURCE_DATE_EPOCH")
    last = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return asked or last.stdout.strip() or FIRST_DAY


def copied(to: Path) -> Path:
    """The files that git knows, as they are now, with the times of this copy."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, to / name)
    return to


def built(sources: Path, out: Path) -> dict[str, str]:
    """Name → digest of each package."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(sources)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SOURCE_DATE_EPOCH": epoch()})
    if done.returncode:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())}


def strangers(package: Path) -> list[str]:
    """Files of a source package that are not of the sources."""
    with tarfile.open(fileobj=BytesIO(package.read_bytes())) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames() if "/" in name]
    return [name for name in names if name != "PKG-INFO" and not (ROOT / name).exists()]


def main() -> None:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / name for name in ("one", "two")]
        first = built(copied(places[0]), out)
        second = built(copied(places[1]), Path(folder) / "again")
    for name, digest in first.items():
        print(f"{digest}  {name}")
    if first != second:
        raise SystemExit(f"not the same when built again: {second}")
    if extra := [name for package in out.glob("*.tar.gz") for name in strangers(package)]:
        raise SystemExit(f"the source package has files that are not of the sources: {extra[:5]}")
    print("built twice: the same")


if __name__ == "__main__":
    main()
