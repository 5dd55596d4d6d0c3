"""What was tried, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field

HEAD = "| what was done | tried | survived | detected | lost | doubled | undetected | tracebacks |"


@dataclass(slots=True)
class Tally:
    """One row of the table."""

    what: str
    tried: int = 0
    survived: int = 0
    """Everything that was acknowledged is there, and the store is sound."""
    detected: int = 0
    """The damage or the error was reported."""
    lost: int = 0
    doubled: int = 0
    undetected: int = 0
    tracebacks: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def bad(self) -> int:
        return self.lost + self.doubled + self.undetected + self.tracebacks

    def count(self, problems: Problems, *, detected: bool = False) -> None:
        """Adds one try."""
        self.tried += 1
        self.lost += len(problems.lost)
        self.doubled += len(problems.doubled)
        self.undetected += len(problems.unsound)
        self.tracebacks += len(problems.tracebacks)
        self.notes += [str(note) for note in problems.all]
        if detected:
            self.detected += 1
        elif not problems.all:
            self.survived += 1

    def row(self) -> str:
        numbers = (self.tried, self.survived, self.detected, self.lost, self.doubled, self.undetected, self.tracebacks)
        return f"| {self.what} | {' | '.join(map(str, numbers))} |"


@dataclass(slots=True)
class Problems:
    """What went wrong in one try."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[str]:
        named = {"lost": self.lost, "doubled": self.doubled, "unsound": self.unsound, "traceback": self.tracebacks}
        return [f"{kind}: {what}" for kind, found in named.items() for what in found]


def table(rows: list[Tally]) -> str:
    return "\n".join([HEAD, "|---|---|---|---|---|---|---|---|", *(row.row() for row in rows)])
