"""The store conformance suite: every promise of `store.protocol`, as a function of a fresh store.

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_store(check):
        check(MyStore())

A check raises AssertionError where the store breaks its word. It may close the store.
"""

from __future__ import annotations

from collections.abc import Callable

from ..store.protocol import Store
from . import index, journal, maintenance, memories, tables

CHECKS: tuple[Callable[[Store], None], ...] = (
    *memories.CHECKS,
    *index.CHECKS,
    *journal.CHECKS,
    *tables.CHECKS,
    *maintenance.CHECKS,
)
