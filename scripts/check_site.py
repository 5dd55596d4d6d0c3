"""Checks the built site: a page loads nothing from elsewhere, and its links lead somewhere. `make site` runs it.

python scripts/check_site.py site
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "use": ("href", "xlink:href"),
}
"""Element → the attributes that a browser loads without being asked."""
NOT_LOADED = {"canonical", "alternate", "prev", "next", "edit"}
"""Relations of `link` that only name an address."""
IN_STYLES = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s;]+)""")


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self._in_style = tag == "style"
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag != "link" or given.get("rel") not in NOT_LOADED:
            self.loads += [given[name] for name in LOADED.get(tag, ()) if name in given]
        self.loads += IN_STYLES.findall(given.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loads += IN_STYLES.findall(data)


def external(address: str) -> bool:
    return bool(urlsplit(address).netloc) or urlsplit(address).scheme in ("http", "https", "ws", "wss", "ftp")


def problems(folder: Path) -> Iterator[str]:
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    if not pages:
        yield f"{folder} has no pages"
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        yield from (f"{name} loads {address}" for address in page.loads if external(address))
        yield from (
            f"{name} links to {link}, which is not there" for link in page.links if not _leads(link, path, pages)
        )
    for path in sorted(folder.rglob("*.css")):
        loads = IN_STYLES.findall(path.read_text(encoding="utf-8"))
        yield from (f"{path.relative_to(folder)} loads {address}" for address in loads if external(address))


def _leads(link: str, path: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or path.name == "404.html":
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return False
    anchor = unquote(parts.fragment)
    return not anchor or target not in pages or anchor in pages[target].ids


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "site")
    found = list(problems(folder))
    for problem in found:
        print(problem)
    if found:
        raise SystemExit(f"{len(found)} problems in {folder}")
    pages = len(list(folder.rglob("*.html")))
    print(f"{pages} pages in {folder}: nothing is loaded from elsewhere, and all links lead somewhere")


if __name__ == "__main__":
    main()
