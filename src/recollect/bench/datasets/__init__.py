"""Loads benchmark files. The format is recognised by the content, not by the file name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from ..data import Dataset
from . import beam, locomo, longmemeval, memdaily, scenario
from .reading import Part, read

__all__ = ["load", "scenario_files"]

_READERS: dict[str, tuple[Callable[[Any], bool], Callable[[Part, str, str], Dataset]]] = {
    "longmemeval": (longmemeval.looks_like, longmemeval.dataset),
    "locomo": (locomo.looks_like, locomo.dataset),
    "scenario": (scenario.looks_like, scenario.dataset),
    "beam": (beam.looks_like, beam.dataset),
    "memdaily": (memdaily.looks_like, memdaily.dataset),
}


def load(path: str | Path) -> Dataset:
    """Loads an official file of LongMemEval, LoCoMo, BEAM or MemDaily, or a scenario; may be gzipped."""
    data, digest = read(Path(path))
    name = Path(path).name.removesuffix(".gz").removesuffix(".json")
    for looks_like, dataset in _READERS.values():
        if looks_like(data):
            made = dataset(Part(data, str(path)), name, digest)
            return made if made.questions else _refuse_empty(path)
    raise InvalidInput(f"{path}: unknown format ({_shape(data)}); known formats: {', '.join(_READERS)}")


def scenario_files() -> dict[str, Path]:
    """The scenarios of the package, by name."""
    folder = Path(__file__).parent.parent / "scenarios"
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def _refuse_empty(path: str | Path) -> Dataset:
    raise InvalidInput(f"{path}: it has no question with gold")


def _shape(data: object) -> str:
    if isinstance(data, list):
        return f"a list of {_shape(data[0])}" if data else "an empty list"
    if isinstance(data, Mapping):
        return f"the fields {', '.join(map(repr, list(data)[:5]))}" if data else "no fields"
    return f"only {type(data).__name__} {str(data)[:30]!r}"
