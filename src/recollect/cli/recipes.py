"""Commands on recipes: list, show, explain."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from .. import recipes as known
from . import show
from .app import callback, command, group
from .options import Place, complete_recipe

RecipeArgument: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A recipe's name, or a .toml file.", autocompletion=complete_recipe),
]

recipes_group = group("recipes", "List recipes, print one as TOML, or explain one.")


@callback(
    recipes_group,
    """
    recollect recipes
    recollect recipes show memx > mine.toml
    recollect recall 'which theme?' --recipe mine.toml
    """,
)
def recipes(ctx: typer.Context, place: Place) -> None:
    """List the recipes: published memory systems and our own. See `recipes show` and `recipes explain`."""
    if ctx.invoked_subcommand is not None:
        return place.refuse_before(ctx.invoked_subcommand)
    found = {name: known.load(name).cite for name in known.names()}

    def draw() -> None:
        for name, cite in found.items():
            show.line(f"{show.bold(f'{name:<16}')} {show.shortened(cite, 62)}")

    show.answer(place.as_json, found, draw)


@command("show", "recollect recipes show memx > mine.toml", of=recipes_group)
def show_recipe(name: RecipeArgument, place: Place) -> None:
    """Print a recipe as TOML. Change it and use it with --recipe FILE.toml."""
    from ..recipes import toml

    recipe = known.load(name)
    show.answer(place.as_json, toml.to_dict(recipe), lambda: show.line(toml.dumps(recipe).rstrip()))


@command("explain", "recollect recipes explain memx", of=recipes_group)
def explain(name: RecipeArgument, place: Place) -> None:
    """Describe what a recipe does, stage by stage."""
    from ..recipes.explain import explain as in_words

    recipe = known.load(name)
    words = in_words(recipe)
    show.answer(place.as_json, {"name": recipe.name, "explanation": words}, lambda: show.line(words.rstrip()))
