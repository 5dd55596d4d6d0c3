"""What the site does with pages and links outside docs/. mkdocs calls it; see `hooks` in mkdocs.yml."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ADDED = ("ARCHITECTURE.md", "CHANGELOG.md")
"""Pages of the project's root that are pages of the site too."""
LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_files(files: Any, *, config: Any) -> Any:  # noqa: ANN401 - mkdocs is not installed where this is checked
    from mkdocs.structure.files import File

    for name in ADDED:
        files.append(File.generated(config, name, content=at_root(name)))
    return files


def on_page_markdown(text: str, *, page: Any, **_: object) -> str:  # noqa: ANN401
    return text if page.file.src_uri in ADDED else inside(text, page.file.src_uri)


def at_root(name: str) -> str:
    """A page of the project's root, with its links as they are in the site."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return _with_links(text, lambda target: target.removeprefix("docs/") if target.startswith("docs/") else target)


def inside(text: str, page: str) -> str:
    """A page of docs/, with its links as they are in the site."""
    folder = posixpath.join("docs", posixpath.dirname(page))

    def target_of(target: str) -> str | None:
        leads_to = posixpath.normpath(posixpath.join(folder, target))
        if leads_to.startswith("docs/"):
            return target
        return posixpath.relpath(leads_to, posixpath.dirname(page) or ".") if leads_to in ADDED else None

    return _with_links(text, target_of)


def _with_links(text: str, target_of: Any) -> str:  # noqa: ANN401 - a function
    def changed(link: re.Match[str]) -> str:
        target = target_of(link[2])
        return link[1] if target is None else f"[{link[1]}]({target}{link[3] or ''})"

    parts = FENCED.split(text)
    return "".join(part if part.startswith("```") else LINK.sub(changed, part) for part in parts)
