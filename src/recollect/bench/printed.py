"""Columns with a printed number beside the measured one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MISSING = "–"
"""There is no such number: it was not printed, or not measured."""
PRINTED, OURS = "printed", "ours"


def heads(names: Iterable[str]) -> tuple[str, ...]:
    """Two columns for each name."""
    return tuple(f"{name} {whose}" for name in names for whose in (PRINTED, OURS))


def beside(printed: Sequence[str], ours: Sequence[str]) -> tuple[str, ...]:
    """The cells of those columns."""
    return tuple(cell for pair in zip(printed, ours, strict=True) for cell in pair)


def same(printed: str, ours: str) -> str:
    """`yes` if both are the same text, or the same number with as many digits as were printed."""
    return "yes" if printed == ours or _rounded(printed, ours) else "no"


def _rounded(printed: str, ours: str) -> bool:
    digits = len(printed.partition(".")[2])
    try:
        return f"{float(ours):.{digits}f}" == f"{float(printed):.{digits}f}"
    except ValueError:
        return False
