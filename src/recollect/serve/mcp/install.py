"""Adds our entry to a client's settings file, and removes it again. Undo restores the file byte for byte."""

from __future__ import annotations

import difflib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...errors import Conflict, InvalidInput, NotFound
from .clients import Client
from .settings import json_text


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


@dataclass(frozen=True, kw_only=True)
class Trace:
    """How an installation changed a file. It has only the data that undo needs, nothing else of the file."""

    after: str
    """Digest of the file after the change."""
    at: int
    removed: str
    added: str
    was_there: bool
    had_section: bool
    former: Any
    """The entry that our entry replaced."""
    folders: tuple[str, ...]
    """Folders that were created, innermost first."""


def plan(client: Client, path: Path, command: Sequence[str]) -> Change:
    """The change that adds our entry. Refuses a file that it can't parse."""
    before = _read(path)
    data = _data(client, path, before)
    entry = client.entry(command)
    if not isinstance(data.get(client.section, {}), dict):
        raise InvalidInput(f"{path}: {client.section!r} is not an object: mend the file first")
    if data.get(client.section, {}).get(client.path[1]) == entry:
        return Change(path=path, before=before, after=before)
    after = client.text.put(before or "", client.path, entry)
    if _data(client, path, after) != json_text.merged(data, client.path, entry):
        raise InvalidInput(f"{path} is written in a way we can't add to: paste what --print shows by hand")
    return Change(path=path, before=before, after=after)


def write(client: Client, change: Change, traces: Path) -> None:
    """Makes the change and saves how to undo it. Refused if the file was changed meanwhile."""
    _still(change)
    folders = _make_folder(change.path.parent)
    known = _traces(traces)
    made = _trace(client, change, folders)
    former = known.get(str(change.path))
    known[str(change.path)] = made if former is None else _joined(former, made, change)
    _save(known, traces)
    _write(change.path, change.after or "")


def plan_undo(client: Client, path: Path, traces: Path) -> Change:
    """The change that removes our entry. If the file was not changed since, its former content is restored."""
    before = _read(path)
    if before is None:
        raise NotFound(f"there is no {path}: nothing to undo")
    trace = _traces(traces).get(str(path))
    if trace is not None and trace.after == _digest(before):
        return Change(path=path, before=before, after=_exactly(before, trace))
    data = _data(client, path, before)
    if client.path[1] not in data.get(client.section, {}):
        raise NotFound(f"{path} has no entry of ours: nothing to undo")
    return Change(path=path, before=before, after=_without(client, path, before, trace))


def write_undo(change: Change, traces: Path) -> None:
    _still(change)
    known = _traces(traces)
    trace = known.pop(str(change.path), None)
    if change.after is not None:
        _write(change.path, change.after)
    else:
        change.path.unlink()
        _remove_empty(trace.folders if trace else ())
    _save(known, traces)


# Traces: how a change can be undone ---------------------------------------------------------------


def _trace(client: Client, change: Change, folders: Sequence[str]) -> Trace:
    at, removed, added = _difference(change.before or "", change.after or "")
    section = _data(client, change.path, change.before).get(client.section)
    return Trace(
        after=_digest(change.after or ""),
        at=at,
        removed=removed,
        added=added,
        was_there=change.before is not None,
        had_section=section is not None,
        former=(section or {}).get(client.path[1]),
        folders=tuple(folders),
    )


def _joined(former: Trace, made: Trace, change: Change) -> Trace:
    """The trace of two installations. One undo restores the file from before the first."""
    if former.after != _digest(change.before or ""):
        return made
    at, removed, added = _difference(_exactly(change.before or "", former) or "", change.after or "")
    return replace(former, after=made.after, at=at, removed=removed, added=added)


def _difference(before: str, after: str) -> tuple[int, str, str]:
    """The position where the texts differ, and the differing part of each."""
    at = len(os.path.commonprefix([before, after]))
    same = len(os.path.commonprefix([before[at:][::-1], after[at:][::-1]]))
    return at, before[at : len(before) - same], after[at : len(after) - same]


def _exactly(text: str, trace: Trace) -> str | None:
    if not trace.was_there:
        return None
    return text[: trace.at] + trace.removed + text[trace.at + len(trace.added) :]


def _without(client: Client, path: Path, text: str, trace: Trace | None) -> str:
    """The text of a file that was changed since: our entry is removed, or the entry it replaced is restored."""
    if trace is not None and trace.former is not None:
        return str(client.text.put(text, client.path, trace.former))
    left = str(client.text.drop(text, client.path))
    ours = trace is not None and not trace.had_section
    if ours and _data(client, path, left).get(client.section) == {}:
        return str(client.text.drop(left, (client.section,)))
    return left


def _traces(path: Path) -> dict[str, Trace]:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return {name: Trace(**{**trace, "folders": tuple(trace["folders"])}) for name, trace in held.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InvalidInput(f"{path} is damaged: remove it, then take the entry out by hand") from None


def _save(known: dict[str, Trace], path: Path) -> None:
    _make_folder(path.parent)
    _write(path, json.dumps({name: asdict(trace) for name, trace in known.items()}, indent=1), mode=0o600)


# Files --------------------------------------------------------------------------------------------


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text: nothing was changed") from None


def _data(client: Client, path: Path, text: str | None) -> dict[str, Any]:
    if text is None or not text.strip("\ufeff \t\r\n"):
        return {}
    try:
        found = client.text.loads(text)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}: mend it first, nothing was changed") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"{path} does not hold an object: mend it first, nothing was changed")
    return found


def _still(change: Change) -> None:
    if _read(change.path) != change.before:
        raise Conflict(f"{change.path} was changed meanwhile: look again")


def _make_folder(folder: Path) -> list[str]:
    """Creates the folder and its missing parents. Returns the created ones, innermost first."""
    missing = [str(path) for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _remove_empty(folders: Sequence[str]) -> None:
    for folder in folders:
        try:
            os.rmdir(folder)
        except OSError:  # the folder is not empty
            return


def _write(path: Path, text: str, mode: int | None = None) -> None:
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


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()
