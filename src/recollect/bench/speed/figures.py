"""What was measured, as plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ...types import Recall
from ..statistics import mean
from .clock import Spread, Took


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One kind of work on one store."""

    work: str
    spread: Spread
    rows: int = 0
    """Memories that it stored."""

    @classmethod
    def of(cls, work: str, took: Sequence[Took], rows: int = 0) -> Figure:
        return cls(work=work, spread=Spread.of(took), rows=rows)

    @property
    def per_second(self) -> float:
        """Memories stored per second of processor time."""
        return self.rows / self.total_seconds if self.rows and self.total_seconds else 0.0

    @property
    def total_seconds(self) -> float:
        return self.spread.cpu_mean * self.spread.calls / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """The mean time of each stage of a recipe's recalls, in milliseconds."""

    recipe: str
    ms: Mapping[str, float]

    @classmethod
    def of(cls, recipe: str, recalls: Sequence[Recall]) -> Stages:
        names = dict.fromkeys(step.stage for recall in recalls for step in recall.trace)
        sums = {name: [sum(s.ms for s in recall.trace if s.stage == name) for recall in recalls] for name in names}
        return cls(recipe=recipe, ms={name: mean(spent) for name, spent in sums.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A new process that opens the store and asks."""

    import_ms: float
    first_recall_ms: float
    """From opening the store to the first answer, without imports."""
    memory_mb: float
    """Resident memory after some questions."""


@dataclass(slots=True, kw_only=True)
class Sized:
    """Everything about one store."""

    size: int
    vectors: str
    scan: Spread
    figures: list[Figure] = field(default_factory=list)
    stages: list[Stages] = field(default_factory=list)
    opened: Opened | None = None
    file_mb: float = 0.0
    recall_at_10: float | None = None
    """The share of the exact ten nearest vectors that a search finds."""

    def get(self, work: str) -> Figure | None:
        return next((figure for figure in self.figures if figure.work == work), None)

    def ratio(self, ms: float) -> float:
        """Processor time as a multiple of the scan's."""
        return ms / self.scan.cpu_p50

    def to_dict(self) -> dict[str, Any]:
        found = asdict(self)
        for own, figure in zip(found["figures"], self.figures, strict=True):
            own["per_second"] = figure.per_second
            own["of_scan"] = {key: self.ratio(getattr(figure.spread, f"cpu_{key}")) for key in ("p50", "p95")}
        return found


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """The power b of the growth law t = a × n^b that fits best. None with fewer than two sizes."""
    logs = [(math.log(size), math.log(took)) for size, took in points if size > 0 and took > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    middle_x, middle_y = mean([x for x, _ in logs]), mean([y for _, y in logs])
    above = sum((x - middle_x) * (y - middle_y) for x, y in logs)
    return above / sum((x - middle_x) ** 2 for x, _ in logs)
