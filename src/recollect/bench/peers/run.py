"""Runs the same work on recollect and on other libraries, one after another, each in processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..speed.clock import Took
from . import environment, task
from .environment import CantRun
from .figures import Measured, Searched, Sized
from .packages import OURS, Peer

WORKER = Path(__file__).with_name("worker.py")
QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "OPENAI_API_KEY": "unused",
}
"""Nothing is reported and no model is fetched. mem0 wants a key even if no model is asked."""
PATIENCE = 4
"""A process is ended after so many times the processor time of the job: other programs may be running too."""
Say = Callable[[str], None]


def measure(sizes: Sequence[int], out: Path, cache: Path, say: Say, peers: Sequence[Peer]) -> list[Sized]:
    out.mkdir(parents=True, exist_ok=True)
    out, cache = out.resolve(), cache.resolve()
    pythons = dict(_environments(peers, cache, say))
    return [_sized(size, pythons, out, say) for size in sizes]


def _environments(peers: Sequence[Peer], cache: Path, say: Say) -> Iterator[tuple[Peer, Path | CantRun]]:
    yield OURS, Path(sys.executable)
    for peer in peers:
        say(f"{peer.name}: installing {', '.join(peer.packages)}, unless it is in {cache}")
        try:
            yield peer, environment.make(peer, cache)
        except CantRun as reason:
            say(f"{peer.name}: {reason}")
            yield peer, reason


def _sized(size: int, pythons: dict[Peer, Path | CantRun], out: Path, say: Say) -> Sized:
    with TemporaryDirectory(dir=out, prefix="job-") as place:
        found = Sized(size=size, scan=task.write(size, Path(place)))
        for peer, python in pythons.items():
            one = _measured(peer, python, size, Path(place))
            say(f"{size:,} {peer.name}: {'; '.join(_said(one))}")
            found.measured.append(one)
    return found


def _said(one: Measured) -> Iterator[str]:
    if one.rows:
        yield f"{one.added_per_second:,.0f} texts/s added"
    for found in one.searches:
        yield f"recall by {found.kind} {found.spread.cpu_p50:,.1f} ms"
    if one.reason:
        yield one.reason


def _measured(peer: Peer, python: Path | CantRun, size: int, folder: Path) -> Measured:
    blank = Measured(name=peer.name, version=_version(peer), about=peer.about)
    if isinstance(python, CantRun):
        return replace(blank, reason=str(python))
    with TemporaryDirectory(dir=folder, prefix="own-") as place:
        own = Path(place)
        for file in ("job.json", "vectors.npy", "questions.npy", "tenth.npy"):
            (own / file).hardlink_to(folder / file)
        return _one(peer, python, size, own, blank)


def _one(peer: Peer, python: Path, size: int, folder: Path, blank: Measured) -> Measured:
    """Figures of a library. If one of its processes fails, those before it stay, with the reason."""
    found: dict[str, Any] = {}
    reason = ""
    try:
        found |= (stored := _phase("add", peer, python, size, folder))
        found["disk_mb"] = _disk_mb(folder / "store")
        if stored["add"]["rows"] < size:
            raise CantRun(f"stored {stored['add']['rows']:,} in {task.seconds(size):,.0f} s, so it was not asked")
        if "searches" not in stored:
            found |= _phase("ask", peer, python, size, folder)
    except CantRun as failed:
        reason = str(failed)
    return _figures(found, blank, reason)


def _figures(found: dict[str, Any], blank: Measured, reason: str) -> Measured:
    added, first = found.get("add", {}), found.get("first_ms")
    return replace(
        blank,
        rows=added.get("rows", 0),
        add_wall_ms=added.get("wall_ms", 0.0),
        add_cpu_ms=added.get("cpu_ms", 0.0),
        import_ms=found.get("import_ms", 0.0),
        first=Took(first["wall"], first["cpu"]) if first else None,
        memory_mb=found.get("memory_mb", 0.0),
        disk_mb=found.get("disk_mb", 0.0),
        searches=[Searched.of(search) for search in found.get("searches", [])],
        reason=reason,
    )


def _phase(phase: str, peer: Peer, python: Path, size: int, folder: Path) -> dict[str, Any]:
    command = [str(python), str(WORKER), str(folder), peer.store, peer.variant, phase]
    limit = task.seconds(size) * PATIENCE
    environ = {**os.environ, **QUIET, "HOME": str(folder), "USERPROFILE": str(folder)}
    if peer is not OURS:
        environ.pop("PYTHONPATH", None)
    try:
        done = subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, timeout=limit, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise CantRun(f"could not {phase}: {_shortened(failed, limit)}") from failed
    if done.returncode:
        raise CantRun(f"could not {phase}: {environment.reason(done)}")
    result: dict[str, Any] = json.loads((folder / f"{phase}.json").read_text(encoding="utf-8"))
    return result


def _shortened(failed: OSError | subprocess.TimeoutExpired, limit: float) -> str:
    return f"not done after {limit:,.0f} s" if isinstance(failed, subprocess.TimeoutExpired) else str(failed)


def _version(peer: Peer) -> str:
    from ... import __version__

    return peer.version or __version__


def _disk_mb(folder: Path) -> float:
    files = [folder] if folder.is_file() else [each for each in folder.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files if each.exists()) / 1e6
