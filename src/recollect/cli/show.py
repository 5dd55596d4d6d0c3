"""Plain output: lines for people, JSON for programs. Does not use rich, which is slow to import."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, TextIO

import typer

from ..types import NEAREST, Event, Hit, Memory, Recall, day_shown, plain, when_shown

LONGEST_SHOWN = 600
"""Characters of a text in a list of hits; `recollect get` shows the whole."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PASSWORD = re.compile(r"(\w+:/{1,2}[^\s/:@]*):\S*@")
_PASSWORD_OPTION = re.compile(r"([?&][^=&\s]*pass[^=&\s]*=)[^&\s]*", re.IGNORECASE)
_OTHER_STATES = ("active", "searchable")
_SHOWN_APART = ("why", "automatic", "linked", "unlinked")
"""Details of an event that have words of their own."""


def answer(as_json: bool, data: Any, draw: Callable[[], None]) -> None:  # noqa: ANN401 - anything JSON can hold
    """Prints a result as JSON or for a person."""
    if as_json:
        line(dumps(data))
    else:
        draw()


def dumps(data: Any) -> str:  # noqa: ANN401
    # backslashreplace would write \U0001f600, which JSON does not know
    narrow = not (sys.stdout.encoding or "").lower().startswith("utf")
    return json.dumps(plain(data), ensure_ascii=narrow, indent=2)


def line(text: str = "", to: TextIO | None = None) -> None:
    """One line, in the stream's own encoding (typer's echo writes UTF-8 to terminals that can't show it)."""
    (to or sys.stdout).write(f"{text}\n")


def say(message: str) -> None:
    """One line on stderr, without the passwords of URLs."""
    line(printable(without_passwords(" ".join(message.split()))), sys.stderr)


def without_passwords(message: str) -> str:
    """A URL may stand where a path belongs; an error that repeats it must not show its password."""
    return _PASSWORD_OPTION.sub(r"\1***", _PASSWORD.sub(r"\1:***@", message))


