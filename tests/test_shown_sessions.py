"""The sessions that README and some guides show are run: the command must print each line that the page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
FIGURE = r"(?<![\w.-])\d\.\d+(?![\w.])"
"""A score or a confidence."""
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?"
BAR = "[█▉▊▋▌▍▎▏]+"


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def steps(page: str) -> list[tuple[str, list[str]]]:
    """Each command of the page with the lines shown below it. Only sessions with output are run."""
    found: list[tuple[str, list[str]]] = []
    for language, text in blocks(page):
        if language == "console" and re.search(r"^[^$]", text, re.MULTILINE):
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, *shown = part.splitlines()
                found.append((command, shown))
    return found


def plain(line: str) -> str:
    """Without what differs from run to run: ids, times, the width of columns, and bars, which are as long as scores."""
    return re.sub(r"\s+", " ", re.sub(BAR, "", re.sub(TIME, "TIME", re.sub(ID, "ID", line)))).strip()


def matches(shown: str, printed: str) -> bool:
    """Whether the page shows this line. "…" stands for what it leaves out; it may leave out the id at the beginning.

    A score moves a little from day to day, because a reader is told how old a memory is.
    """
    parts = (f"({FIGURE})".join(map(re.escape, re.split(FIGURE, part))) for part in plain(shown).split("…"))
    found = re.fullmatch(f"(?:ID )?{'.*'.join(parts)}", plain(printed))
    figures = list(map(float, re.findall(FIGURE, plain(shown))))
    return found is not None and list(map(float, found.groups())) == pytest.approx(figures, rel=0.05, abs=0.02)


def run(command: str, folder: Path) -> str:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=bare | {"PATH": path, "HOME": str(folder), "COLUMNS": "100", "RECOLLECT_DB": "agent.db"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    return done.stdout


@pytest.mark.parametrize("page", ["README.md", "docs/ingest.md", "docs/profile.md"])
def test_each_command_prints_what_the_page_shows(page, tmp_path):
    today: dict[str, str] = {}  # an id that the page shows → the id of this run
    assert len(steps(page)) >= 8
    for command, shown in steps(page):
        if command.startswith("cat "):
            (tmp_path / command.split()[1]).write_text("\n".join(shown), encoding="utf-8")
        printed = run(" ".join(today.get(word, word) for word in command.split(" ")), tmp_path)
        rest = printed.splitlines()
        for line in shown:
            if line.endswith(" …"):  # lines are left out
                continue
            while rest and not matches(line, rest[0]):
                rest.pop(0)
            assert rest, f"$ {command}\nthe page shows: {line}\nthe command printed:\n{printed}"
            today |= dict(zip(re.findall(ID, line), re.findall(ID, rest.pop(0)), strict=False))


def test_the_python_example_prints_what_readme_shows(tmp_path):
    shown = blocks("README.md")
    at = next(n for n, (language, text) in enumerate(shown) if language == "python" and "Recollect(" in text)
    (tmp_path / "example.py").write_text(shown[at][1], encoding="utf-8")
    assert run("python example.py", tmp_path) == shown[at + 1][1]
