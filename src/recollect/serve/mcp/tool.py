"""Turns a function with typed parameters and a docstring into an MCP tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_type_hints

import mcp_types as types
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from ...errors import InvalidInput
from .answers import Answer

if TYPE_CHECKING:
    from ..access import Access

ACCESS = "access"
"""The first parameter of a tool's function. The server fills it in, so clients do not see it."""
ANSWER = {"type": "object"}
"""The schema of every answer. Models read the answer itself; describing its fields first costs 7,000 characters."""
_LEFT_OUT = ("additionalProperties", "default", "maxLength", "maximum", "minItems", "minLength", "minimum")
"""What a model need not know: defaults, and limits. A call that passes a limit is refused with a line that says so."""


@dataclass(frozen=True)
class Tool:
    run: Callable[..., Answer]
    title: str
    hints: types.ToolAnnotations

    @property
    def name(self) -> str:
        """The function's name. One that would hide a word of Python ends with an underscore."""
        return self.run.__name__.rstrip("_")

    @property
    def read_only(self) -> bool:
        return bool(self.hints.read_only_hint)

    def __call__(self, access: Access, arguments: Mapping[str, Any]) -> Answer:
        """Checks the arguments and runs the tool."""
        try:
            checked = self.input.model_validate(arguments)
        except ValidationError as error:
            raise InvalidInput(_in_one_line(error)) from None
        return self.run(access, **{name: getattr(checked, name) for name in checked.model_fields_set})

    @cached_property
    def described(self) -> types.Tool:
        return types.Tool(
            name=self.name,
            title=self.title,
            description=" ".join((inspect.getdoc(self.run) or "").split()),
            input_schema={**_lean(self._schema()), "additionalProperties": False},
            output_schema=ANSWER,
            annotations=self.hints,
        )

    @cached_property
    def input(self) -> type[BaseModel]:
        """The parameters as a pydantic model. It refuses unknown ones."""
        hints = get_type_hints(self.run, include_extras=True)
        taken = {name: each for name, each in inspect.signature(self.run).parameters.items() if name != ACCESS}
        fields: dict[str, Any] = {name: (hints[name], _default(each)) for name, each in taken.items()}
        return create_model(f"{self.name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)

    def _schema(self) -> dict[str, Any]:
        """The schema of the parameters, with every type written where it is used."""
        schema = self.input.model_json_schema()
        found: dict[str, Any] = _inlined(schema, schema.pop("$defs", {}))
        return found


Register = Callable[[Callable[..., Answer]], Tool]


def reads(title: str) -> Register:
    """A tool that changes nothing."""
    return _registered(title, read_only_hint=True)


def adds(title: str, idempotent: bool) -> Register:
    """A tool that only adds."""
    return _registered(title, destructive_hint=False, idempotent_hint=idempotent)


def changes(title: str, idempotent: bool, destructive: bool = True) -> Register:
    """A tool that changes existing memories."""
    return _registered(title, destructive_hint=destructive, idempotent_hint=idempotent)


def _registered(title: str, **hints: Any) -> Register:  # noqa: ANN401 - whether each holds
    annotations = types.ToolAnnotations(open_world_hint=False, **hints)
    return lambda run: Tool(run, title, annotations)


def _default(parameter: inspect.Parameter) -> Any:  # noqa: ANN401 - any default
    return ... if parameter.default is inspect.Parameter.empty else parameter.default


def _in_one_line(error: ValidationError) -> str:
    return "; ".join(_mistake(each["loc"], each["type"], each["msg"]) for each in error.errors())


def _mistake(where: tuple[int | str, ...], kind: str, message: str) -> str:
    name = ".".join(map(str, where)) or "arguments"
    said = {"missing": "must be given", "extra_forbidden": "there is no such argument"}.get(kind)
    return f"{name}: {said or message[:1].lower() + message[1:]}"


def _inlined(schema: Any, types: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON schema
    if isinstance(schema, list):
        return [_inlined(each, types) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(types[schema["$ref"].rpartition("/")[2]], types)
    return {name: _inlined(value, types) for name, value in schema.items()}


def _lean(schema: Any) -> Any:  # noqa: ANN401 - JSON schema
    """A shorter schema for models: without titles that repeat names, limits, defaults and `null`."""
    if isinstance(schema, list):
        return [_lean(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _lean(value) for name, value in schema.items() if name not in _LEFT_OUT}
    return _without_null({name: value for name, value in kept.items() if name != "title" or isinstance(value, dict)})


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    ways = [way for way in schema.get("anyOf", ()) if way != {"type": "null"}]
    if len(ways) != 1 or len(schema["anyOf"]) == 1:
        return schema
    rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    return {**ways[0], **rest}
