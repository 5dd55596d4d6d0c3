"""Which page belongs to which table, and which rows an unreadable page had."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .cells import Page, RawText, read
from .pages import Pages, Unreadable

_DEEPEST = 40


@dataclass(frozen=True)
class Gap:
    """A page that can't be read, or some of its cells."""

    tree: str
    page: int
    after: int | None = None
    """Rowids above this one …"""
    until: int | None = None
    """… and up to this one are on the page; None if that is not known."""


@dataclass
class Tree:
    """The pages of a table or an index that can be reached from its root."""

    name: str
    pages: list[Page] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


def roots(pages: Pages) -> dict[str, int]:
    """Table or index → its first page; empty if the list of tables can't be read."""
    schema = walk(pages, "sqlite_schema", 1, set())
    found = {}
    for page in schema.pages:
        for cell in page.cells:
            match cell.values:
                case (RawText(), RawText() as name, RawText(), int(root), *_) if root:
                    found[name.decode("utf-8", "replace")] = root
    return found


def walk(pages: Pages, name: str, root: int, seen: set[int]) -> Tree:
    tree = Tree(name)
    for page in _below(pages, tree, (root, None, None), seen, 0):
        tree.pages.append(page)
        if page.unreadable:
            tree.gaps.append(Gap(name, page.number))
    return tree


Span = tuple[int, int | None, int | None]
"""A page, and the rowids that are on it: above the first, up to the second."""


def _below(pages: Pages, tree: Tree, span: Span, seen: set[int], depth: int) -> Iterator[Page]:
    number, after, until = span
    try:
        if number in seen or depth > _DEEPEST:
            raise Unreadable(f"page {number} belongs to something else")
        page = read(pages, number)
    except Unreadable:
        tree.gaps.append(Gap(tree.name, number, after, until))
        return
    seen.add(number)
    yield page
    for child in _children(page, after, until):
        yield from _below(pages, tree, child, seen, depth + 1)


def _children(page: Page, after: int | None, until: int | None) -> Iterator[Span]:
    for cell in page.cells:
        if cell.child is not None:
            yield cell.child, after, cell.rowid
            after = cell.rowid
    if page.last_child is not None:
        yield page.last_child, after, until
