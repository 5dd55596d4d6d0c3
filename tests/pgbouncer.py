"""PgBouncer in transaction mode in front of a test server."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from postgres_server import NOBODY

SETTINGS = """
[databases]
* = host=127.0.0.1 port={server} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
"""


@contextlib.contextmanager
def pooled(server):
    """Gives a function that turns a URL of the server into one of the pooler."""
    program = shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed: `apt-get install pgbouncer`, or `make programs`")
    with tempfile.TemporaryDirectory(prefix="recollect-pgbouncer-") as folder:
        os.chmod(folder, 0o755)
        port = _free_port()
        file = Path(folder) / "pgbouncer.ini"
        file.write_text(SETTINGS.format(server=server.port, port=port))
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        process = subprocess.Popen(
            [program, "-q", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **who
        )
        try:
            _wait(process, port)
            yield lambda url: url.replace(f":{server.port}/", f":{port}/")
        finally:
            process.kill()
            process.wait()


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _wait(process, port):
    until = time.monotonic() + 15
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
    raise AssertionError("pgbouncer did not start")
