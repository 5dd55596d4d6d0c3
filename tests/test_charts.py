"""The charts in the docs show the tables beside them."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "make_charts.py"


def _loaded():
    spec = importlib.util.spec_from_file_location("make_charts", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_charts"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


CHARTS = _loaded()


@pytest.mark.parametrize("chart", CHARTS.CHARTS, ids=lambda chart: chart.name)
def test_a_chart_shows_the_table_of_its_page(chart):
    held = (CHARTS.IMAGES / f"{chart.name}.svg").read_text(encoding="utf-8")
    assert held == CHARTS.drawn(chart), "`make docs` draws the charts again"
    assert f"images/{chart.name}.svg" in (CHARTS.DOCS / chart.page).read_text(encoding="utf-8")
