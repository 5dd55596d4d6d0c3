"""Nothing is installed that was not looked at, and the core reaches no network."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-dev.lock"
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)", re.MULTILINE)
WITHOUT_NETWORK = """
import sys

def forbid(event, arguments):
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.gethostname"):
        raise RuntimeError(f"the core used the network: {event} {arguments}")

sys.addaudithook(forbid)
from pathlib import Path
from recollect import Recollect

folder = Path(sys.argv[1])
with Recollect(folder / "a.db") as mind:
    mind.remember("Ada sails a small boat")
    mind.remember_many([{"text": f"Parcel {n} is on shelf {n}"} for n in range(30)])
    mind.ingest([{"role": "user", "content": "I moved to Porto last week."}], session_id="s1")
    assert mind.recall("who sails?").hits
    mind.assemble("Where do I live?")
    mind.profile()
    mind.tend()
    mind.doctor()
    mind.export(folder / "a.jsonl")
    mind.backup(folder / "a.backup")
    assert mind.check() == []
    mind.forget(session_id="s1")
    mind.purge(session_id="s1")
with Recollect(folder / "b.db") as other:
    other.import_(folder / "a.jsonl")
print("done", mind.embedder.name)
"""


def test_the_core_works_with_sockets_forbidden_and_its_own_model(tmp_path):
    command = [sys.executable, "-c", WITHOUT_NETWORK, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout.startswith("done "), done.stderr
    assert "hashing" not in done.stdout


def test_every_package_for_development_is_pinned_with_hashes():
    entries = re.split(r"\n(?=\S)", LOCK.read_text().strip())
    assert len(entries) > 50
    assert [entry.split("\n")[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert [entry for entry in entries if not _PINNED.match(entry)] == []


def test_the_lock_file_names_no_registry():
    assert not re.search(r"https?://|--index|--find-links|--extra-index", LOCK.read_text())


def test_the_lock_file_has_every_package_that_the_project_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras, groups = project["project"]["optional-dependencies"], project["dependency-groups"]
    wanted = [*project["project"]["dependencies"], *groups["test"], *groups["check"]]
    wanted += [name for extra in ("client", "multilingual", "server", "postgres") for name in extras[extra]]
    pinned = {_plain(name) for name, _ in _PINNED.findall(LOCK.read_text())}
    assert {_plain(re.split(r"[\[<>=!~ ;]", name)[0]) for name in wanted} - pinned == set()


def _plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()
