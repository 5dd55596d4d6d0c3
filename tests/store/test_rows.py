"""Memories that are made of rows are like any other memory."""

import pickle
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from recollect.store.sql.rows import COLUMNS, Layout, to_memory
from recollect.testing.samples import memory
from recollect.types import Memory


def test_a_memory_made_of_a_row_equals_the_one_that_was_stored():
    stored = memory(1, "The tide comes at nine.", tags=("sea",), session_id="s", turn=3, role="user")
    made = to_memory(Layout(COLUMNS).values(stored))
    assert made == stored
    assert type(made) is Memory
    assert [getattr(made, field.name) for field in fields(Memory)] == [
        getattr(stored, field.name) for field in fields(Memory)
    ]
    assert pickle.loads(pickle.dumps(made)) == replace(made) == stored
    assert repr(made) == repr(stored)


def test_a_memory_made_of_a_row_can_not_be_changed():
    made = to_memory(Layout(COLUMNS).values(memory(1, "The tide comes at nine.")))
    with pytest.raises(FrozenInstanceError):
        made.text = "another"
