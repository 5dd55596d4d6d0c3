"""`recollect serve` as a process: the first key, the login link, the exit."""

import contextlib
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from inspect_store import python

from recollect import Recollect
from recollect.extras import install_command
from recollect.serve.keys import Keys

COMMAND = [sys.executable, "-m", "recollect", "serve", "--json", "--embedder", "hashing"]


@contextlib.contextmanager
def started(path, *options, port="0"):
    line = [*COMMAND, "--db", str(path), "--port", port, *options]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process, json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
    finally:
        process.kill()
        process.communicate()


def ask(url, method, path, key=None, body=None):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    with contextlib.closing(connection):
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        said = connection.getresponse()
        return said.status, said.read()


def test_the_first_start_makes_a_key_shows_it_once_and_ends_with_a_signal(path):
    with started(path) as (process, told):
        assert ask(told["url"], "POST", "/v1/memories", told["key"], {"text": "Ada prefers dark mode"})[0] == 201
        assert ask(told["url"], "GET", told["link"].removeprefix(told["url"]))[0] == 303
        process.send_signal(signal.SIGTERM)
        _, logs = process.communicate(timeout=30)
        assert process.returncode == 0
        assert told["key"] not in logs
    with started(path) as (process, again):
        assert again["key"] is None
        assert again["link"] is not None
        assert b"dark mode" in ask(again["url"], "GET", "/v1/memories", told["key"])[1]
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 130
        assert said.splitlines()[-1].startswith("stopped")
    with Recollect(path, embedder="hashing") as mind:
        assert mind.check() == []


def said_by(path):
    """What a start says to people before it serves."""
    line = [*COMMAND, "--db", str(path), "--port", "0"]
    line.remove("--json")
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        first = process.stderr.readline()
        assert ask(re.search(r"http://[\d.:]+\d", first)[0], "GET", "/healthz")[0] == 200
        process.terminate()
        return process.stderr.read().splitlines()  # communicate() would lose lines that came with the first one


def test_a_start_on_an_empty_namespace_says_where_the_memories_are(path):
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Tea is at four", namespace="team/build")
        mind.remember("Tea is at five", namespace="home/sam")
        mind.remember("Tea is at six", namespace="home/ann")
    told = said_by(path)
    said = next(line for line in told if "has no memories" in line)
    assert said.startswith("'default' has no memories yet; 3 memories are in home, team. ")
    assert f"recollect keys add home --db {path} --namespace home --role admin --trust user" in said
    with started(path, "--namespace", "home") as (_, again):
        assert again["elsewhere"] is None


def test_a_start_without_an_admin_key_says_how_to_get_in(path):
    with Recollect(path, embedder="hashing") as mind:
        Keys(mind).add("agent", namespace="default", role="write")
    told = said_by(path)
    said = next(line for line in told if line.startswith("no login link"))
    assert f"recollect keys add NAME --db {path} --namespace default --role admin --trust user" in said


def test_another_process_can_make_a_link_for_a_running_server(path):
    with started(path) as (_, told):
        port = str(urlsplit(told["url"]).port)
        line = [*COMMAND, "--db", str(path), "--port", port, "--link"]
        link = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)["link"]
        assert link.startswith(told["url"])
        assert ask(told["url"], "GET", link.removeprefix(told["url"]))[0] == 303


def test_a_port_in_use_is_one_line_and_status_3(path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        line = [*COMMAND, "--db", str(path), "--port", str(taken.getsockname()[1])]
        done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
    assert "in use" in done.stderr
    assert not path.exists()


def test_an_invalid_address_is_reported_in_one_line(path):
    done = subprocess.run([*COMMAND, "--db", str(path), "--host", "999.1.1.1"], capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stderr.startswith("999.1.1.1:7411 can't be used (no such address)")


def test_a_link_is_refused_when_there_is_no_admin_key(path):
    Recollect(path, embedder="hashing").close()
    done = subprocess.run([*COMMAND, "--db", str(path), "--link"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "keys add" in done.stderr


@pytest.mark.parametrize("host, warns", [("0.0.0.0", True), ("127.0.0.1", False)])
def test_listening_beyond_this_machine_is_warned_about(path, host, warns):
    with started(path, "--host", host) as (process, told):
        assert told["url"].startswith("http://127.0.0.1:")
        assert ask(told["url"], "GET", "/healthz")[0] == 200
        process.send_signal(signal.SIGTERM)
        assert ("TLS" in process.communicate(timeout=30)[1]) == warns


WITHOUT = """
import sys
sys.modules["fastapi"] = None
from recollect.cli import main
sys.argv = ["recollect", "serve", "--db", sys.argv[1]]
try:
    main()
except SystemExit as end:
    print(end.code)
"""


def test_a_missing_extra_is_one_line_with_the_remedy(path):
    done = subprocess.run([sys.executable, "-c", WITHOUT, str(path)], capture_output=True, text=True)
    assert done.stdout.strip() == "2"
    assert install_command("server") in done.stderr
    assert len(done.stderr.splitlines()) == 1


LIGHT = """
import sys
from recollect.cli.app import app
print(sorted({name.split(".")[0] for name in sys.modules} & {"fastapi", "uvicorn", "starlette", "pydantic", "mcp"}))
"""


def test_the_command_line_does_not_load_the_server():
    assert python(LIGHT).strip() == "[]"
