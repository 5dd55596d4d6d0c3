"""Below serve/, only access.py and storage.py may use a store."""

import ast
from pathlib import Path

import pytest

from recollect import serve

FOLDER = Path(serve.__file__).parent
MAY_USE_THE_STORE = {"access.py", "storage.py"}
VALUES = {"Counts", "RecallHit", "RecallRecord", "Server"}
"""Types of the store that are values: other modules may name them in annotations."""
MODULES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py"))


def uses_of_a_store(source):
    """What a module does with a store: attributes called `store`, and names imported from the package `store`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in ("store", "_store"):
            yield ast.unparse(node)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if "store" in alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            inside = "store" in (node.module or "").split(".")
            yield from (
                alias.name for alias in node.names if (inside and alias.name not in VALUES) or alias.name == "store"
            )


@pytest.mark.parametrize("module", [module for module in MODULES if module not in MAY_USE_THE_STORE])
def test_no_other_module_uses_the_store(module):
    assert list(uses_of_a_store((FOLDER / module).read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "mind.store.setting('x')",
        "self._store.get([id])",
        "from ...store.protocol import Counts, Store",
        "from ...store import open_store",
        "from ... import store",
        "import recollect.store.sqlite",
    ],
)
def test_a_use_of_the_store_is_found(source):
    assert list(uses_of_a_store(source)) != []


def test_the_two_modules_are_there():
    assert set(MODULES) >= MAY_USE_THE_STORE
