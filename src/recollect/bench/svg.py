"""Draws plots as SVG text, without a library and without scripts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TypeAlias

Span: TypeAlias = tuple[float, float, float]
"""A value, and the low and high end of its interval."""
Points: TypeAlias = Sequence[tuple[float, float]]

COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0")
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 34, 44
WIDTH, HEIGHT = 720, 320
ROW = 22
LEGEND_ROW = 16
CHAR = 6.2
"""The approximate width of a letter in labels."""


@dataclass
class Drawing:
    """A drawing: a list of SVG shapes."""

    width: float
    height: float
    title: str
    shapes: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, said: str, *, anchor: str = "start", size: int = 11) -> None:
        self.shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(said)}</text>'
        )

    def rect(self, x: float, y: float, width: float, height: float, fill: str, hint: str = "") -> None:
        shown = f"<title>{escape(hint)}</title>" if hint else ""
        size = f'width="{max(width, 0):.1f}" height="{height:.1f}"'
        self.shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{fill}">{shown}</rect>')

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = "#999", dash: str = "") -> None:
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.shapes.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}"{dashed}/>')

    def path(self, points: Points, stroke: str) -> None:
        placed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.shapes.append(f'<polyline points="{placed}" fill="none" stroke="{stroke}" stroke-width="2"/>')

    def dot(self, x: float, y: float, fill: str, hint: str = "") -> None:
        self.shapes.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{fill}"><title>{escape(hint)}</title></circle>'
        )

    def legend(self, names: Sequence[str], y: float) -> None:
        x = float(LEFT)
        for name, colour in zip(names, _colours(names), strict=True):
            if x + len(name) * CHAR + 20 > self.width and x > LEFT:
                x, y = float(LEFT), y + LEGEND_ROW
            self.rect(x, y - 9, 10, 10, colour)
            self.text(x + 14, y, name)
            x += len(name) * CHAR + 30

    def __str__(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:.0f} {self.height:.0f}" role="img" '
            f'font-family="system-ui, sans-serif" fill="#333"><title>{escape(self.title)}</title>'
            f'<rect width="100%" height="100%" fill="#fff"/>{"".join(self.shapes)}</svg>'
        )


def _colours(names: Sequence[str]) -> list[str]:
    return [COLOURS[n % len(COLOURS)] for n in range(len(names))]


def _sheet(title: str, height: float) -> Drawing:
    drawing = Drawing(WIDTH, height, title)
    drawing.text(LEFT, 18, title, size=13)
    return drawing


# Bars ---------------------------------------------------------------------------------------------


def bars(title: str, groups: Mapping[str, Mapping[str, Span]]) -> str:
    """Horizontal bars from 0 to 1 with intervals: one per group and series."""
    series = list(dict.fromkeys(name for group in groups.values() for name in group))
    label = min(240.0, max((len(group) for group in groups), default=0) * CHAR + 16)
    height = TOP + sum(len(group) * 12 + 12 for group in groups.values()) + BOTTOM + LEGEND_ROW
    drawing = _sheet(title, height)
    scale = _scale(label, WIDTH - RIGHT, 0.0, 1.0)
    y = float(TOP)
    for name, group in groups.items():
        drawing.text(label - 8, y + len(group) * 6 + 4, name, anchor="end")
        for one, span in group.items():
            _bar(drawing, scale, y, one, span, COLOURS[series.index(one) % len(COLOURS)])
            y += 12
        y += 12
    _x_axis(drawing, scale, y, [n / 5 for n in range(6)], "")
    drawing.legend(series, y + 32)
    return str(drawing)


def _bar(drawing: Drawing, scale: Callable[[float], float], y: float, name: str, span: Span, colour: str) -> None:
    value, low, high = span
    drawing.rect(scale(0), y, scale(value) - scale(0), 9, colour, f"{name}: {value:.3f} [{low:.3f}, {high:.3f}]")
    drawing.line(scale(low), y + 4.5, scale(high), y + 4.5, "#333")


def log_bars(title: str, groups: Mapping[str, Mapping[str, float]], unit: str) -> str:
    """Horizontal bars on a logarithmic axis: one per group and series. A value of 0 has no bar."""
    series = list(dict.fromkeys(name for group in groups.values() for name in group))
    every = [value for group in groups.values() for value in group.values() if value > 0] or [1.0]
    label = min(200.0, max((len(group) for group in groups), default=0) * CHAR + 16)
    drawing = _sheet(title, TOP + sum(len(group) * 12 + 12 for group in groups.values()) + BOTTOM + LEGEND_ROW)
    start, end = 10 ** math.floor(math.log10(min(every))), max(every)
    scale = _log_scale(label, WIDTH - RIGHT - 60, start, end)
    y = float(TOP)
    for name, group in groups.items():
        drawing.text(label - 8, y + len(group) * 6 + 4, name, anchor="end")
        for one, value in group.items():
            colour = COLOURS[series.index(one) % len(COLOURS)]
            if value > 0:
                drawing.rect(label, y, scale(value) - label, 9, colour, f"{one}: {value:,.4g} {unit}")
                drawing.text(scale(value) + 4, y + 9, f"{value:,.4g}", size=9)
            y += 12
        y += 12
    _x_axis(drawing, scale, y, _decades(start, end), unit)
    drawing.legend(series, y + 32)
    return str(drawing)


def stacked(title: str, rows: Mapping[str, Mapping[str, float]], unit: str) -> str:
    """Stacked horizontal bars: the parts of each row one after the other."""
    parts = list(dict.fromkeys(name for row in rows.values() for name in row))
    most = max((sum(row.values()) for row in rows.values()), default=1.0) or 1.0
    label = min(200.0, max((len(name) for name in rows), default=0) * CHAR + 16)
    legend_rows = math.ceil(sum(len(name) * CHAR + 30 for name in parts) / (WIDTH - LEFT))
    drawing = _sheet(title, TOP + len(rows) * ROW + BOTTOM + legend_rows * LEGEND_ROW)
    scale = _scale(label, WIDTH - RIGHT - 40, 0.0, most)
    for n, (name, row) in enumerate(rows.items()):
        _stack(drawing, scale, TOP + n * ROW, name, row, parts, unit)
    bottom = TOP + len(rows) * ROW + 4
    _x_axis(drawing, scale, bottom, _ticks(0.0, most), unit)
    drawing.legend(parts, bottom + 36)
    return str(drawing)


def _stack(
    drawing: Drawing,
    scale: Callable[[float], float],
    y: float,
    name: str,
    row: Mapping[str, float],
    parts: Sequence[str],
    unit: str,
) -> None:
    drawing.text(scale(0) - 8, y + 12, name, anchor="end")
    start = 0.0
    for part, value in row.items():
        colour = COLOURS[parts.index(part) % len(COLOURS)]
        drawing.rect(scale(start), y, scale(start + value) - scale(start), 15, colour, f"{part}: {value:.2f} {unit}")
        start += value
    drawing.text(scale(start) + 4, y + 12, f"{start:.1f}")


# Curves -------------------------------------------------------------------------------------------


def curves(
    title: str, series: Mapping[str, Points], *, x: str, y: str, log: bool = False, unit_square: bool = False
) -> str:
    """Lines with dots. `log`: both axes are logarithmic. `unit_square`: both axes go from 0 to 1, with the diagonal."""
    drawing = _sheet(title, HEIGHT + BOTTOM)
    every = [point for points in series.values() for point in points]
    if not every:
        return str(drawing)
    across, up = _axes(every, log, unit_square)
    _frame(drawing, every, across, up, log, unit_square, x, y)
    for (name, points), colour in zip(series.items(), _colours(list(series)), strict=True):
        placed = [(across(a), up(b)) for a, b in points]
        drawing.path(placed, colour)
        for (a, b), place in zip(points, placed, strict=True):
            drawing.dot(*place, colour, f"{name}: {a:g} → {b:.4g}")
    drawing.legend(list(series), HEIGHT + BOTTOM - 6)
    return str(drawing)


def _axes(every: Points, log: bool, unit_square: bool) -> tuple[Callable[[float], float], Callable[[float], float]]:
    if unit_square:
        return _scale(LEFT, WIDTH - RIGHT, 0.0, 1.0), _scale(HEIGHT - BOTTOM, TOP, 0.0, 1.0)
    form = _log_scale if log else _scale
    xs, ys = [a for a, _ in every], [b for _, b in every]
    low = min(ys) if log else min(0.0, *ys)
    return form(LEFT, WIDTH - RIGHT, min(xs), max(xs)), form(HEIGHT - BOTTOM, TOP, low, max(ys))


def _frame(
    drawing: Drawing,
    every: Points,
    across: Callable[[float], float],
    up: Callable[[float], float],
    log: bool,
    unit_square: bool,
    x: str,
    y: str,
) -> None:
    form = _decades if log else _ticks
    xs = [0.0, 1.0] if unit_square else [a for a, _ in every]
    ys = [0.0, 1.0] if unit_square else [b for _, b in every]
    _x_axis(drawing, across, HEIGHT - BOTTOM, form(min(xs), max(xs)), x)
    for tick in form(min(ys) if log else min(0.0, *ys), max(ys)):
        drawing.line(LEFT, up(tick), WIDTH - RIGHT, up(tick), "#eee")
        drawing.text(LEFT - 6, up(tick) + 4, f"{tick:g}", anchor="end")
    drawing.text(LEFT, TOP - 4, y, size=10)
    if unit_square:
        drawing.line(across(0), up(0), across(1), up(1), "#999", "4 3")


def reliability(title: str, bins: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    """A reliability diagram: on the diagonal, confidence is the share of answers that were in memory."""
    points = {name: [(one["said"], one["true"]) for one in listed] for name, listed in bins.items()}
    return curves(title, points, x="confidence", y="share in memory", unit_square=True)


# Axes ---------------------------------------------------------------------------------------------


def _scale(start: float, end: float, low: float, high: float) -> Callable[[float], float]:
    width = (high - low) or 1.0
    return lambda value: start + (value - low) / width * (end - start)


def _log_scale(start: float, end: float, low: float, high: float) -> Callable[[float], float]:
    least = max(low, 1e-6)
    inner = _scale(start, end, math.log10(least), math.log10(max(high, least * 10)))
    return lambda value: inner(math.log10(max(value, least)))


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers."""
    width = (high - low) or 1.0
    step = 10 ** math.floor(math.log10(width / 5))
    step *= next(factor for factor in (1, 2, 5, 10) if width / (step * factor) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 10) for n in range(first, math.floor(high / step + 1e-9) + 1)]


def _decades(low: float, high: float) -> list[float]:
    first, last = math.floor(math.log10(max(low, 1e-6))), math.ceil(math.log10(max(high, 1e-6)))
    return [10.0**n for n in range(first, last + 1) if max(low, 1e-6) * 0.999 <= 10.0**n <= high * 1.001]


def _x_axis(drawing: Drawing, scale: Callable[[float], float], y: float, ticks: Sequence[float], name: str) -> None:
    for tick in ticks:
        drawing.line(scale(tick), y - 2, scale(tick), y + 2)
        drawing.text(scale(tick), y + 14, f"{tick:g}", anchor="middle", size=10)
    drawing.text(WIDTH - RIGHT, y + 26, name, anchor="end", size=10)
