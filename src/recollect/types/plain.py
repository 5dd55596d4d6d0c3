"""Values as JSON, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from functools import cache, partial
from typing import Any, TypeVar

from ..explanation import Explanation

Value = TypeVar("Value")
Kind = TypeVar("Kind", bound=type)
_READERS: dict[str, Callable[[Any], Any]] = {
    "datetime": datetime.fromisoformat,
    "Explanation": Explanation.from_dict,
}
"""Annotation → a function that reads such a value."""
_PLAIN: set[type] = set()
"""The classes that are written by their fields."""


def readable(kind: Kind) -> Kind:
    """Says that fields of other values may hold this class, and that it is written by its fields."""
    _PLAIN.add(kind)
    _READERS[kind.__name__] = partial(from_plain, kind)
    return kind


def plain(value: Any) -> Any:  # noqa: ANN401 - anything in, JSON out
    """The value in JSON types; datetimes as ISO 8601 in UTC."""
    match value:
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case tuple() | list():
            return [plain(item) for item in value]
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
    return by_name(value) if type(value) in _PLAIN else value


def by_name(value: Any) -> dict[str, Any]:  # noqa: ANN401 - a dataclass
    return {f.name: plain(getattr(value, f.name)) for f in fields(value)}


def from_plain(kind: type[Value], data: Mapping[str, Any]) -> Value:
    """The inverse of `to_dict`. Unknown keys are ignored: a newer server may send more."""
    known = fields(kind)  # type: ignore[arg-type]
    return kind(**{f.name: _reader(str(f.type))(data[f.name]) for f in known if f.name in data})


@cache
def _reader(annotation: str) -> Callable[[Any], Any]:
    """A function that reads a field with that annotation."""
    if annotation.endswith(" | None"):
        inner = _reader(annotation.removesuffix(" | None"))
        return lambda value: None if value is None else inner(value)
    if annotation.startswith("tuple["):
        each = _reader(annotation[len("tuple[") : -1].removesuffix(", ..."))
        return lambda values: tuple(each(value) for value in values)
    return _READERS.get(annotation, lambda value: value)
