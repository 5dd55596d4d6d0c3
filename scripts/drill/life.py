"""Restores, forks and clocks."""

from __future__ import annotations

import random
from pathlib import Path

from recollect.cli.restore_backup import replace_store
from recollect.errors import InvalidInput

from .kills import in_child
from .stores import AT, content, copied, opened, verify
from .tally import Problems, Tally


def restored(original: Path, folder: Path, chosen: random.Random, rounds: int) -> Tally:
    """Backup, damage, restore: the store has the content of the backup again."""
    tally = Tally("backup, damage, restore")
    for n in range(rounds):
        path = copied(original, folder / str(n))
        with opened(path) as mind:
            mind.remember(f"Restored note {n}", at=AT)
            expected = content(mind)
            mind.backup(saved := path.with_name("saved.backup"))
        data = bytearray(path.read_bytes())
        for _ in range(40):
            data[chosen.randrange(len(data))] ^= 0xFF
        path.write_bytes(data)
        replace_store(path, saved, force=True)
        problems = verify(path)
        with opened(path) as mind:
            if content(mind) != expected:
                problems.lost.append("the restored store differs from the backup")
        tally.count(problems)
    return tally


def forked(original: Path, folder: Path, rounds: int) -> Tally:
    """A process opens a store and forks; both write."""
    tally = Tally("fork with an open store, both write")
    for n in range(rounds):
        path = copied(original, folder / str(n))
        told = [f"Forked note {who} {number}" for who in ("parent", "child") for number in range(3)]
        with opened(path) as mind:
            mind.remember("Opened before the fork")
            status = in_child(lambda mind=mind: [mind.remember(f"Forked note child {number}") for number in range(3)])
            for number in range(3):
                mind.remember(f"Forked note parent {number}")
        problems = verify(path, [*told, "Opened before the fork"])
        if status:
            problems.tracebacks.append(f"the child ended with {status}")
        tally.count(problems)
    return tally


def jumped(original: Path, folder: Path) -> Tally:
    """The clock jumps: years ahead, years back, before 1970."""
    tally = Tally("clock jumps")
    for n, at in enumerate(("2099-01-01", "2030-06-01", "1999-12-31", "1970-01-01", "1901-01-01", "9998-12-31")):
        path = copied(original, folder / str(n))
        problems, refused = Problems(), False
        with opened(path) as mind:
            strengths = {memory.id: memory.strength for memory in mind.list()}
            mind.remember(f"Told at {at}", at=at)
            try:
                mind.tend(at=at)
            except InvalidInput:
                refused = True
                after = {memory.id: memory.strength for memory in mind.list() if memory.id in strengths}
                problems.lost += [f"strength of {id}" for id in after if after[id] != strengths[id]]
            mind.recall("where is parcel 3?", at=at)
        checked = verify(path, [f"Told at {at}"])
        problems.lost += checked.lost
        problems.unsound += checked.unsound
        problems.tracebacks += checked.tracebacks
        tally.count(problems, detected=refused)
    return tally
