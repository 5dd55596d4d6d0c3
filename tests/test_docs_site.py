"""The site of the documentation: every page is in it, the reference is whole, and nothing is loaded from elsewhere."""

import ast
import importlib.util
import inspect
from pathlib import Path

import pytest
import yaml

from recollect import Recollect
from recollect.checks.keywords import Filters
from recollect.checks.where import OPERATORS

ROOT = Path(__file__).parents[1]
TYPES = ROOT / "src" / "recollect" / "types"
DESCRIBED = {
    "recall.py": ["Recall", "Hit", "Signals", "Step", "Context", "Layer"],
    "memory.py": ["Memory", "Link"],
    "profile.py": ["Profile", "ProfileSubject", "ProfileGroup", "ProfileStatement", "ProfileSource", "Replaced"],
    "events.py": ["Event", "Change", "Tended", "Retention"],
}
BY_HAND = {"close", "embedder", "link", "stats", "url"}
"""What python.md describes itself."""


def _loaded(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _page(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def _named(nav):
    for part in nav:
        target = next(iter(part.values())) if isinstance(part, dict) else part
        yield from _named(target) if isinstance(target, list) else [target]


def test_every_page_is_in_the_navigation_and_every_entry_is_a_page():
    config = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    named = set(_named(config["nav"]))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - named == set(), "add these pages to nav in mkdocs.yml"
    assert named - pages == set(_loaded("site_pages").ADDED)


def test_every_page_of_docs_is_in_the_list_of_readme_or_of_the_home_page():
    readme, home = (ROOT / "README.md").read_text(encoding="utf-8"), _page("index.md")
    pages = [path.name for path in (ROOT / "docs").glob("*.md") if path.name != "index.md"]
    assert [name for name in pages if f"docs/{name}" not in readme and f"({name})" not in home] == []


@pytest.mark.parametrize(("module", "names"), DESCRIBED.items())
def test_every_field_of_what_calls_return_is_described(module, names):
    tree = ast.parse((TYPES / module).read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    assert [field for name in names for field in _undescribed(classes[name])] == []


def _undescribed(node):
    for field, following in zip(node.body, [*node.body[1:], None], strict=True):
        described = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and not described:
            yield f"{node.name}.{field.target.id}"
        public = isinstance(field, ast.FunctionDef) and not field.name.startswith(("_", "from_dict"))
        if public and field.name != "other" and ast.get_docstring(field) is None:
            yield f"{node.name}.{field.name}()"


def test_a_field_without_a_description_is_noticed():
    node = ast.parse('class A:\n    a: int\n    """What it is."""\n    b: int\n    def c(self): pass').body[0]
    assert list(_undescribed(node)) == ["A.b", "A.c()"]


def test_every_method_is_described_in_the_reference():
    members = {name: member for name, member in inspect.getmembers(Recollect) if not name.startswith("_")}
    assert {name for name, member in members.items() if not inspect.getdoc(member)} <= BY_HAND
    assert [name for name in BY_HAND if f"`{name}" not in _page("python.md")] == []


def test_every_argument_of_remember_and_recall_is_described():
    wanted = {name for call in (Recollect.remember, Recollect.recall) for name in inspect.signature(call).parameters}
    assert [name for name in sorted(wanted - {"self"}) if f"`{name}`" not in _page("python.md")] == []


def test_every_filter_and_operator_is_described():
    assert [name for name in (*Filters.__annotations__, *OPERATORS) if f"`{name}`" not in _page("filters.md")] == []


def test_links_out_of_docs_lead_to_pages_of_the_site_or_are_text():
    site = _loaded("site_pages")
    page = "[a](../ARCHITECTURE.md#walks) [b](../training/lives) [c](chat.md#top) [d](https://example.org)\n```\n[e](../x)\n```\n"
    shown = "[a](ARCHITECTURE.md#walks) b [c](chat.md#top) [d](https://example.org)\n```\n[e](../x)\n```\n"
    assert site.inside(page, "faq.md") == shown
    assert "](docs/" not in site.at_root("ARCHITECTURE.md")


@pytest.mark.parametrize(
    "element",
    [
        '<script src="https://example.org/a.js"></script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
        '<img src="http://example.org/a.png">',
        '<style>@import "https://example.org/a.css";</style>',
        '<p style="background: url(https://example.org/a.png)">',
        '<iframe src="https://example.org"></iframe>',
    ],
)
def test_something_loaded_from_elsewhere_is_found(element, tmp_path):
    (tmp_path / "page.html").write_text(f"<html>{element}", encoding="utf-8")
    [problem] = _loaded("check_site").problems(tmp_path)
    assert problem.startswith("page.html loads ") and "example.org" in problem


def test_a_font_from_elsewhere_in_a_style_sheet_and_a_broken_link_are_found(tmp_path):
    (tmp_path / "a.css").write_text("@font-face { src: url(https://example.org/a.woff2) }", encoding="utf-8")
    (tmp_path / "page.html").write_text('<a href="gone.html">x</a> <a href="#here">x</a>', encoding="utf-8")
    found = list(_loaded("check_site").problems(tmp_path))
    assert len(found) == 3 and "a.css loads https://example.org/a.woff2" in found


def test_a_page_that_loads_its_own_files_and_links_elsewhere_is_fine(tmp_path):
    (tmp_path / "a.js").write_text("", encoding="utf-8")
    page = '<script src="a.js"></script><a href="https://example.org">x</a><h1 id="here"><a href="page.html#here">x</a>'
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    assert list(_loaded("check_site").problems(tmp_path)) == []
