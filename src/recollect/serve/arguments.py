"""Checks the names and moments that a caller sends before the façade sees them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import AfterValidator, ValidationInfo

from .. import config
from .. import recipes as known_recipes
from ..errors import InvalidInput, UnknownName
from ..text.moments import parse_moment
from ..text.typed_dates import typed_date


def known(call: Callable[..., Any], arguments: Mapping[str, Any], barred: Iterable[str] = ()) -> Mapping[str, Any]:
    """The arguments, after a check that the façade's method has them. `progress` only works in a terminal."""
    offered = inspect.signature(call).parameters.keys() - {"self", "progress", *barred}
    for name in arguments:
        if name not in offered:
            raise UnknownName("argument", name, offered)
    return arguments


def check_recipe(name: object) -> None:
    """Admits only names: a path would read one of the server's files."""
    if name is not None and name not in known_recipes.names():
        raise UnknownName("recipe", name, known_recipes.names())


def recipe_names(names: Sequence[str] | None) -> Sequence[str] | None:
    for name in names or ():
        check_recipe(name)
    return None if names is None else tuple(dict.fromkeys(names))


def _in_words(text: str, info: ValidationInfo) -> str:
    """`yesterday`, `last March` or `2026-06` in ISO 8601. Any other text stays, and the façade judges it."""
    try:
        parse_moment(text)
    except InvalidInput:
        found = typed_date(info.field_name or "", text.strip(), config.load().zone, datetime.now(UTC))
        return text if found is None else found.isoformat()
    return text


MAY_BE_WORDS = AfterValidator(_in_words)
"""Marks a moment that may be given in words."""
