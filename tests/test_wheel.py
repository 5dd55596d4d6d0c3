"""The built wheel, installed somewhere else, does what the sources do (about 15 s)."""

import os
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
TRY = """
import json, sys
from importlib.resources import files
from pathlib import Path
import recollect
from recollect import Recollect
installed = Path(recollect.__file__).parent
assert installed.parent == Path(sys.argv[1]).resolve(), installed
mind = Recollect(sys.argv[2], embedder="hashing")
mind.remember("Ada prefers dark mode")
assert mind.recall("dark mode").hits[0].memory.text == "Ada prefers dark mode"
assert json.loads((files("recollect") / "demo" / "year.json").read_text(encoding="utf-8"))
assert len(list((installed / "bench" / "lives").glob("*.json"))) == 10
assert len(list((installed / "bench" / "openmem" / "scenarios").glob("*.json"))) == 11
assert (installed / "py.typed").is_file()
assert (installed / "serve" / "inspector" / "index.html").is_file()
print(recollect.__version__)
"""


def _run(*command, **environment):
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=ROOT, timeout=60, env=os.environ | environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_works_where_it_is_installed(tmp_path):
    # where the build backend is at hand, nothing needs to be fetched
    here = ["--no-build-isolation"] if find_spec("hatchling") else []
    _run("-m", "pip", "wheel", "--quiet", "--no-deps", *here, "--wheel-dir", str(tmp_path), ".")
    (wheel,) = tmp_path.glob("recollect-*.whl")
    target = tmp_path / "installed"
    _run("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel))
    # -S leaves out the development install; the dependencies come from the environment's own folder
    places = os.pathsep.join([str(target), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    assert _run("-S", "-c", TRY, str(target), str(tmp_path / "agent.db"), PYTHONPATH=places).strip()
    assert (target / "bin" / "recollect").exists() or (target / "Scripts").exists()
