"""What was measured of one library, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..speed.clock import Spread, Took


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One kind of search."""

    kind: str
    spread: Spread
    hits: float
    """The mean number of hits."""
    exact: float | None
    """The share of the exact ten nearest vectors that were found. None for searches by words."""

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Searched:
        took = [Took(call["wall"], call["cpu"]) for call in found["calls"]]
        return cls(kind=found["kind"], spread=Spread.of(took), hits=found["hits"], exact=found["exact"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One library on one size."""

    name: str
    version: str
    about: str
    rows: int = 0
    """Texts that were stored before the time was over."""
    add_wall_ms: float = 0.0
    add_cpu_ms: float = 0.0
    import_ms: float = 0.0
    first: Took | None = None
    """From opening the store to the first answer, without imports. None: it keeps nothing on disk."""
    memory_mb: float = 0.0
    disk_mb: float = 0.0
    searches: Sequence[Searched] = ()
    reason: str = ""
    """Why it has no figures, or not all."""

    @property
    def added_per_second(self) -> float:
        """By processor time, like the other figures of speed."""
        return self.rows / (self.add_cpu_ms / 1000) if self.rows and self.add_cpu_ms else 0.0

    def search(self, kind: str) -> Searched | None:
        return next((one for one in self.searches if one.kind == kind), None)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "added_per_second": self.added_per_second}


@dataclass(slots=True, kw_only=True)
class Sized:
    """All libraries on one size, beside one exact scan of all vectors."""

    size: int
    scan: Spread
    measured: list[Measured] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {"size": self.size, "scan": asdict(self.scan), "libraries": [one.to_dict() for one in self.measured]}
