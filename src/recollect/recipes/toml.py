"""Recipes to TOML and back. If a field may hold one of several parts, its `type` says which."""

from __future__ import annotations

import tomllib
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from ..errors import InvalidRecipe, UnknownName
from .aliases import with_current_names
from .recipe import Part, Recipe, hints, type_name


def dumps(recipe: Recipe) -> str:
    import tomlkit

    return tomlkit.dumps(to_dict(recipe))


def loads(text: str) -> Recipe:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidRecipe(f"not TOML: {error}") from None
    return from_dict(data)


def to_dict(part: Part) -> dict[str, Any]:
    found = {}
    for name, hint in hints(type(part)).items():
        value = getattr(part, name)
        if value is not None:
            found[name] = _plain(value, hint)
    return found


def _plain(value: Any, hint: Any) -> Any:  # noqa: ANN401 - walks any annotation
    if isinstance(value, Part):
        tag = {"type": type_name(type(value))} if len(_choices(hint)) > 1 else {}
        return tag | to_dict(value)
    if isinstance(value, tuple):
        return [_plain(item, get_args(hint)[0]) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item, get_args(hint)[1]) for key, item in value.items()}
    return value


def from_dict(data: Mapping[str, Any]) -> Recipe:
    """A checked recipe; errors name the field. Old names are accepted."""
    return _part(Recipe, with_current_names(data), "recipe")  # type: ignore[no-any-return]


def _part(kind: type, data: Any, where: str) -> Any:  # noqa: ANN401 - an instance of `kind`
    if not isinstance(data, Mapping):
        raise InvalidRecipe(f"{where} must be a table, not {data!r}")
    known = hints(kind)
    values = {}
    for name, value in data.items():
        if name not in known:
            raise InvalidRecipe(f"{where}: {UnknownName('field', name, known)}")
        values[name] = _value(known[name], value, f"{where}.{name}")
    for f in fields(kind):
        if f.name not in values and f.default is MISSING and f.default_factory is MISSING:
            raise InvalidRecipe(f"{where}.{f.name} is missing")
    try:
        return kind(**values)
    except InvalidRecipe as error:
        raise InvalidRecipe(f"{where}: {error}") from None


def _value(hint: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    if choices := _choices(hint):
        return _part(_chosen(choices, value, where), _untagged(value, choices), where)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _value(next(arg for arg in args if arg is not type(None)), value, where)
    if origin is tuple:
        if not isinstance(value, list):
            raise InvalidRecipe(f"{where} must be a list, not {value!r}")
        return tuple(_value(args[0], item, f"{where}[{n}]") for n, item in enumerate(value))
    if getattr(origin, "__name__", "") == "Mapping":
        if not isinstance(value, Mapping):
            raise InvalidRecipe(f"{where} must be a table, not {value!r}")
        return {str(key): _value(args[1], item, f"{where}.{key}") for key, item in value.items()}
    return _scalar(hint, value, where)


def _scalar(hint: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(kind) in (Union, types.UnionType):
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise InvalidRecipe(f"{where} must be a {kind.__name__}, not {value!r}")
    return value


def _choices(hint: Any) -> dict[str, type]:  # noqa: ANN401
    """The parts that a field may hold, by their type name."""
    args = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return {type_name(arg): arg for arg in args if isinstance(arg, type) and issubclass(arg, Part)}


def _chosen(choices: Mapping[str, type], value: Any, where: str) -> type:  # noqa: ANN401
    if len(choices) == 1:
        return next(iter(choices.values()))
    tag = value.get("type") if isinstance(value, Mapping) else None
    if not isinstance(tag, str) or tag not in choices:
        raise InvalidRecipe(f"{where}.type: {UnknownName('type', tag, choices)}")
    return choices[tag]


def _untagged(value: Any, choices: Mapping[str, type]) -> Any:  # noqa: ANN401
    if len(choices) == 1 or not isinstance(value, Mapping):
        return value
    return {key: item for key, item in value.items() if key != "type"}
