"""Checks the arguments of callers and turns them into memories. Errors name the field and the accepted values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar

from ..errors import InvalidInput, UnknownName
from ..ids import new_id
from ..text.moments import parse_moment
from ..types import GRANULARITIES, Memory

Given = TypeVar("Given")
Checked = TypeVar("Checked")

MOST_CHARS = 1_000_000
"""Longer texts should be ingested as documents: recall finds chunks better than a very long text."""
MOST_TAGS = 256
MOST_PATH_CHARS = 256

FIELDS = frozenset(
    "text kind tags entities gist importance confidence metadata namespace session_id at occurred_at expires_at "
    "source origin trust turn role granularity dedup".split()
)


def memory(
    item: Mapping[str, Any], *, namespace: str, now: datetime, origin: str = "user", trust: str = "user"
) -> Memory:
    """One memory from `remember`'s arguments."""
    for name in item:
        if name not in FIELDS:
            raise UnknownName("field", name, FIELDS)
    created_at = moment("at", item.get("at")) or now
    occurred_at = moment("occurred_at", item.get("occurred_at"))
    return Memory(
        id=new_id(),
        text=text(item.get("text")),
        kind=label("kind", item.get("kind") or "fact"),
        tags=labels("tags", item.get("tags")),
        entities=labels("entities", item.get("entities")),
        gist=short("gist", item.get("gist") or ""),
        importance=share("importance", item.get("importance", 0.5)),
        confidence=share("confidence", item.get("confidence", 1.0)),
        namespace=path(namespace if item.get("namespace") is None else item["namespace"]),
        session_id=optional("session_id", item.get("session_id")),
        turn=position("turn", item.get("turn")),
        role=optional("role", item.get("role")),
        granularity=one_of("granularity", item.get("granularity") or "memory", GRANULARITIES),
        source=optional("source", item.get("source")),
        origin=label("origin", item.get("origin") or origin),
        trust=label("trust", item.get("trust") or trust),
        metadata=metadata(item.get("metadata")),
        created_at=created_at,
        occurred_at=occurred_at,
        valid_from=occurred_at or created_at,
        expires_at=moment("expires_at", item.get("expires_at")),
    )


def each(what: str, items: Iterable[Given], check: Callable[[Given], Checked]) -> list[Checked]:
    """The checked items. From the second item on, an error begins with the item's number."""
    found: list[Checked] = []
    for n, item in enumerate(items):
        try:
            found.append(check(item))
        except InvalidInput as error:
            if n == 0:
                raise
            raise InvalidInput(f"{what} {n}: {error}") from None
    return found


def text(value: object, field: str = "text") -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{field} must be a string, not {type(value).__name__}")
    if not value.strip():
        raise InvalidInput(f"{field} is empty: it needs some words")
    if len(value) > MOST_CHARS:
        raise InvalidInput(
            f"{field} has {len(value):,} characters, more than {MOST_CHARS:,}: split it, or ingest it as a file"
        )
    return clean(field, value)


def clean(field: str, value: str) -> str:
    if "\0" in value:
        raise InvalidInput(f"{field} contains a NUL character: that is binary data, not text")
    try:
        if not value.isascii():
            value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{field} contains half of a surrogate pair at character {error.start}") from None
    return value


def short(field: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > 10_000:
        raise InvalidInput(f"{field} must be a string of at most 10,000 characters")
    return clean(field, value.strip())


def label(field: str, value: object) -> str:
    return _label(field, value) if isinstance(value, str) and len(value) <= 128 else _new_label(field, value)


@lru_cache(maxsize=1_024)
def _label(field: str, value: str) -> str:
    return _new_label(field, value)


def _new_label(field: str, value: object) -> str:
    found = short(field, value)
    if not found or len(found) > 128:
        raise InvalidInput(f"{field} must have 1 to 128 characters, not {len(found)}")
    return found


def optional(field: str, value: object) -> str | None:
    return None if value is None else label(field, value)


def labels(field: str, values: object) -> tuple[str, ...]:
    """The labels in the given order, trimmed and without duplicates."""
    if values is None:
        return ()
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidInput(f"{field} must be a list of strings, not {values!r}")
    if len(values) > MOST_TAGS:
        raise InvalidInput(f"{field} has {len(values)} entries, more than {MOST_TAGS}")
    return tuple(dict.fromkeys(label(field, value) for value in values))


def choice(field: str, values: object) -> tuple[str, ...]:
    """The labels of a filter. A single string counts as a list of one."""
    return labels(field, [values] if isinstance(values, str) else values)


def share(field: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1 or math.isnan(value):
        raise InvalidInput(f"{field} must be a number from 0 to 1, not {value!r}")
    return float(value)


def count(field: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{field} must be a whole number of at least 1, not {value!r}")
    return value


def position(field: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise InvalidInput(f"{field} must be a whole number from 0, not {value!r}")
    return value


def one_of(field: str, value: Any, known: Sequence[Any]) -> Any:  # noqa: ANN401 - one of the known values
    if value not in known:
        raise UnknownName(field, value, known)
    return value


def several_of(field: str, values: object, known: Sequence[Any]) -> tuple[Any, ...]:
    """Names that must all be known. A single string counts as a list of one."""
    return tuple(one_of(field, value, known) for value in choice(field, values))


def at_or_now(at: str | datetime | None = None) -> datetime:
    return moment("at", at) or datetime.now(UTC)


def moment(field: str, value: str | datetime | None) -> datetime | None:
    if value is None:
        return None
    try:
        return parse_moment(value).astimezone(UTC)
    except InvalidInput as error:
        raise InvalidInput(f"{field}: {error}") from None


def metadata(value: object) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidInput("metadata must be a dict with string keys")
    try:
        written = clean("metadata", json.dumps(dict(value), ensure_ascii=False, allow_nan=False))
        found = json.loads(written)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"metadata must be JSON: {error}") from None
    if "\\u0000" in written:  # a NUL in JSON, which not every store can save
        raise InvalidInput("metadata contains a NUL character")
    return dict(found)


def path(value: object, field: str = "namespace") -> str:
    """A namespace such as `acme/agents/ada`."""
    if not isinstance(value, str) or len(value) > MOST_PATH_CHARS:
        raise InvalidInput(f"{field} must be a path of at most {MOST_PATH_CHARS} characters")
    clean(field, value)
    parts = value.split("/")
    for part in parts:
        if not part.strip() or part != part.strip() or part in (".", "..") or not part.isprintable():
            raise InvalidInput(
                f"{field} {value!r} is not a path such as acme/agents/ada: the part {part!r} can't be used"
            )
    return value


def paths(namespace: str | None) -> tuple[str, ...]:
    """The namespaces of a store's call: one, or none for all."""
    return () if namespace is None else (path(namespace),)


def arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """A method's own arguments by name, from its `locals()`."""
    return {name: value for name, value in given.items() if name != "self"}
