"""Limits on time, tries, tokens and cost for asking a model."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, fields

from recollect.errors import InvalidInput
from recollect.extractors.passage import OverBudget

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Prices and the cost budget are in the same currency, the one the server charges in."""

    timeout_seconds: float = 120.0
    tries: int = 4
    """Requests per passage before the rules are used instead."""
    max_output_tokens: int = 2048
    max_passage_characters: int = 8000
    """About 2,000 tokens. With the instructions and the answer, this fits a context of 8,192 tokens."""
    budget_tokens: int | None = None
    budget_cost: float | None = None
    input_price_per_million: float = 0.0
    output_price_per_million: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            self._check(field.name, getattr(self, field.name))
        if self.budget_cost is not None and not self._has_prices():
            raise InvalidInput("budget_cost needs input_price_per_million or output_price_per_million")

    def _check(self, name: str, value: float | None) -> None:
        may_be_zero = name.startswith(("budget_", "input_", "output_"))
        if value is None and name.startswith("budget_"):
            return
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise InvalidInput(f"{name} must be a number, not {value!r}")
        if value < 0 or (value == 0 and not may_be_zero):
            raise InvalidInput(f"{name} must be {'at least' if may_be_zero else 'above'} 0, not {value!r}")

    def _has_prices(self) -> bool:
        return self.input_price_per_million > 0 or self.output_price_per_million > 0


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one request; estimated if the server does not report them."""

    input_tokens: int = 0
    output_tokens: int = 0
    is_estimated: bool = False

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Spent:
    """The total of all requests so far."""

    requests: int = 0
    estimated_requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class Meter:
    """Counts tokens, and refuses a request that could exceed the budget. Thread-safe.

    The most that a request can take is reserved before the request is made, so that several requests at once
    can't exceed the budget together.
    """

    def __init__(self, limits: Limits, spent: Spent | None = None) -> None:
        self.spent = spent or Spent()
        self._limits = limits
        self._reserved = Usage()
        self._lock = threading.Lock()

    def reserve(self, most: Usage) -> None:
        """Reserves tokens for a request. Raises OverBudget if less than `most` is left."""
        with self._lock:
            self._check(_sum(self._reserved, most))
            self._reserved = _sum(self._reserved, most)

    def settle(self, reserved: Usage, used: Usage) -> None:
        """Counts what was used and releases the reservation."""
        with self._lock:
            self._reserved = Usage(
                self._reserved.input_tokens - reserved.input_tokens,
                self._reserved.output_tokens - reserved.output_tokens,
            )
            self.spent = Spent(
                self.spent.requests + 1,
                self.spent.estimated_requests + used.is_estimated,
                self.spent.input_tokens + used.input_tokens,
                self.spent.output_tokens + used.output_tokens,
                self.spent.cost + self._cost(used),
            )

    def _check(self, wanted: Usage) -> None:
        tokens, cost = self._limits.budget_tokens, self._limits.budget_cost
        if tokens is not None and self.spent.tokens + wanted.tokens > tokens:
            left = f"{self.spent.tokens:,} of {tokens:,} tokens are spent"
            raise OverBudget(f"the budget is used up: {left}, and the next request could take {wanted.tokens:,}")
        if cost is not None and self.spent.cost + self._cost(wanted) > cost:
            left = f"{self.spent.cost:.6g} of {cost:.6g} is spent"
            raise OverBudget(f"the budget is used up: {left}, and the next request could cost {self._cost(wanted):.6g}")

    def _cost(self, used: Usage) -> float:
        return (
            used.input_tokens * self._limits.input_price_per_million
            + used.output_tokens * self._limits.output_price_per_million
        ) / _MILLION


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(one.input_tokens + other.input_tokens, one.output_tokens + other.output_tokens)
