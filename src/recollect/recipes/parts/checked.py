"""The base class of all recipe parts: it checks that every value is in its declared range."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from ...errors import InvalidRecipe


@dataclass(frozen=True, slots=True)
class Range:
    """The closed interval a number must lie in."""

    least: float = -math.inf
    most: float = math.inf


Share: TypeAlias = Annotated[float, Range(0, 1)]
Weight: TypeAlias = Annotated[float, Range(0, 1000)]
Count: TypeAlias = Annotated[int, Range(1, 100_000)]


class Part:
    """Checks the range or the allowed choices of every field when a part is created."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, hint in hints(type(self)).items():
            _check(name, getattr(self, name), hint)


_HINTS: dict[type, dict[str, Any]] = {}


def hints(part: type) -> dict[str, Any]:
    """The types of a part's fields, resolved once."""
    if part not in _HINTS:
        _HINTS[part] = get_type_hints(part, include_extras=True)
    return _HINTS[part]


def type_name(part: type) -> str:
    """The part's `type` in a recipe file: `TimeWindow` is `time_window`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", part.__name__).lower()


def _check(name: str, value: Any, hint: Any) -> None:  # noqa: ANN401 - walks any annotation
    origin = get_origin(hint)
    if origin is Annotated:
        _check_range(name, value, hint.__metadata__[0])
    elif origin is Literal and value not in get_args(hint):
        raise InvalidRecipe(f"{name} must be one of {', '.join(map(str, get_args(hint)))}, not {value!r}")
    elif origin in (Mapping, dict) or getattr(origin, "__name__", "") == "Mapping":
        for key, item in value.items():
            _check(f"{name}.{key}", item, get_args(hint)[1])


def _check_range(name: str, value: Any, allowed: Any) -> None:  # noqa: ANN401
    if value is None or not isinstance(allowed, Range):
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise InvalidRecipe(f"{name} must be a number, not {value!r}")
    if not allowed.least <= value <= allowed.most:
        raise InvalidRecipe(f"{name} must be between {allowed.least:g} and {allowed.most:g}, not {value!r}")
