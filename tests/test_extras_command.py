"""The command that installs a missing package works where recollect is installed."""

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from recollect import extras

ROOT = Path(__file__).parents[1]


def test_in_a_checkout_the_command_names_the_checkout():
    program, *_, target = shlex.split(extras.install_command("server"))
    folder, _, extra = target.removesuffix("]").partition("[")
    known = tomllib.loads((Path(folder) / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert program == "pip" and Path(folder) == ROOT and extra in known["optional-dependencies"]


def test_elsewhere_the_command_names_the_package(tmp_path):
    copied = tmp_path / "site-packages" / "recollect" / "extras.py"
    copied.parent.mkdir(parents=True)
    copied.write_bytes(Path(extras.__file__).read_bytes())
    code = "import runpy, sys; print(runpy.run_path(sys.argv[1])['install_command']('server'))"
    done = subprocess.run([sys.executable, "-c", code, str(copied)], capture_output=True, text=True, check=True)
    assert done.stdout == "pip install 'recollect[server]'\n"
