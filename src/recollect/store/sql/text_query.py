"""The arguments of a search by words, for both engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...types import FIELDS, Filter
from ...types.bm25 import Formula


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuery:
    """See `store.protocol.Index.search_text`."""

    content: Sequence[str]
    stop: Sequence[str]
    filter: Filter
    match: Literal["any", "all"]
    fields: Mapping[str, float]
    limit: int
    formula: Formula | None = None

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

    @property
    def shares(self) -> dict[str, float]:
        """Term → the weight of its IDF."""
        of_stop = (self.formula or Formula()).stopword_weight if self.content else 1.0
        return dict.fromkeys(self.stop, of_stop) | dict.fromkeys(self.content, 1.0)
