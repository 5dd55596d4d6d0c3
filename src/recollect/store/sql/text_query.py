"""The arguments of a search by words, for both engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...types import FIELDS, Filter


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuery:
    """See `store.protocol.Index.search_text`."""

    content: Sequence[str]
    stop: Sequence[str]
    filter: Filter
    match: Literal["any", "all"]
    fields: Mapping[str, float]
    limit: int

    @property
    def required(self) -> list[str]:
        """The terms that a memory must contain, any or all of them."""
        return list(self.content or self.stop)

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.content, *self.stop)))

    @property
    def weights(self) -> dict[str, float]:
        """Field → weight for the searched fields, in the order of the index's columns."""
        return {name: self.fields[name] for name in FIELDS if self.fields.get(name)}
