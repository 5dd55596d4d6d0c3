"""Old names in recipe files, so that a file written by the version before still loads. Kept for one version.

Names are replaced in the plain data, before the recipe is checked. Each name is replaced only in the part that had it,
because a route or an embedder may also be called `flat` or `k`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import InvalidRecipe

Renames = Mapping[str, str]

TYPES: Renames = {
    "then": "time_window",
    "speaker": "speaker_match",
    "asks": "question_penalty",
    "when": "time_match",
    "later": "future_penalty",
}
"""Old `type` → new `type`."""

FIELDS_OF_TYPE: Mapping[str, Renames] = {
    "lexical": {"stop_weight": "stopword_weight"},
    "score_sum": {
        "spare_keyword_only": "exempt_keyword_only",
        "flat": "rank_fusion_below_range",
        "k": "rank_fusion_k",
    },
    "activation": {"passing": "excluded_link_kinds"},
    "turn_neighbours": {"between_people": "named_speaker_share", "among": "top_candidates"},
    "recency": {"spare_undated_documents": "exempt_undated_documents"},
    "role": {"unless": "unless_words"},
    "speaker_match": {"others": "other_speakers"},
    "question_penalty": {"shorter_than": "shorter_than_chars"},
}
"""New `type` → old field → new field."""

RECIPE_FIELDS: Renames = {"compares": "split_comparisons"}
SCALED_FIELDS: Renames = {"doubt": "coverage_exponent"}
CONFLICTS_FIELDS: Renames = {"outdated": "superseded_multiplier"}
GROUP_FIELDS: Renames = {"deeper": "depth_multiplier"}

OLD_ROUTE, NEW_ROUTE = "then", "time_window"
"""The default name of the route over a time window, which `fuse.routes` refers to."""


def with_current_names(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The recipe with every old name replaced. What is not shaped like a recipe is left for the reader to refuse."""
    if not isinstance(data, Mapping):
        return data
    recipe: dict[str, Any] = _renamed(data, RECIPE_FIELDS, "recipe")
    renames_route = _has_old_route(recipe.get("routes"))
    _change(recipe, "routes", lambda routes: _each(routes, _route))
    _change(recipe, "fuse", lambda fuse: _fuse(fuse, renames_route))
    _change(recipe, "spread", lambda spread: _each(spread, _typed))
    _change(recipe, "factors", _factors)
    _change(recipe, "conflicts", lambda conflicts: _renamed(conflicts, CONFLICTS_FIELDS, "conflicts"))
    _change(recipe, "group", lambda group: _renamed(group, GROUP_FIELDS, "group"))
    return recipe


def _renamed(part: Any, renames: Renames, where: str) -> Any:  # noqa: ANN401 - plain data
    if not isinstance(part, Mapping):
        return part
    if both := [old for old, new in renames.items() if old in part and new in part]:
        raise InvalidRecipe(f"{where}: {both[0]} is the old name of {renames[both[0]]}; give only one of them")
    return {renames.get(name, name): value for name, value in part.items()}


def _typed(part: Any) -> Any:  # noqa: ANN401
    """A part that says its `type`, with the type and the fields renamed."""
    tag = part.get("type") if isinstance(part, Mapping) else None
    if not isinstance(tag, str):
        return part
    current = TYPES.get(tag, tag)
    return {**_renamed(part, FIELDS_OF_TYPE.get(current, {}), current), "type": current}


def _has_old_route(routes: Any) -> bool:  # noqa: ANN401
    """Whether a time window is called by the old default name; a route of another type may be called so."""
    return isinstance(routes, list) and any(map(_is_old_route, routes))


def _is_old_route(route: Any) -> bool:  # noqa: ANN401
    return isinstance(route, Mapping) and route.get("type") == "then" and route.get("name", OLD_ROUTE) == OLD_ROUTE


def _route(route: Any) -> Any:  # noqa: ANN401
    return _typed({**route, "name": NEW_ROUTE} if _is_old_route(route) else route)


def _fuse(fuse: Any, renames_route: bool) -> Any:  # noqa: ANN401
    fuse = _typed(fuse)
    if not isinstance(fuse, Mapping):
        return fuse
    fuse = dict(fuse)
    route_names = {OLD_ROUTE: NEW_ROUTE} if renames_route else {}
    for field in ("routes", "weights"):
        _change(fuse, field, lambda named: _renamed(named, route_names, "fuse"))
    _change(fuse, "by_embedder", lambda named: _values(named, lambda one: _renamed(one, route_names, "fuse")))
    _change(fuse, "routes", lambda routes: _values(routes, lambda one: _renamed(one, SCALED_FIELDS, "fuse.routes")))
    return fuse


def _factors(factors: Any) -> Any:  # noqa: ANN401
    return _values(factors, lambda listed: _each(listed, _typed))


def _each(items: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    return [change(item) for item in items] if isinstance(items, list) else items


def _values(items: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    return {name: change(item) for name, item in items.items()} if isinstance(items, Mapping) else items


def _change(data: dict[str, Any], name: str, change: Callable[[Any], Any]) -> None:
    if name in data:
        data[name] = change(data[name])