def nothing(message: str) -> NoReturn:
    """Says that what was asked for does not exist, and ends with exit status 1."""
    say(message)
    raise typer.Exit(1)


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 file`, `2 files`."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {many or one + 's'}"


def printable(text: str) -> str:
    """Escapes control characters, so that no memory can control the terminal."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text.replace("\r\n", "\n"))


def styled(text: str, colour: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
    """With colour and weight on a terminal, plain elsewhere."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return typer.style(text, fg=colour, bold=bold or None, dim=dim or None)


def dim(text: str) -> str:
    return styled(text, dim=True)


def bold(text: str) -> str:
    return styled(text, bold=True)


# Memories -----------------------------------------------------------------------------------------


def memories(found: Iterable[Memory]) -> None:
    for memory in found:
        line(row(memory))


def row(memory: Memory) -> str:
    """One memory on one line, cut to the terminal's width where there is one."""
    head = f"{memory.id}  {day_shown(memory)}  "
    label = " · ".join([memory.kind, *_states(memory), *_when(memory)])
    rest = printable(f"{label}  {' '.join(memory.text.split())}{_tags(memory)}")
    if sys.stdout.isatty():
        rest = shortened(rest, shutil.get_terminal_size().columns - len(head))
    return dim(head) + rest


def shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def whole(memory: Memory) -> None:
    """Everything about one memory that is not empty."""
    line(printable(memory.text))
    values = memory.to_dict()
    for name, value in values.items():
        if name != "text" and value not in (None, "", [], {}):
            line(f"{dim(f'{name:>18}')}  {printable(_plainly(value))}")


def _plainly(value: Any) -> str:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def _states(memory: Memory) -> list[str]:
    return [state for state in (memory.status, memory.tier) if state not in _OTHER_STATES]


def _when(memory: Memory) -> list[str]:
    when = when_shown(memory)
    return [when] if when else []


def _tags(memory: Memory) -> str:
    return "".join(f" #{tag}" for tag in memory.tags)


# Recalls ------------------------------------------------------------------------------------------


def hits(recall: Recall, after: Callable[[int, Hit], None] = lambda rank, found: None) -> None:
    """The hits. If the question was refused: what comes nearest, under its heading. `after` runs after each."""
    if recall.nearest:
        line(dim(NEAREST))
    shown = recall.hits or recall.nearest
    ranks = {found.memory.id: rank for rank, found in enumerate(shown, start=1)}
    for rank, found in enumerate(shown, start=1):
        _hit(rank, found, _earlier(found, ranks), faint=bool(recall.nearest))
        after(rank, found)


def _hit(rank: int, found: Hit, earlier: Sequence[str], *, faint: bool) -> None:
    """Rank, score and text; below them kind, day and the id that other commands take."""
    memory = found.memory
    head = f"{rank:>2}. {found.score:<7.4g} "
    text = wrapped(_cut(memory), len(head))
    line(dim(head + text) if faint else bold(head) + text)
    about = " · ".join([memory.kind, *_states(memory), *earlier, day_shown(memory), *_when(memory), memory.id])
    line(" " * len(head) + dim(printable(about + _tags(memory))))


def _earlier(found: Hit, ranks: Mapping[str, int]) -> list[str]:
    """Says that a newer memory gives another value, and which one."""
    newer = found.earlier_than
    if newer is None:
        return []
    return [f"earlier, {f'hit {ranks[newer]}' if newer in ranks else newer} is newer"]


def _cut(memory: Memory) -> str:
    text = printable(memory.text)
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[:LONGEST_SHOWN]}… ({len(text) - LONGEST_SHOWN:,} more characters: recollect get {memory.id})"


def wrapped(text: str, indent: int) -> str:
    width = max(shutil.get_terminal_size().columns - indent, 20)
    wrapped = [part for line in text.splitlines() for part in textwrap.wrap(line, width) or [""]]
    return f"\n{' ' * indent}".join(wrapped)


def sure(recall: Recall) -> str:
    return f"confidence {recall.confidence:.2f} · recipe {recall.recipe} · recall {recall.id}"


# Events and numbers -------------------------------------------------------------------------------


def events(found: Sequence[Event]) -> None:
    """A table. `undo` takes the ids in the first column."""
    rows = [(event.action, _actor(event), _about(event)) for event in found]
    widths = [max(map(len, column)) for column in zip(*(row[:2] for row in rows), strict=True)] if rows else []
    for event, (action, actor, about) in zip(found, rows, strict=True):
        columns = f"{bold(action.ljust(widths[0]))}  {printable(actor).ljust(widths[1])}"
        line(f"{event.id}  {dim(f'{event.at:%Y-%m-%d %H:%M}')}  {columns}  {printable(about)}".rstrip())


def _actor(event: Event) -> str:
    return "by itself" if event.detail.get("automatic") else f"by {event.actor}"


def _about(event: Event) -> str:
    """What an event changed and why, in words."""
    names = sorted({name for change in event.changes for name in change.before or ()})
    links = [f"{a} {kind} {b}" for a, b, kind in event.detail.get("linked") or ()]
    gone = [f"no longer {a} {kind} {b}" for a, b, kind in event.detail.get("unlinked") or ()]
    rest = {name: value for name, value in event.detail.items() if name not in _SHOWN_APART and value}
    others = [f"{name.replace('_', ' ')} {_plain_value(value)}" for name, value in rest.items()]
    undone = [f"undone by {event.undone_by}"] if event.undone_by else []
    why = [str(event.detail["why"])] if event.detail.get("why") else []
    return " · ".join([*([", ".join(names)] if names else []), *why, *links, *gone, *others, *undone])


def _plain_value(value: Any) -> str:  # noqa: ANN401 - JSON
    return str(value) if isinstance(value, str | int | float) else json.dumps(plain(value), ensure_ascii=False)


def numbers(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        line(f"{name.replace('_', ' '):>18}  {_number(value)}")


def _number(value: Any) -> str:  # noqa: ANN401 - a count, things to count, or both by name
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_number(count)}" for name, count in value.items()) or "none"
    if isinstance(value, list | tuple):
        return f"{len(value):,}"
    return f"{value:,}" if isinstance(value, int) else str(value)
