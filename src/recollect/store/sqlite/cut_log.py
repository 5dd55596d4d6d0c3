"""Notices that SQLite leaves out the end of a damaged write-ahead log.

SQLite reads a log up to the first page that does not fit its checksum, and writes the next commits over the rest. So
commits behind a damaged page would be lost without a word. One commit may be behind the end without any damage: that of
a process that was killed while it committed. Two that follow each other, or one behind a page that is not of this log,
can only be there if a page is damaged.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from glob import escape, glob
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..files import replacing
from ..values import Finding
from .connections import Database
from .file import WAL, beside
from .salvage.pages import DEFAULT_SIZE
from .salvage.wal import FRAME, HEADER, MAGIC, summed

_KEPT = f"{WAL}.damaged-"
_COMPARE = "compare the store with a backup, then delete the copy"


class _Log(NamedTuple):
    file: BinaryIO
    step: int
    order: str
    salts: tuple[int, ...] | None
    """Those of its frames. None if its header is damaged."""


class _Frame(NamedTuple):
    at: int
    commits: bool
    salts: tuple[int, ...]
    sums: tuple[int, int]


def set_aside(path: str, db: Database) -> None:
    """Called when a store was opened. Copies its log if commits in it are not read, and says so."""
    log = Path(beside(path, WAL))
    with suppress(OSError):  # there is no log
        if not (unread := unread_commits(log, _last_read(db))):
            return
        data = log.read_bytes()
        kept = Path(beside(path, f"{_KEPT}{data[16:24].hex()}"))
        if not kept.exists():
            with replacing(kept) as copy:
                copy.write_bytes(data)
        said = "%s: the write-ahead log is damaged, %d commits are missing. A copy of it is in %s: " + _COMPARE
        logging.getLogger("recollect").warning(said, path, unread, kept)


def copies(path: str) -> list[Path]:
    """The copies of damaged logs that are kept beside a store."""
    return [Path(kept) for kept in sorted(glob(f"{escape(beside(path, _KEPT))}*"))]


def findings(path: str) -> Iterator[Finding]:
    """No row is damaged, so they do not keep `repair` from mending other findings."""
    for kept in copies(path):
        what = f"the write-ahead log was damaged, commits are missing: {kept}"
        yield Finding(what=what, count=1, mend=_COMPARE, derived=True)


def _last_read(db: Database) -> int:
    """The number of the last frame that SQLite reads. SQLite is asked, because to open and close its `-shm` file here
    would give up the locks that this process has on it."""
    [(_, last, _)] = db.execute("PRAGMA wal_checkpoint(NOOP)").fetchall()
    return max(0, int(last))


def unread_commits(path: Path, last_read: int) -> int:
    """How many commits behind the last frame that is read were lost; 0 if it may be that of a killed process."""
    with path.open("rb") as opened:
        log = _opened(opened)
        frames = list(_frames(log, last_read))
        commits = sum(frame.commits for frame in frames)
        if log.salts is not None and _is_behind_a_gap(log, frames, last_read):
            return commits
        return _longest(log, frames) if commits > 1 else 0


def _is_behind_a_gap(log: _Log, frames: Sequence[_Frame], last_read: int) -> bool:
    """Whether a commit is behind a frame with other salts."""
    last = max((frame.at for frame in frames if frame.commits), default=0)
    held = sum(frame.at <= last for frame in frames)
    return held > 0 and last != HEADER.size + (last_read + held - 1) * log.step


def _longest(log: _Log, frames: Sequence[_Frame]) -> int:
    most, commits = 0, int(frames[0].commits)
    for before, frame in pairwise(frames):
        commits = commits * _follows(log, before, frame) + frame.commits
        most = max(most, commits)
    return most if most > 1 else 0


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def _opened(file: BinaryIO) -> _Log:
    data = _read(file, 0, HEADER.size).ljust(HEADER.size, b"\0")
    magic, _, size, _, *salts, first, second = HEADER.unpack(data)
    order = ">" if magic & 1 else "<"
    if magic & ~1 == MAGIC and summed(data[: HEADER.size - 8], order, (0, 0)) == (first, second):
        return _Log(file, FRAME.size + size, order, tuple(salts))
    return _Log(file, FRAME.size + DEFAULT_SIZE, "<" if sys.byteorder == "little" else ">", None)


def _frames(log: _Log, last_read: int) -> Iterator[_Frame]:
    """Frames from an earlier use of the log have other salts."""
    size = os.fstat(log.file.fileno()).st_size
    for at in range(HEADER.size + last_read * log.step, size - log.step + 1, log.step):
        _, commit, *salts, first, second = FRAME.unpack(_read(log.file, at, FRAME.size))
        if log.salts in (None, tuple(salts)):
            yield _Frame(at, commit > 0, tuple(salts), (first, second))


def _follows(log: _Log, before: _Frame, frame: _Frame) -> bool:
    data = _read(log.file, frame.at, log.step)
    sums = summed(data[FRAME.size :], log.order, summed(data[:8], log.order, before.sums))
    return (before.at + log.step, before.salts, sums) == (frame.at, frame.salts, frame.sums)
