"""Notes what each stage of a recall did and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Sized
from typing import TypeVar

from ..types import Step

T = TypeVar("T")


class Trace:
    """The steps of one recall, in the order they ran."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def run(self, name: str, into: Sized, stage: Callable[[], list[T]], note: str = "") -> list[T]:
        """Runs a stage and notes it."""
        start = time.perf_counter()
        result = stage()
        self.note(name, into, result, start, note)
        return result

    def note(self, name: str, into: Sized, out: Sized, start: float, note: str = "") -> None:
        """Notes a stage that began at `start`, a value of `time.perf_counter()`."""
        spent = (time.perf_counter() - start) * 1000
        self.steps.append(Step(stage=name, into=len(into), out=len(out), note=note, ms=spent))
