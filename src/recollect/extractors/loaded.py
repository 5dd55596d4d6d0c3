"""Which extractors has an open store loaded, and where are its dead letters?"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from ..config import Settings
from .protocol import Extractor

if TYPE_CHECKING:
    from .dead_letters import DeadLetters

ExtractorChoice: TypeAlias = str | Extractor | None
"""A name, an extractor, or None for the one of the settings."""


class LoadedExtractors:
    """The extractors of one open store. Each is loaded only once, so that one budget covers all conversations."""

    def __init__(self, url: str, settings: Settings) -> None:
        self._url, self._settings = url, settings
        self._loaded: dict[str, Extractor] = {}

    def get(self, wanted: ExtractorChoice = None) -> Extractor:
        """The extractor with this name, the given extractor, or by default the one of the settings."""
        from . import DEFAULT
        from .zone import zoned

        if wanted is not None and not isinstance(wanted, str):
            return zoned(wanted, self._settings.zone)
        name = wanted or self._settings.extractor or DEFAULT
        if name not in self._loaded:
            self._loaded.setdefault(name, zoned(self._load(name), self._settings.zone))
        return self._loaded[name]

    def _load(self, name: str) -> Extractor:
        from . import load
        from .limits import Limits

        limits = Limits(
            budget_tokens=self._settings.extractor_budget_tokens or None,
            budget_cost=self._settings.extractor_budget_cost or None,
            input_price_per_million=self._settings.extractor_input_price,
            output_price_per_million=self._settings.extractor_output_price,
        )
        return load(name, limits=limits, letters=self.dead_letters)

    @cached_property
    def dead_letters(self) -> DeadLetters:
        """The passages that a model could not process, in a file next to the store or in memory."""
        from .dead_letter_file import DeadLetterFile
        from .dead_letters import DeadLetterList

        in_a_file = self._url != ":memory:" and "://" not in self._url
        return DeadLetterFile(f"{self._url}.letters.jsonl") if in_a_file else DeadLetterList()
