"""As many hits as were asked for and fit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..recipes.recipe import Pack
from ..types import Candidate


def pack(candidates: Sequence[Candidate], how: Pack, *, limit: int, budget_tokens: int | None) -> list[Candidate]:
    """Best first, up to the limit, stopping before the first one that overflows; the first always fits."""
    budget = budget_tokens if budget_tokens is not None else how.budget_tokens
    kept: list[Candidate] = []
    used = 0
    for candidate in candidates[:limit]:
        used += tokens(candidate.memory.text, how.chars_per_token)
        if kept and budget is not None and used > budget:
            break
        kept.append(candidate)
    return kept


def tokens(text: str, chars_per_token: float) -> int:
    return math.ceil(len(text) / chars_per_token)
