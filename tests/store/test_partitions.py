"""A store whose partitions are on three servers keeps every promise, and loses nothing when they move or die."""

import os

import pytest
from spread_stores import databases, emptied, spread

from recollect.store import open_store
from recollect.store.postgres.partitions.move import move
from recollect.testing.conformance import CHECKS

pytest_plugins = ["partition_fixtures"]

WHOLE = os.environ.get("RECOLLECT_TEST_PARTITIONS") == "whole"
"""All checks on the spread store. Otherwise every fourth one, which is enough to notice a broken statement."""


MOVING = ("acme", "acme2")
"""Checks move memories between these tenants, which needs them on one server. The others are on all three."""


@pytest.fixture(scope="module")
def on_three(three):
    with databases(three) as urls:
        spread(urls)
        for tenant in MOVING:
            move(urls[0], "east", tenant=tenant)
        yield urls[0]


@pytest.fixture
def store(on_three):
    opened = open_store(emptied(on_three))
    yield opened
    opened.close()


@pytest.mark.parametrize("check", CHECKS if WHOLE else CHECKS[::4], ids=lambda check: check.__name__)
def test_a_store_on_three_servers_conforms(check, store):
    check(store)
