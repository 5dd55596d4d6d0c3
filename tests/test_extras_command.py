"""The command that installs a missing package works where recollect is installed."""

import json
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from recollect import extras

ROOT = Path(__file__).parents[1]


def test_in_a_checkout_the_command_names_the_checkout():
    program, *_, target = shlex.split(extras.install_command("server"))
    folder, _, extra = target.removesuffix("]").partition("[")
    known = tomllib.loads((Path(folder) / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert program == "pip" and Path(folder) == ROOT and extra in known["optional-dependencies"]


@pytest.fixture
def installed(tmp_path):
    """Runs the command's module as it lies in an environment: with the notes that installers leave."""
    site = tmp_path / "site-packages"
    copied = site / "recollect" / "extras.py"
    copied.parent.mkdir(parents=True)
    copied.write_bytes(Path(extras.__file__).read_bytes())
    (site / "recollect-0.1.0.dist-info").mkdir()
    (site / "recollect-0.1.0.dist-info" / "METADATA").write_text("Name: recollect\nVersion: 0.1.0\n")

    def command(note=None, mark=None, call="install_command('server')"):
        if note is not None:
            (site / "recollect-0.1.0.dist-info" / "direct_url.json").write_text(json.dumps(note))
        if mark is not None:
            (tmp_path / mark).touch()
        code = "import runpy, sys; sys.path.insert(0, sys.argv[2]); sys.prefix = sys.argv[3]\n"
        code += f"print(eval({call!r}, runpy.run_path(sys.argv[1])))"
        given = [sys.executable, "-I", "-c", code, str(copied), str(site), str(tmp_path)]
        return subprocess.run(given, capture_output=True, text=True, check=True).stdout.strip()

    return command


def test_elsewhere_the_command_names_the_package(installed):
    assert installed() == "pip install 'recollect[server]'"


def test_installed_from_a_checkout_the_command_names_the_checkout(installed):
    assert installed({"url": ROOT.as_uri(), "dir_info": {}}) == f"pip install '{ROOT}[server]'"


def test_installed_from_a_package_the_command_names_its_file(installed, tmp_path):
    wheel = tmp_path / "recollect-0.1.0-py3-none-any.whl"
    wheel.touch()
    assert installed({"url": wheel.as_uri(), "archive_info": {}}) == f"pip install '{wheel}[server]'"


@pytest.mark.parametrize(
    "note", [{"url": "file:///no/such/checkout"}, {"url": "https://example.org/x.whl"}, [], {"url": ""}]
)
def test_a_checkout_that_is_gone_is_not_named(installed, note):
    assert installed(note) == "pip install 'recollect[server]'"


def test_a_damaged_model_file_comes_back_from_where_the_package_came_from(installed):
    assert f"git -C {ROOT} restore 'src/recollect/*.npz'" == extras.reinstall_command()
    known = subprocess.run(["git", "-C", ROOT, "ls-files", "src/recollect/*.npz"], capture_output=True, text=True)
    assert "src/recollect/readers/recollect-reader.npz" in known.stdout.split()
    again = "reinstall_command()"
    assert installed(call=again) == "pip install --force-reinstall --no-deps recollect"
    checkout = {"url": ROOT.as_uri()}
    assert installed(checkout, call=again) == f"pip install --force-reinstall --no-deps {ROOT}"
    assert installed(checkout, "uv-receipt.toml", again) == f"uv tool install --force {ROOT}"


@pytest.mark.parametrize(
    ("mark", "program"), [("uv-receipt.toml", "uv tool install"), ("pipx_metadata.json", "pipx install")]
)
def test_an_environment_without_pip_is_installed_anew_with_the_extra(installed, mark, program):
    assert installed({"url": ROOT.as_uri()}, mark) == f"{program} --force '{ROOT}[server]'"
