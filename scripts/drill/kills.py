"""SIGKILL: at every commit and rename of every verb, and at random moments of several writing processes."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import psycopg

from .stores import Content, content, copied, opened, verify
from .tally import Problems, Tally
from .verbs import RESULT, VERBS

MOST_POINTS = 400


def in_child(work: Callable[[], None]) -> int:
    """Runs the work in a forked process. Returns its exit status; minus the number of the signal that killed it."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException as error:  # noqa: BLE001 - the parent counts it
            os.write(2, f"child: {error!r}\n".encode())
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def dying_at(point: int) -> None:
    """This process kills itself at the n-th point: before or after a commit or a rename."""
    left = [point]

    def reached(*_: object) -> int:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    at_points(reached)


def at_points(reached: Callable[..., int]) -> None:
    """Calls a function before and after each commit and rename of this process."""

    def watch(connection: apsw.Connection) -> None:
        connection.set_commit_hook(lambda: bool(reached()))
        connection.set_wal_hook(reached)

    apsw.connection_hooks.append(watch)
    for name in ("rename", "replace", "link", "unlink"):
        setattr(os, name, _around(getattr(os, name), reached))
    own = psycopg.Connection.execute

    def execute(self: Any, query: Any, *more: Any, **named: Any) -> Any:  # noqa: ANN401 - psycopg's own
        return (_around(own, reached) if query == "COMMIT" else own)(self, query, *more, **named)

    psycopg.Connection.execute = execute  # type: ignore[method-assign]


def _around(own: Callable[..., object], reached: Callable[[], int]) -> Callable[..., object]:
    def call(*given: object, **named: object) -> object:
        reached()
        done = own(*given, **named)
        reached()
        return done

    return call


def at_every_point(original: Path, folder: Path, chosen: random.Random, most_per_verb: int) -> list[Tally]:
    """For each verb: killed at each of its points, then repeated. The result must be that of a run without a kill."""
    commits = Tally("SIGKILL at a commit or rename of each verb")
    for name, verb in VERBS.items():
        whole = copied(original, folder / f"{name}-whole")
        verb(whole)
        expected = _result(name, whole)
        for point in _points(name, original, folder, chosen, most_per_verb):
            path = copied(original, folder / f"{name}-{point}")
            if in_child(lambda path=path, point=point, verb=verb: (dying_at(point), verb(path))[1]) != -signal.SIGKILL:
                continue
            commits.count(_after(name, path, expected))
    return [commits]


def _points(name: str, original: Path, folder: Path, chosen: random.Random, most: int) -> Iterator[int]:
    """The points of a verb; some of them if there are many."""
    path = copied(original, folder / f"{name}-counted")
    return some_points(lambda: VERBS[name](path), chosen, most)


def some_points(work: Callable[[], object], chosen: random.Random, most: int) -> Iterator[int]:
    """Counts the points in a child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        count = [0]

        def reached(*_: object) -> int:
            count[0] += 1
            return 0

        try:
            at_points(reached)
            work()
        finally:
            os.write(writing, str(count[0]).encode())
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(writing)
    total = int(os.read(reading, 32) or b"0")
    os.close(reading)
    every = range(1, min(total, MOST_POINTS) + 1)
    return iter(sorted(chosen.sample(every, min(most, len(every)))))


def _after(name: str, path: Path, expected: Content) -> Problems:
    problems = verify(path)
    if problems.all:
        return problems
    try:
        VERBS[name](path)
        found = _result(name, path)
    except Exception as error:  # noqa: BLE001 - the drill counts these
        problems.tracebacks.append(f"{name} again: {error!r}")
        return problems
    problems.lost += [f"{name}: {what}" for what in (expected - found).elements()]
    problems.doubled += [f"{name}: {what}" for what in (found - expected).elements()]
    problems.unsound += verify(path).unsound
    return problems


def _result(name: str, path: Path) -> Content:
    with opened(path.with_name(RESULT[name]) if name in RESULT else path) as mind:
        return content(mind)


# At random ----------------------------------------------------------------------------------------


def at_random(original: Path, folder: Path, chosen: random.Random, rounds: int, writers: int = 3) -> Tally:
    """Some processes write to one store and are killed. What they acknowledged must be there, once."""
    tally = Tally(f"SIGKILL at a random moment, {writers} processes on one file")
    path = copied(original, folder / "random")
    for number in range(rounds):
        acknowledged = folder / f"told-{number}"
        pids = [_writer(path, acknowledged, f"{number}-{n}") for n in range(writers)]
        time.sleep(chosen.uniform(0.05, 0.35))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        told = acknowledged.read_text().splitlines() if acknowledged.exists() else []
        problems = verify(path, told)
        for _ in range(writers - 1):  # each process is a kill; what is wrong is counted once
            tally.count(Problems())
        tally.count(problems)
        if (number + 1) % 20 == 0:  # a fresh store, so that checking stays fast
            path = copied(original, folder / f"random-{number}")
    return tally


def _writer(path: Path, acknowledged: Path, name: str) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        mind = opened(path)
        log = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        for n in range(10_000):
            texts = [f"Word {name} {n} {part}: box {part * 31 + n}" for part in range(1 + n % 4)]
            mind.remember_many([{"text": text} for text in texts])
            os.write(log, "".join(f"{text}\n" for text in texts).encode())
    finally:
        os._exit(0)
