"""Adds our hooks to an assistant's settings file, and removes them again. Hooks of others stay."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import InvalidInput, NotFound
from ..serve.mcp.settings import json_text
from ..serve.mcp.settings.files import (
    Change,
    check_unchanged,
    difference,
    digest,
    make_folder,
    read,
    remove_empty,
    write_text,
)
from .assistants import Assistant

SECTION = "hooks"
_OURS = " hooks run "


@dataclass(frozen=True, kw_only=True)
class Trace:
    """How an installation changed a file: what undo needs, and nothing else of the file."""

    after: str
    """Digest of the file after the change."""
    at: int
    removed: str
    added: str
    was_there: bool
    folders: Sequence[str]
    """Folders that were created, innermost first."""


def entries(assistant: Assistant, commands: Mapping[str, str]) -> dict[str, list[Any]]:
    """Event → what the settings list for it. `commands` are by our names of the events."""
    return {
        event: [{"hooks": [{"type": "command", "command": commands[ours], "timeout": assistant.timeout}]}]
        for event, ours in assistant.events.items()
    }


def installed(path: Path) -> dict[str, str]:
    """Event → the command of ours that it runs."""
    groups = _hooks(_data(path, read(path)), path)
    return {event: found for event, listed in groups.items() if (found := _our_command(listed))}


def plan(path: Path, assistant: Assistant, commands: Mapping[str, str]) -> Change:
    """The change that adds our hooks, or replaces older ones of ours."""
    before = read(path)
    data = _data(path, before)
    held, after = _hooks(data, path), before or ""
    for event, ours in entries(assistant, commands).items():
        wanted = [*_without_ours(held.get(event, [])), *ours]
        if held.get(event) != wanted:
            after = str(json_text.put(after, (SECTION, event), wanted))
    return Change(path=path, before=before, after=after if after != (before or "") else before)


def write(change: Change, traces: Path) -> None:
    """Makes the change and saves how to undo it. Refused if the file was changed meanwhile."""
    check_unchanged(change)
    known = _traces(traces)
    former = known.get(str(change.path))
    whole = former is not None and former.after == digest(change.before or "")
    origin = _exactly(change.before or "", former) if former is not None and whole else change.before
    folders = [*make_folder(change.path.parent), *(former.folders if former is not None else ())]
    at, removed, added = difference(origin or "", change.after or "")
    known[str(change.path)] = Trace(
        after=digest(change.after or ""),
        at=at,
        removed=removed,
        added=added,
        was_there=origin is not None,
        folders=folders,
    )
    _save(known, traces)
    write_text(change.path, change.after or "")


def plan_undo(path: Path, traces: Path) -> Change:
    """The change that removes our hooks. If the file was not changed since, its former content is restored."""
    before = read(path)
    if before is None or not installed(path):
        raise NotFound(f"{path} has no hooks of ours: nothing to undo")
    trace = _traces(traces).get(str(path))
    if trace is not None and trace.after == digest(before):
        return Change(path=path, before=before, after=_exactly(before, trace))
    return Change(path=path, before=before, after=_without_hooks(path, before))


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


def _without_hooks(path: Path, text: str) -> str:
    """The text of a file that was changed since, without our hooks and without what they leave empty."""
    for event, listed in _hooks(_data(path, text), path).items():
        others = _without_ours(listed)
        if others != listed:
            keys = (SECTION, event)
            text = str(json_text.put(text, keys, others)) if others else str(json_text.drop(text, keys))
    return text if _hooks(_data(path, text), path) else str(json_text.drop(text, (SECTION,)))


def _without_ours(listed: Sequence[Any]) -> list[Any]:
    """The groups of an event without our commands. A group that had only ours is left out."""
    found = []
    for group in listed:
        held = group.get("hooks") if isinstance(group, dict) else None
        others = [each for each in held if not _is_ours(each)] if isinstance(held, list) else held
        if others == held or not isinstance(group, dict):
            found.append(group)
        elif others:
            found.append({**group, "hooks": others})
    return found


def _our_command(listed: Sequence[Any]) -> str | None:
    groups = [group.get("hooks") for group in listed if isinstance(group, dict)]
    ours = [each["command"] for held in groups if isinstance(held, list) for each in held if _is_ours(each)]
    return ours[0] if ours else None


def _is_ours(hook: object) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and "recollect" in command and _OURS in command


def _hooks(data: Mapping[str, Any], path: Path) -> dict[str, list[Any]]:
    held = data.get(SECTION, {})
    if not isinstance(held, dict) or not all(isinstance(listed, list) for listed in held.values()):
        raise InvalidInput(f"{path}: {SECTION!r} is not written as the assistant expects: mend the file first")
    return held


def _data(path: Path, text: str | None) -> dict[str, Any]:
    if text is None or not text.strip("\ufeff \t\r\n"):
        return {}
    try:
        found = json_text.loads(text)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}: mend it first, nothing was changed") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"{path} does not hold an object: mend it first, nothing was changed")
    return found


def _exactly(text: str, trace: Trace) -> str | None:
    if not trace.was_there:
        return None
    return text[: trace.at] + trace.removed + text[trace.at + len(trace.added) :]


def _traces(path: Path) -> dict[str, Trace]:
    try:
        return {name: Trace(**held) for name, held in json.loads(path.read_text(encoding="utf-8")).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError):
        raise InvalidInput(f"{path} is damaged: remove it, then take the hooks out by hand") from None


def _save(known: Mapping[str, Trace], path: Path) -> None:
    make_folder(path.parent)
    write_text(path, json.dumps({name: asdict(trace) for name, trace in known.items()}, indent=1), mode=0o600)
