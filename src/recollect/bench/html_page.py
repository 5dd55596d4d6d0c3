"""Tables and pictures, and the HTML page that shows them: one file without other resources."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        rows = [dict(zip(self.head, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": list(self.notes)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    title: str
    svg: str

    @property
    def file(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") + ".svg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    title: str
    about: str = ""


Part: TypeAlias = Table | Picture | Heading

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; font-size: 13px; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { border-bottom: 1px solid #ddd; padding: .2rem .7rem .2rem 0; text-align: left; white-space: nowrap; }
th { font-weight: 500; color: #666; } figure { margin: 1rem 0; } .scroll { overflow-x: auto; }
p.note { color: #666; font-size: 13px; margin: .2rem 0; } h2 { margin-top: 2.5rem; }
"""


def write(data: Mapping[str, Any], title: str, parts: Sequence[Part], out: Path, stem: str = "report") -> list[Path]:
    """Writes the data as JSON, the page, and each picture as a file. Returns the paths."""
    out.mkdir(parents=True, exist_ok=True)
    texts = {f"{stem}.json": json.dumps(data, ensure_ascii=False, indent=1), f"{stem}.html": page(title, parts)}
    texts |= {f"{stem}-{part.file}": part.svg for part in parts if isinstance(part, Picture)}
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    return [out / name for name in texts]


def page(title: str, parts: Sequence[Part]) -> str:
    body = "\n".join(map(_html, parts))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def _html(part: Part) -> str:
    match part:
        case Heading():
            return f"<h2>{escape(part.title)}</h2>" + (f"<p>{escape(part.about)}</p>" if part.about else "")
        case Picture():
            return f"<figure>{part.svg}</figure>"
        case Table():
            return _table(part)


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in table.rows)
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in table.notes)
    return (
        f'<div class="scroll"><table><caption>{escape(table.title)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{notes}"
    )
