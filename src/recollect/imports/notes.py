"""Reads Markdown notes of Obsidian and basic-memory: front matter, tags, `[[links]]`, observations and relations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..ids import digest
from ..text.moments import parse_moment
from ..types import LINK_KINDS
from ..write.documents.chunk import chunks
from ..write.documents.ingest import date_in
from .found import Broken, Found, Item, Note, Relation, key_of

SUFFIXES = (".md", ".markdown")
_DATES = ("created", "date")
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([\w-]+):[ \t]*(.*)")
_ENTRY = re.compile(r"\s*-\s+(.*)")
_LINK = re.compile(r"\[\[([^\]|#^]+)[^\]]*\]\]")
_TAG = re.compile(r"(?<![\w#/&\[])#([^\W\d][\w/-]*)")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_OBSERVATION = re.compile(r"^\s*-\s+\[(?P<kind>[^\[\]\n]{2,60})\]\s+(?P<text>.+)$", re.MULTILINE)
_RELATION = re.compile(r"^\s*-\s+(?P<kind>[\w -]+?)\s*\[\[(?P<name>[^\]|#^]+)", re.MULTILINE)


def found_in_notes(paths: Sequence[Path], folder: Path) -> Found:
    """All notes of a folder. Their names are read first, so that a link finds a note that comes later."""
    names = {name: path for path in paths for name in _names(path, folder)}
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            yield Broken(str(path), str(getattr(error, "strerror", None) or "not UTF-8 text"))
            continue
        yield from _note(text, path, folder, names)


def _names(path: Path, folder: Path) -> Iterator[str]:
    """By what a link may name a note: its file name, its path, its title and its permalink."""
    yield path.stem.casefold()
    yield path.relative_to(folder).with_suffix("").as_posix().casefold()
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            front = front_matter(file.read(10_000))[0]
    except OSError:
        return
    yield from (str(front[name]).casefold() for name in ("title", "permalink") if front.get(name))


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The fields before the text, and the text. Reads `name: value`, `[a, b]` and lists of `- a`."""
    found = _FRONT.match(text)
    if not found:
        return {}, text
    fields: dict[str, Any] = {}
    last = ""
    for line in found[1].splitlines():
        if field := _FIELD.match(line):
            last = field[1]
            fields[last] = _value(field[2].strip())
        elif last and (entry := _ENTRY.match(line)):
            held = fields[last]
            fields[last] = [*(held if isinstance(held, list) else []), _value(entry[1].strip())]
    return fields, text[found.end() :]


def _value(text: str) -> Any:  # noqa: ANN401 - a text or a list of texts
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [_value(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def _note(text: str, path: Path, folder: Path, names: dict[str, Path]) -> Found:
    front, body = front_matter(text)
    said = _CODE.sub(" ", body)
    title = str(front.get("title") or path.stem)
    fields = {
        "tags": tags(front, said),
        "entities": [title[:128]],
        "metadata": {**{k: v for k, v in front.items() if k != "tags"}, **_place(path, folder)},
        "at": written_at(front) or date_in(path.stem),
        "dedup": False,
    }
    written, observed = list(_chunks(body, title, path, folder)), list(_observations(said, title, path, folder))
    for item in (*written, *observed):
        yield replace(item, fields={**fields, **item.fields})
    yield from (Relation(item.key, note_key(path, folder), "mentions") for item in observed)
    yield from _relations(said, path, folder, names)
    yield Note(**_place(path, folder), keys=frozenset(item.key for item in (*written, *observed)))


def _chunks(body: str, title: str, path: Path, folder: Path) -> Iterator[Item]:
    for number, chunk in enumerate(chunks(body) if body.strip() else ()):
        key = key_of("note", path.relative_to(folder), number, digest(chunk.text).hex())
        gist = " › ".join(chunk.headings) or title
        fields = {"text": chunk.text, "gist": gist, "kind": "document", "granularity": "chunk"}
        yield Item(key, fields, names="" if number else note_key(path, folder))


def _observations(said: str, title: str, path: Path, folder: Path) -> Iterator[Item]:
    for found in _OBSERVATION.finditer(said):
        key = key_of("note", path.relative_to(folder), "observation", digest(found[0]).hex())
        own = {"text": f"{title}: {found['text'].strip()}", "kind": found["kind"].strip(), "tags": tags({}, found[0])}
        yield Item(key, own)


def _place(path: Path, folder: Path) -> dict[str, str]:
    """Where a note is: two folders may have notes of one name."""
    return {"folder": str(folder.resolve()), "note": path.relative_to(folder).as_posix()}


def written_at(front: dict[str, Any]) -> datetime | None:
    """When the note was written, if its front matter says so."""
    for name in _DATES:
        try:
            return parse_moment(str(front.get(name) or ""))
        except InvalidInput:
            continue
    return None


def _relations(said: str, path: Path, folder: Path, names: dict[str, Path]) -> Iterator[Relation]:
    kinds = {found["name"].strip().casefold(): found["kind"].strip() for found in _RELATION.finditer(said)}
    for name in dict.fromkeys(link.strip().casefold() for link in _LINK.findall(said)):
        target = names.get(name)
        if target is not None and target != path:
            kind = kinds.get(name, "related").replace(" ", "_")
            known = kind if kind in LINK_KINDS and kind != "supersedes" else "related"
            yield Relation(note_key(path, folder), note_key(target, folder), known)


def note_key(path: Path, folder: Path) -> str:
    return key_of("note", path.relative_to(folder).as_posix())


def tags(front: dict[str, Any], said: str) -> list[str]:
    given = front.get("tags") or []
    listed = re.split(r"[,\s]+", given) if isinstance(given, str) else given
    found = [str(tag).lstrip("#") for tag in [*listed, *_TAG.findall(said)]]
    return [tag[:128] for tag in dict.fromkeys(found) if tag.strip()][:256]
