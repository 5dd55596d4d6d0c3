"""The command that trusts the settings file of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .. import config, trusted
from ..errors import InvalidInput, NotFound
from . import show
from .app import command
from .options import Place


@command(
    "trust",
    """
    recollect trust
    recollect trust ~/projects/atlas --remove
    recollect trust --list
    """,
)
def trust(
    place: Place,
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder with a recollect.toml.")] = ".",
    remove: Annotated[bool, typer.Option("--remove", help="Trust the folder no longer.")] = False,
    every: Annotated[bool, typer.Option("--list", help="List the trusted files.")] = False,
) -> None:
    """Trust the recollect.toml of a folder.

    Without trust, it can't set a store, a model on a server, or a file. A change of the file ends the trust.
    """
    if every and remove:
        raise InvalidInput("use --list or --remove, not both")
    if every:
        return _list(place.as_json)
    file = Path(folder).expanduser() / config.FILE
    _remove(place.as_json, file) if remove else _add(place.as_json, file)


def _add(as_json: bool, file: Path) -> None:
    if not file.is_file():
        raise NotFound(f"there is no {file}: only a folder with a settings file is trusted")
    config.check(file)
    path = trusted.trust(file, config.config_folder())
    show.answer(as_json, {"trusted": path}, lambda: show.line(f"{show.printable(path)} is trusted until it changes"))


def _remove(as_json: bool, file: Path) -> None:
    if not trusted.distrust(file, config.config_folder()):
        raise NotFound(f"{file.resolve()} was not trusted")
    path = str(file.resolve())
    show.answer(as_json, {"removed": path}, lambda: show.line(f"{show.printable(path)} is no longer trusted"))


def _list(as_json: bool) -> None:
    found = [
        {"file": path, "state": _state(Path(path))} for path in sorted(trusted.all_trusted(config.config_folder()))
    ]

    def draw() -> None:
        for each in found:
            show.line(f"{each['state']:<8} {show.printable(each['file'])}")

    show.answer(as_json, found, draw)


def _state(file: Path) -> str:
    try:
        content = file.read_bytes()
    except OSError:
        return "missing"
    return "trusted" if trusted.is_trusted(file, content, config.config_folder()) else "changed"
