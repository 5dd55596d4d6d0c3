"""Variants of a recipe with parts left out, for ablations and sweeps."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from .. import recipes
from ..keep.calibrate import ungated as ungated
from ..recipes.recipe import Factors, Fuse, Gate, Recipe, ReciprocalRank, Relevance, TagSignature, Vector

ONE_SIGNATURE = "Full, untagged share one signature"


def memx_steps() -> list[Recipe]:
    """The variants V, V+K, V+K+Rej and Full of MemX, Table 9. All have the same factors and threshold; only Full drops
    duplicates."""
    full = recipes.load("memx")
    plain = replace(full, reject=None, diversify=())
    return [
        replace(with_routes(plain, [route.name for route in full.vector_routes]), name="V"),
        replace(plain, name="V+K"),
        replace(plain, reject=full.reject, name="V+K+Rej"),
        replace(full, name="Full"),
    ]


def memx_dedup() -> list[Recipe]:
    """The variants of Table 7: vectors alone, the full recipe, and the full recipe if untagged memories of one kind
    share a tag signature."""
    full = recipes.load("memx")
    same_text = tuple(how for how in full.diversify if not isinstance(how, TagSignature))
    return [
        memx_steps()[0],
        replace(full, diversify=(*same_text, TagSignature(exempt_untagged=True)), name="Full"),
        replace(full, diversify=(*same_text, TagSignature(exempt_untagged=False)), name=ONE_SIGNATURE),
    ]


def with_routes(recipe: Recipe, names: Collection[str]) -> Recipe:
    kept = tuple(route for route in recipe.routes if route.name in names)
    return replace(recipe, routes=kept, fuse=_fuse(recipe.fuse, names))


def _fuse(fuse: Fuse, names: Collection[str]) -> Fuse:
    if isinstance(fuse, ReciprocalRank):
        return replace(fuse, weights={name: weight for name, weight in fuse.weights.items() if name in names})
    return replace(fuse, routes={name: scaled for name, scaled in fuse.routes.items() if name in names})


def cumulative(recipe: Recipe) -> list[Recipe]:
    """From one route to the full recipe, one more part at a time. Each variant is named after the added part."""
    order = sorted(recipe.routes, key=lambda route: not isinstance(route, Vector))
    bare = replace(recipe, spread=(), factors=_RELEVANCE, normalise=None, conflicts=None, reject=None, diversify=())
    bare = replace(bare, split_comparisons=False)
    names = [route.name for route in order]
    steps = [
        replace(with_routes(bare, names[:n]), name=f"{'+ ' if n > 1 else ''}{names[n - 1]}")
        for n in range(1, len(names) + 1)
    ]
    for label, part in _parts_after_routes(recipe):
        steps.append(replace(steps[-1], **part, name=f"+ {label}"))
    return steps


def leave_one_out(recipe: Recipe) -> list[Recipe]:
    """The full recipe, and the full recipe without each of its parts.

    Only the last variant has the gate. The gate was fitted to the signals of all routes, so without one of them it
    would reject everything.
    """
    whole = replace(recipe, reject=None, name="all parts, no gate")
    found = [whole]
    names = [route.name for route in recipe.routes]
    for name in names if len(names) > 1 else ():
        kept = [other for other in names if other != name]
        found.append(replace(with_routes(whole, kept), name=f"without {name}"))
    found += [replace(whole, **part, name=f"without {label}") for label, part in _removable_parts(whole)]
    return [*found, replace(recipe, name="with its gate")] if recipe.reject else found


def _removable_parts(recipe: Recipe) -> Iterator[tuple[str, dict[str, Any]]]:
    for n, part in enumerate(recipe.spread):
        yield type(part).__name__, {"spread": _without(recipe.spread, n)}
    if recipe.factors != _RELEVANCE:
        yield "factors", {"factors": _RELEVANCE}
    for field, label in _SWITCHES.items():
        if getattr(recipe, field) is not None:
            yield label, {field: None}
    for n, how in enumerate(recipe.diversify):
        yield type(how).__name__, {"diversify": _without(recipe.diversify, n)}
    if recipe.split_comparisons:
        yield "comparisons", {"split_comparisons": False}


_RELEVANCE = Factors(add=(Relevance(),))
_SWITCHES = {"normalise": "normalisation", "conflicts": "conflicts", "reject": "rejection"}
T = TypeVar("T")


def _without(items: Sequence[T], n: int) -> tuple[T, ...]:
    return (*items[:n], *items[n + 1 :])


def _parts_after_routes(recipe: Recipe) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parts after the routes, in the order of the read path. Splitting comparisons is last, as it uses them all."""
    for n, part in enumerate(recipe.spread, start=1):
        yield type(part).__name__, {"spread": recipe.spread[:n]}
    if recipe.factors != _RELEVANCE:
        yield "factors", {"factors": recipe.factors}
    for field, label in _SWITCHES.items():
        if getattr(recipe, field) is not None:
            yield label, {field: getattr(recipe, field)}
    for n, how in enumerate(recipe.diversify, start=1):
        yield type(how).__name__, {"diversify": recipe.diversify[:n]}
    if recipe.split_comparisons:
        yield "comparisons", {"split_comparisons": True}


def gate_of(recipe: Recipe) -> Gate:
    return recipe.reject or Gate(rule="confidence", tau=0.5)
