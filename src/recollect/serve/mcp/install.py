"""Adds our entry to a client's settings file, and removes it again. Undo restores the file byte for byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ...errors import InvalidInput, NotFound
from .clients import Client
from .settings import json_text
from .settings.files import Change, check_unchanged, difference, digest, make_folder, read, remove_empty, write_text


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
    before = read(path)
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
    check_unchanged(change)
    folders = make_folder(change.path.parent)
    known = _traces(traces)
    made = _trace(client, change, folders)
    former = known.get(str(change.path))
    known[str(change.path)] = made if former is None else _joined(former, made, change)
    _save(known, traces)
    write_text(change.path, change.after or "")


def plan_undo(client: Client, path: Path, traces: Path) -> Change:
    """The change that removes our entry. If the file was not changed since, its former content is restored."""
    before = read(path)
    if before is None:
        raise NotFound(f"there is no {path}: nothing to undo")
    trace = _traces(traces).get(str(path))
    if trace is not None and trace.after == digest(before):
        return Change(path=path, before=before, after=_exactly(before, trace))
    data = _data(client, path, before)
    if client.path[1] not in data.get(client.section, {}):
        raise NotFound(f"{path} has no entry of ours: nothing to undo")
    return Change(path=path, before=before, after=_without(client, path, before, trace))


def write_undo(change: Change, traces: Path) -> None:
    check_unchanged(change)
    known = _traces(traces)
    trace = known.pop(str(change.path), None)
    if change.after is not None:
        write_text(change.path, change.after)
    else:
        change.path.unlink()
        remove_empty(trace.folders if trace else ())
    _save(known, traces)


# Traces: how a change can be undone ---------------------------------------------------------------


def _trace(client: Client, change: Change, folders: Sequence[str]) -> Trace:
    at, removed, added = difference(change.before or "", change.after or "")
    section = _data(client, change.path, change.before).get(client.section)
    return Trace(
        after=digest(change.after or ""),
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
    if former.after != digest(change.before or ""):
        return made
    at, removed, added = difference(_exactly(change.before or "", former) or "", change.after or "")
    return replace(former, after=made.after, at=at, removed=removed, added=added)


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
    make_folder(path.parent)
    write_text(path, json.dumps({name: asdict(trace) for name, trace in known.items()}, indent=1), mode=0o600)


# Files --------------------------------------------------------------------------------------------


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
