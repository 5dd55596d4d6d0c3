"""A disk that fails: an injecting VFS of SQLite. I/O errors, short writes, failing syncs, and no room."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable
from pathlib import Path

import apsw

from recollect.errors import RecollectError

from .stores import AT, copied, opened, verify
from .tally import Tally

SYSTEM = apsw.vfs_names()[0]
"""SQLite's own VFS of this system."""
KINDS = ("I/O error on a write", "short write", "I/O error on a sync", "I/O error on a read", "no room for one write")


class Plan:
    """Which operation fails, and how."""

    def __init__(self, kind: str, at: int, lasting: bool = False) -> None:
        self.kind, self.at, self.lasting = kind, at, lasting
        self.is_over = False
        self.seen = 0
        self.failed = False

    def fails(self, operation: str) -> bool:
        wanted = "sync" if "sync" in self.kind else "read" if "read" in self.kind else "write"
        if operation != wanted or self.is_over:
            return False
        self.seen += 1
        now = self.seen == self.at or (self.lasting and self.seen > self.at)
        self.failed = self.failed or now
        return now


class File(apsw.VFSFile):
    def __init__(self, base: str, name: object, flags: list[int], plan: Plan) -> None:
        super().__init__(base, name, flags)
        self._plan = plan

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        if self._plan.fails("write"):
            if "room" in self._plan.kind:
                raise apsw.FullError("no room")
            if "short" in self._plan.kind:
                super().xWrite(data[: len(data) // 2], offset)
            raise apsw.IOError("injected")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._plan.fails("sync"):
            raise apsw.IOError("injected")
        super().xSync(flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        if self._plan.fails("read"):
            raise apsw.IOError("injected")
        return super().xRead(amount, offset)


class Disk(apsw.VFS):
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        super().__init__("drill", SYSTEM, makedefault=True)

    def xOpen(self, name: object, flags: list[int]) -> File:  # noqa: N802
        return File(SYSTEM, name, flags, self._plan)


def injected(original: Path, folder: Path, per_kind: int, step: int = 3) -> list[Tally]:
    """One operation fails at a time, at each of many points of a series of changes."""
    rows = []
    for kind in KINDS:
        tally = Tally(kind)
        for n in range(per_kind):
            path = copied(original, folder / f"{kind}-{n}".replace(" ", "-").replace("/", ""))
            _count(tally, path, Plan(kind, 1 + n * (1 if "sync" in kind else step)), series)
        rows.append(tally)
    return rows


def full(original: Path, folder: Path, rounds: int) -> Tally:
    """The disk is full from some write on; reading goes on, and with room again writing does too."""
    tally = Tally("disk full from some write on")
    for n in range(rounds):
        path = copied(original, folder / f"full-{n}")
        _count(tally, path, Plan("no room", 1 + 2 * n, lasting=True), series_with_room_again)
    return tally


def _count(tally: Tally, path: Path, plan: Plan, work: Callable[[Path, Plan, Said], None]) -> None:
    told = _in_child(path, plan, work)
    problems = verify(path, told["told"], told["gone"])
    problems.tracebacks += told["tracebacks"]
    problems.unsound += told["wrong"]
    if told["failed"] or problems.all:  # otherwise there was no such operation any more
        tally.count(problems, detected=bool(told["errors"]) and not problems.all)


class Said(dict[str, list[str]]):
    """What the child tells."""

    def __init__(self) -> None:
        super().__init__(told=[], gone=[], errors=[], tracebacks=[], wrong=[], failed=[])

    def attempt(self, what: Callable[[], object]) -> bool:
        try:
            what()
        except RecollectError as error:
            self["errors"].append(str(error))
            return False
        except Exception as error:  # noqa: BLE001 - the drill counts these
            self["tracebacks"].append(f"{error!r} {_where(error)}")
            return False
        return True


def series(path: Path, plan: Plan, said: Said) -> None:
    """A series of changes. Notes what was acknowledged."""
    made: list[object] = []
    if not said.attempt(lambda: made.append(opened(path))):
        return
    mind = made[0]
    for n in range(4):
        text = f"Injected note {n} in box {n * 31}"
        if said.attempt(lambda text=text: mind.remember(text, at=AT)):
            said["told"].append(text)
    victim = "Parcel 7 is on shelf 18"
    said.attempt(lambda: mind.forget(session_id="bees"))
    chosen = [memory for memory in _listed(mind, said) if memory.text == victim]
    if chosen and said.attempt(lambda: mind.purge(chosen[0].id)):
        said["gone"].append(victim)
    said.attempt(lambda: mind.tend(at=AT))
    said.attempt(mind.close)


def series_with_room_again(path: Path, plan: Plan, said: Said) -> None:
    made: list[object] = []
    if not said.attempt(lambda: made.append(opened(path))):
        return
    mind = made[0]
    for n in range(6):
        text = f"Injected note {n} in box {n * 31}"
        if said.attempt(lambda text=text: mind.remember(text, at=AT)):
            said["told"].append(text)
    before = len(said["errors"])
    said.attempt(lambda: mind.recall("where is parcel 3?"))
    said.attempt(lambda: mind.assemble("where is parcel 3?"))
    said["wrong"] += [f"reading failed: {error}" for error in said["errors"][before:]]
    plan.is_over = True
    text = "There is room again"
    if said.attempt(lambda: mind.remember(text, at=AT)):
        said["told"].append(text)
    else:
        said["wrong"].append("no write after there was room again")
    said.attempt(mind.close)


def _where(error: BaseException) -> str:
    """The last lines of code that the error passed."""
    return " < ".join(f"{Path(at.filename).name}:{at.lineno}" for at in traceback.extract_tb(error.__traceback__)[-6:])


def _listed(mind, said: Said) -> list:  # noqa: ANN001 - Recollect
    found: list[object] = []
    said.attempt(lambda: found.extend(mind.list()))
    return found


def _in_child(path: Path, plan: Plan, work: Callable[[Path, Plan, Said], None]) -> Said:
    answer = path.with_suffix(".said")
    pid = os.fork()
    if pid == 0:
        said = Said()
        try:
            if "sync" in plan.kind:
                os.environ["RECOLLECT_SYNCHRONOUS"] = "full"
            disk = Disk(plan)
            work(path, plan, said)
            said["failed"] += ["yes"] * plan.failed
            del disk
        except BaseException as error:  # noqa: BLE001 - the drill counts these
            said["tracebacks"].append(f"{error!r} {_where(error)}")
        answer.write_text(json.dumps(said))
        os._exit(0)
    os.waitpid(pid, 0)
    said = Said()
    said.update(json.loads(answer.read_text()) if answer.exists() else {"tracebacks": ["the child died"]})
    return said
