"""The settings files of other programs: reading, comparing, and writing them safely."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ....errors import Conflict, InvalidInput


@dataclass(frozen=True, kw_only=True)
class Change:
    """A settings file before and after a change. None means that the file does not exist."""

    path: Path
    before: str | None
    after: str | None

    @property
    def diff(self) -> str:
        name = str(self.path)
        was, becomes = (self.before or "").splitlines(keepends=True), (self.after or "").splitlines(keepends=True)
        lines = difflib.unified_diff(was, becomes, f"{name} (now)", f"{name} (then)")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text: nothing was changed") from None


def check_unchanged(change: Change) -> None:
    if read(change.path) != change.before:
        raise Conflict(f"{change.path} was changed meanwhile: look again")


def make_folder(folder: Path) -> list[str]:
    """Creates the folder and its missing parents. Returns the created ones, innermost first."""
    missing = [str(path) for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def remove_empty(folders: Sequence[str]) -> None:
    for folder in folders:
        try:
            os.rmdir(folder)
        except OSError:  # the folder is not empty
            return


def write_text(path: Path, text: str, mode: int | None = None) -> None:
    """Writes the file atomically. Follows symbolic links and keeps the permissions."""
    target = path.resolve()
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8"))
        os.chmod(name, mode or (target.stat().st_mode & 0o7777 if target.exists() else 0o600))
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def digest(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()


def difference(before: str, after: str) -> tuple[int, str, str]:
    """The position where the texts differ, and the differing part of each."""
    at = len(os.path.commonprefix([before, after]))
    same = len(os.path.commonprefix([before[at:][::-1], after[at:][::-1]]))
    return at, before[at : len(before) - same], after[at : len(after) - same]
