"""Published memory systems, and ours, as data.

A module here that defines RECIPE is the recipe of that name; an underscore in the module's name is a hyphen in the
recipe's.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from ..errors import InvalidRecipe, UnknownName
from .recipe import Recipe

__all__ = ["Recipe", "load", "names"]

_NOT_RECIPES = ("recipe", "parts", "toml", "aliases", "confidence", "fitted", "explain")


def names() -> tuple[str, ...]:
    """The names of all recipes, our own first."""
    found = (m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__) if m.name not in _NOT_RECIPES)
    return tuple(sorted(found, key=lambda name: (not name.startswith("default"), name)))


def load(name: str | Path | Recipe) -> Recipe:
    """A recipe by its name or from a TOML file; a `Recipe` is returned as it is."""
    if isinstance(name, Recipe):
        return name
    if isinstance(name, Path) or name.endswith(".toml"):
        return _from_file(Path(name))
    if name not in _loaded and name not in names():
        raise UnknownName("recipe", name, names())
    return _by_name(name)


_loaded: dict[str, Recipe] = {}


def _by_name(name: str) -> Recipe:
    if name not in _loaded:
        recipe = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").RECIPE
        assert isinstance(recipe, Recipe)
        _loaded[name] = recipe
    return _loaded[name]


def _from_file(path: Path) -> Recipe:
    from . import toml

    try:
        return toml.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidRecipe(f"the recipe file {path} is not UTF-8 text") from None
    except OSError as error:
        raise InvalidRecipe(f"the recipe file {path} can't be read: {error.strerror}") from None
    except InvalidRecipe as error:
        raise InvalidRecipe(f"{path}: {error}") from None
