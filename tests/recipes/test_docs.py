"""docs/recipes.md is made from the recipes."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_recipes_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "scripts" / "generate_recipe_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "run `make docs`"
