"""Links between pages lead somewhere, and pages named in the code exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("training/**/*.md")])
CODE = sorted(
    path
    for folder in ("src", "scripts", "bench", "training", "tests")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".js", ".toml")
)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
NAMED = re.compile(r"\bdocs/[\w./-]+\.md\b")


def _name(path):
    return path.relative_to(ROOT).as_posix()


def _prose(page):
    """The page without its code blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def _anchors(page):
    """The anchors GitHub gives to a page's headings."""
    headings = HEADING.findall(_prose(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _broken(page):
    for target, anchor in LINK.findall(_prose(page)):
        leads_to = (page.parent / target).resolve() if target else page
        if not leads_to.exists() or (anchor and anchor not in _anchors(leads_to)):
            yield f"{target}#{anchor}" if anchor else target


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_relative_link_of_a_page_resolves(page):
    assert list(_broken(page)) == []


def test_every_page_named_in_code_exists():
    named = {(_name(path), page) for path in CODE for page in NAMED.findall(path.read_text(encoding="utf-8"))}
    assert [(path, page) for path, page in sorted(named) if not (ROOT / page).exists()] == []


def test_a_broken_link_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Here\n[gone](gone.md), [no heading](#there), [fine](#here), [fine](page.md)\n")
    assert list(_broken(page)) == ["gone.md", "#there"]
