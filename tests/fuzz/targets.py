"""What is fuzzed: each target takes any bytes. It may refuse them with an error of recollect, and with nothing else.

`make fuzz` runs the targets with atheris, which looks for inputs that reach new code. tests/test_fuzz.py runs the
corpus.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ValidationError

from recollect import Recollect
from recollect.errors import RecollectError
from recollect.imports.run import import_from
from recollect.read.question import filter_of
from recollect.recipes import toml
from recollect.serve.rest import requests
from recollect.text import dates
from recollect.text.moments import parse_moment

AT = datetime(2026, 11, 1, 12, tzinfo=UTC)
CORPUS = Path(__file__).parent / "corpus"
ENDINGS = (".json", ".jsonl", ".csv", ".md", ".txt", ".db")
Target = Callable[[bytes], object]


def refused(work: Callable[[], object], *errors: type[Exception]) -> bool:
    try:
        work()
    except (RecollectError, *errors):
        return True
    return False


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape" if data[:1] == b"\xff" else "replace")


@cache
def mind() -> Recollect:
    found = Recollect(":memory:", embedder="hashing")
    found.remember_many([{"text": f"Ada keeps parcel {n} in hall {n % 3}", "at": "2026-01-01"} for n in range(9)])
    return found


def recipe_files(data: bytes) -> None:
    refused(lambda: toml.loads(text_of(data)))


def dates_in_texts(data: bytes) -> None:
    text = text_of(data)
    dates.find_dates(text, AT)
    dates.find_when(text, AT)
    dates.written_dates(text)
    refused(lambda: parse_moment(text))


def filters(data: bytes) -> None:
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(given, dict):
        refused(lambda: mind().store.scan(filter_of("default", given), limit=3))
        refused(lambda: mind().store.scan(filter_of("default", {"where": given}), limit=3))


def wire_types(data: bytes) -> None:
    for kind in vars(requests).values():
        if isinstance(kind, type) and issubclass(kind, BaseModel) and kind.__module__ == requests.__name__:
            refused(lambda kind=kind: _taken(kind, data), ValidationError)


def _taken(kind: type[BaseModel], data: bytes) -> None:
    """What the server does with a request before it calls the memory."""
    made = kind.model_validate_json(data)
    given = made.arguments() if hasattr(made, "arguments") else {}
    if isinstance(made, requests.Conditions):
        filter_of("default", given)


def questions(data: bytes) -> None:
    refused(lambda: mind().recall(text_of(data), recipe="default-fast", at=AT, track=False))


def importers(data: bytes) -> None:
    """The first byte chooses how the file is called."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{ENDINGS[data[0] % len(ENDINGS)] if data else '.json'}"
        path.write_bytes(data[1:])
        refused(lambda: import_from(mind(), path, preview=True))


TARGETS: dict[str, Target] = {
    target.__name__: target for target in (recipe_files, dates_in_texts, filters, wire_types, questions, importers)
}
