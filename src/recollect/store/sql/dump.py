"""Reads a whole store page by page. A mark is a part and a position in it, such as `events:41`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from .. import call
from ..tables import KINDS, is_copied
from ..values import Batch, Dumped, Put
from . import journal, memories, tables
from .dialect import Database, Dialect

Puts = Callable[[int, int], Sequence[tuple[int, Put]]]
"""(position, limit) → the next memories, each with its position."""
_PARTS = ("memories", "links", "recalls", "events", "rows")


def dump(db: Database, dialect: Dialect, puts: Puts, after: str, limit: int) -> Dumped:
    part, _, position = (after or "memories:0").partition(":")
    # the small tables are the whole store's, such as its keys: a call that is limited to a namespace gets none
    parts = _PARTS if call.scope() is None else _PARTS[:-1]
    for name in parts[parts.index(part) :]:
        batch, mark = _read(db, dialect, puts, name, position if name == part else "", limit)
        if mark:
            return Dumped(batch, f"{name}:{mark}")
    return Dumped(Batch(), "")


def _read(db: Database, dialect: Dialect, puts: Puts, part: str, position: str, limit: int) -> tuple[Batch, str]:
    """The next batch of a part and its mark; an empty mark at the end of the part."""
    match part:
        case "memories":
            page = puts(int(position or 0), limit)
            return Batch(puts=[put for _, put in page]), str(page[-1][0]) if page else ""
        case "links":
            links = memories.link_page(db, dialect, json.loads(position or '["", "", ""]'), limit)
            return Batch(links=links), json.dumps([links[-1].a, links[-1].b, links[-1].kind]) if links else ""
        case "events":
            logged = journal.event_page(db, dialect, int(position or 0), limit)
            return Batch(events=[event for _, event in logged]), str(logged[-1][0]) if logged else ""
        case "recalls":
            asked = journal.recall_page(db, dialect, position, limit)
            return Batch(recalls=asked), asked[-1].entry.id if asked else ""
    rows = [row for kind in KINDS for row in tables.rows(db, dialect, kind, {}) if is_copied(row)]
    return Batch(rows=rows), "" if position else "all"
