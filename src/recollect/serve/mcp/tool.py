"""A function with typed parameters and a docstring, as a tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

import mcp_types as types
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from ...errors import InvalidInput
from .answers import Answer

if TYPE_CHECKING:
    from ..access import Access

DESK = "desk"
"""The first parameter, which no client fills in."""


@dataclass(frozen=True)
class Tool:
    run: Callable[..., Answer]
    title: str
    hints: types.ToolAnnotations

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def only_looks(self) -> bool:
        return bool(self.hints.read_only_hint)

    def __call__(self, desk: Access, arguments: Mapping[str, Any]) -> Answer:
        """Checks the arguments, then runs."""
        try:
            asked = self.asks.model_validate(arguments)
        except ValidationError as error:
            raise InvalidInput(_in_one_line(error)) from None
        return self.run(desk, **{name: getattr(asked, name) for name in asked.model_fields_set})

    @cached_property
    def described(self) -> types.Tool:
        return types.Tool(
            name=self.name,
            title=self.title,
            description=" ".join((inspect.getdoc(self.run) or "").split()),
            input_schema=_lean(self.asks.model_json_schema()),
            output_schema=_lean(self.answers.model_json_schema()),
            annotations=self.hints,
        )

    @cached_property
    def asks(self) -> type[BaseModel]:
        """The parameters as a model; what it does not know it refuses."""
        hints = get_type_hints(self.run, include_extras=True)
        taken = {name: each for name, each in inspect.signature(self.run).parameters.items() if name != DESK}
        fields: dict[str, Any] = {name: (hints[name], _default(each)) for name, each in taken.items()}
        return create_model(f"{self.name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)

    @cached_property
    def answers(self) -> type[Answer]:
        found: type[Answer] = get_type_hints(self.run)["return"]
        return found


Again = Literal["nothing", "more"]
"""What calling it a second time adds."""
Register = Callable[[Callable[..., Answer]], Tool]


def looks(title: str) -> Register:
    """A tool that changes nothing."""
    return _registered(title, read_only_hint=True)


def adds(title: str, again: Again) -> Register:
    """A tool that only adds."""
    return _registered(title, read_only_hint=False, destructive_hint=False, idempotent_hint=again == "nothing")


def changes(title: str, again: Again, destructive: bool = True) -> Register:
    """A tool that changes what is there."""
    return _registered(title, read_only_hint=False, destructive_hint=destructive, idempotent_hint=again == "nothing")


def _registered(title: str, **hints: bool) -> Register:
    annotations = types.ToolAnnotations(title=title, open_world_hint=False, **hints)
    return lambda run: Tool(run, title, annotations)


def _default(parameter: inspect.Parameter) -> Any:  # noqa: ANN401 - any default
    return ... if parameter.default is inspect.Parameter.empty else parameter.default


def _in_one_line(error: ValidationError) -> str:
    return "; ".join(_plainly(each["loc"], each["type"], each["msg"]) for each in error.errors())


def _plainly(where: tuple[int | str, ...], kind: str, message: str) -> str:
    name = ".".join(map(str, where)) or "arguments"
    said = {"missing": "must be given", "extra_forbidden": "there is no such argument"}.get(kind)
    return f"{name}: {said or message[:1].lower() + message[1:]}"


def _lean(schema: Any) -> Any:  # noqa: ANN401 - JSON schema
    """Without the titles that repeat names, and without `null` beside what may be left out: models read this."""
    if isinstance(schema, list):
        return [_lean(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _lean(value) for name, value in schema.items() if not (name == "title" and isinstance(value, str))}
    return _without_null(kept)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    ways = [way for way in schema.get("anyOf", ()) if way != {"type": "null"}]
    if len(ways) != 1 or len(schema["anyOf"]) == 1:
        return schema
    rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    return {**ways[0], **rest}
