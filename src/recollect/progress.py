"""A progress bar on stderr with rate and time left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(what: str, total: int | None, wanted: bool = True) -> Iterator[Callable[[int], None]]:
    """Gives a function to call with each further count. Shows a bar only when wanted and on a terminal."""
    if not wanted or not sys.stderr.isatty():
        yield lambda count: None
        return
    with bar(what, total) as advance:
        yield advance


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as shown:
        task = shown.add_task(what, total=total, rate="")

        def advance(count: int) -> None:
            shown.update(task, advance=count)
            speed = shown.tasks[0].speed
            shown.update(task, rate=f"{speed:,.0f}/s" if speed else "")

        yield advance
