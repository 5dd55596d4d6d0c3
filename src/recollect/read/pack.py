"""Returns as many candidates as were asked for and fit the token budget."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..recipes.recipe import Pack
from ..types import Candidate


def pack(candidates: Sequence[Candidate], how: Pack, *, limit: int, budget_tokens: int | None) -> list[Candidate]:
    """Takes the best up to the limit and stops before the first that exceeds the budget. The first is kept even if it
    does."""
    budget = budget_tokens if budget_tokens is not None else how.budget_tokens
    kept: list[Candidate] = []
    used = 0.0
    least = -math.inf if how.above is None else how.above
    for candidate in [c for c in candidates if c.score.value > least][:limit]:
        used += tokens(candidate.memory.text, how)
        if kept and budget is not None and used > budget:
            break
        kept.append(candidate)
    return kept


def with_room(candidates: list[Candidate], wanted: frozenset[str], limit: int) -> list[Candidate]:
    """Keeps the order, but makes room for these memories among the first `limit`; the last ones move back."""
    asked = [n for n, c in enumerate(candidates) if wanted and wanted & {c.memory.id, *(p.memory.id for p in c.parts)}]
    asked = asked[:limit]
    if not asked or asked[-1] < limit:
        return candidates
    others = [n for n in range(len(candidates)) if n not in asked]
    room = limit - len(asked)
    return [candidates[n] for n in (*sorted([*asked, *others[:room]]), *others[room:])]


def tokens(text: str, how: Pack) -> float:
    estimated = len(text) / how.chars_per_token
    return math.ceil(estimated) if how.whole_tokens else estimated
