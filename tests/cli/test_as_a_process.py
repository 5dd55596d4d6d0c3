"""What only a real process shows: pipes, signals, encodings, and what is loaded."""

import os
import subprocess
import sys

import pytest

HEAVY = ("onnxruntime", "tokenizers", "rich.console")


@pytest.fixture
def run(tmp_path):
    def run(*arguments, code=None, **more):
        environment = os.environ | {"RECOLLECT_DB": str(tmp_path / "agent.db")} | more.pop("env", {})
        start = [sys.executable, "-c", code] if code else [sys.executable, "-m", "recollect"]
        return subprocess.run(
            [*start, *arguments], capture_output=True, env=environment, check=False, timeout=60, **more
        )

    return run


def test_exit_statuses_reach_the_shell(run, tmp_path):
    assert run("recall", "x").returncode == 1
    assert run("add", "-", input=b"Ada prefers dark mode\n").returncode == 0
    assert run("recall", "dark mode", "--recipe", "bm25").returncode == 0
    assert run("recall", "zebra", "--recipe", "bm25").returncode == 1
    assert run("recall").returncode == 2
    assert run("list", "--db", str(tmp_path)).returncode == 3


def test_a_lexical_recall_loads_neither_a_model_nor_rich(run):
    run("add", "Ada prefers dark mode")
    code = (
        "import sys\nfrom recollect.cli import main\n"
        "try: main()\nexcept SystemExit as end: assert not end.code\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = run("recall", "dark", "--recipe", "braindb-keyword", code=code)
    assert done.stdout.splitlines()[-1] == b"[]", done


def test_a_terminal_without_unicode_gets_escapes_and_sound_json(run):
    import json

    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    run("add", "婆婆对花生过敏 🙂", "--embedder", "hashing")
    for arguments in (("list",), ("recall", "花生"), ("recall", "花生", "--explain"), ("stats",), ("recipes",)):
        done = run(*arguments, env=ascii_only)
        assert done.returncode == 0, done.stderr
        done.stdout.decode("ascii")
    assert json.loads(run("list", "--json", env=ascii_only).stdout)[0]["text"] == "婆婆对花生过敏 🙂"


def test_a_closed_pipe_leaves_no_traceback(run, tmp_path):
    lines = "\n".join(f"note number {n} about harbour {n * 7}" for n in range(2000))
    run("add", "--lines", "-", "--no-dedup", "--embedder", "hashing", input=lines.encode())
    environment = os.environ | {"RECOLLECT_DB": str(tmp_path / "agent.db")}
    listing = subprocess.Popen(
        [sys.executable, "-m", "recollect", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    listing.stdout.readline()
    listing.stdout.close()
    complaint = listing.stderr.read()
    listing.stderr.close()
    assert listing.wait(timeout=60) == 141 and complaint == b""


def test_ctrl_c_exits_130_with_one_line(run):
    code = (
        "import signal, sys\nfrom recollect.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "class Keyboard:\n    def read(self): signal.raise_signal(signal.SIGINT)\n"
        "class Terminal:\n    buffer = Keyboard()\n"
        "sys.stdin = Terminal()\nmain()"
    )
    done = run("add", "-", code=code)
    assert done.returncode == 130
    assert len(done.stderr.decode().strip().splitlines()) == 1 and done.stderr.startswith(b"stopped")


def test_without_a_model_it_warns_once_and_works_by_words(run):
    env = {"RECOLLECT_EMBEDDER": "openai:any@http://127.0.0.1:9/v1"}
    added = run("add", "Ada prefers dark mode", env=env)
    assert added.returncode == 0
    warning = added.stderr.decode().strip().splitlines()
    assert len(warning) == 1 and warning[0].startswith("working by words only") and "recollect reembed" in warning[0]
