"""Nothing is installed that was not looked at, and the core reaches no network."""

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from recollect.embedders import adapter, granite_pack
from recollect.errors import EmbedderUnavailable
from recollect.readers import recollect_reader

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


MODELS = {
    **{Path(adapter.__file__).parent / name: sha256 for name, sha256 in adapter.FILES.items()},
    recollect_reader.FILE: recollect_reader.SHA256,
    granite_pack._find(): granite_pack.SHA256,
}


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.name)
def test_a_model_with_one_changed_bit_is_refused(file, tmp_path):
    content = bytearray(granite_pack.checked(file, MODELS[file], EmbedderUnavailable))
    content[len(content) // 2] ^= 1
    changed = tmp_path / file.name
    changed.write_bytes(content)
    with pytest.raises(EmbedderUnavailable, match="is damaged or another version"):
        granite_pack.checked(changed, MODELS[file], EmbedderUnavailable)


def test_every_package_for_development_is_pinned_with_hashes():
    entries = re.split(r"\n(?=\S)", LOCK.read_text().strip())
    assert len(entries) > 50
    assert [entry.split("\n")[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert [entry for entry in entries if not _PINNED.match(entry)] == []


SAFE = {"name": "numpy", "version": "2.0.0", "vulns": []}
UNKNOWN = {"name": "house", "skip_reason": "not found"}
FLAWED = {"name": "pillow", "version": "9.0.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["9.1.1"]}]}


@pytest.fixture
def audit(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("audit")


def test_an_audit_names_what_is_vulnerable_and_counts_what_was_looked_up(audit):
    assert audit.report([SAFE, FLAWED, UNKNOWN]) == [
        "pillow 9.0.0: PYSEC-1, fixed in 9.1.1",
        "2 packages audited, 1 vulnerable; 1 are unknown to the index",
    ]
    assert audit.vulnerable([SAFE, FLAWED]) == [FLAWED] and audit.vulnerable([SAFE, UNKNOWN]) == []


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ("sys.exit('no route to the index')", "not audited: no route to the index"),
        ("print('{}')", "not audited: pip-audit gave no answer"),
        ("sys.exit(2)", "not audited: pip-audit gave no answer"),
    ],
)
def test_an_index_that_is_out_of_reach_is_said_and_is_no_failure(audit, answers, said):
    assert audit.asked([sys.executable, "-c", f"import sys; {answers}"]) == said
    assert audit.asked(["/nowhere/pip-audit"]).startswith("not audited: ")
    assert audit.report([UNKNOWN])[0].startswith("not audited: ")


def test_an_audit_reads_what_the_tool_found(audit):
    found = json.dumps({"dependencies": [SAFE, FLAWED]})
    assert audit.asked([sys.executable, "-c", f"print({found!r})"]) == [SAFE, FLAWED]


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
