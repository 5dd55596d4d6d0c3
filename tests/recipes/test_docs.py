"""docs/recipes.md is made from the recipes."""

import importlib.util
from pathlib import Path

from recollect.recipes import names

ROOT = Path(__file__).parents[2]


def test_the_recipes_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "scripts" / "generate_recipe_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "run `make docs`"


def test_every_published_recipe_has_a_table_and_no_row_is_silent():
    spec = importlib.util.spec_from_file_location("statements", ROOT / "scripts" / "recipe_statements.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert set(module.STATEMENTS) == {name for name in names() if not name.startswith("default")}
    for rows in module.STATEMENTS.values():
        for statement, verdict, why in rows:
            assert statement and verdict in (module.WRITTEN, module.DIFFERS, module.OTHER)
            assert why or verdict != module.DIFFERS
