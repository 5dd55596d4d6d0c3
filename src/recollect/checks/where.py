"""Parses metadata filters such as `{"team": "core", "n": {"gt": 3}, "OR": [...]}`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from ..errors import InvalidInput, UnknownName
from ..types import Condition, Junction

OPERATORS = ("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains", "icontains")
MOST_CONDITIONS = 500
"""The most conditions of one filter. It is well below the limits of the databases."""
DEEPEST = 16
_ORDERINGS = ("gt", "gte", "lt", "lte")
_JUNCTIONS: dict[str, Literal["all", "any", "none"]] = {"AND": "all", "OR": "any", "NOT": "none"}


def parse_where(where: Mapping[str, Any] | None) -> Condition | Junction | None:
    if where is None:
        return None
    if not isinstance(where, Mapping):
        raise InvalidInput(f'where must be a dict such as {{"team": "core"}}, not {where!r}')
    found = _all(where, DEEPEST) if where else None
    if found is not None and _size(found) > MOST_CONDITIONS:
        raise InvalidInput(f"where compares with {_size(found)} values, more than {MOST_CONDITIONS}")
    return found


def _size(test: Condition | Junction) -> int:
    if isinstance(test, Junction):
        return sum(map(_size, test.parts))
    return max(1, len(test.value)) if test.op in ("in", "nin") else 1


def _all(where: Mapping[str, Any], deeper: int) -> Condition | Junction:
    if not deeper:
        raise InvalidInput(f"where is nested more than {DEEPEST} deep")
    parts = tuple(part for key, value in where.items() for part in _parts(key, value, deeper - 1))
    return parts[0] if len(parts) == 1 else Junction(how="all", parts=parts)


def _parts(key: object, value: Any, deeper: int) -> list[Condition | Junction]:  # noqa: ANN401 - JSON
    if not isinstance(key, str):
        raise InvalidInput(f"where: a key must be a string, not {key!r}")
    if key in _JUNCTIONS:
        listed = value if isinstance(value, list) else [value]
        if not listed or not all(isinstance(item, Mapping) and item for item in listed):
            raise InvalidInput(f"where: {key} needs a list of conditions")
        return [Junction(how=_JUNCTIONS[key], parts=tuple(_all(item, deeper) for item in listed))]
    if not isinstance(value, Mapping):
        return [_condition(key, "eq", value)]
    if not value:
        raise InvalidInput(f"where: {key} needs an operator ({', '.join(OPERATORS)})")
    return [_condition(key, op, operand) for op, operand in value.items()]


def _condition(key: str, op: str, value: Any) -> Condition:  # noqa: ANN401 - JSON
    _check_value(key, key)
    if op not in OPERATORS:
        raise UnknownName(f"operator for {key!r}", op, OPERATORS)
    if op in ("in", "nin"):
        if not isinstance(value, list | tuple):
            raise InvalidInput(f"where: {key} {op} needs a list")
    elif op in _ORDERINGS and (isinstance(value, bool) or not isinstance(value, str | int | float)):
        raise InvalidInput(f"where: {key} {op} needs a number or a text, not {value!r}")
    elif op in ("contains", "icontains") and (value is None or isinstance(value, list | dict)):
        raise InvalidInput(f"where: {key} {op} needs a single value, not {value!r}")
    _check_value(key, value)
    return Condition(key=key, op=op, value=value)


def _check_value(key: str, value: Any) -> None:  # noqa: ANN401 - should be JSON
    match value:
        case None | bool():
            return
        case str() if value.isascii() or value.encode("utf-8", "replace").decode() == value:
            return
        case int() if abs(value) < 1 << 63:
            return
        case float() if math.isfinite(value):
            return
        case list() | tuple():
            for item in value:
                _check_value(key, item)
            return
        case dict():
            for name, item in value.items():
                _check_value(key, name)
                _check_value(key, item)
            return
    raise InvalidInput(f"where: {key!r} can't be compared with {value!r}")
