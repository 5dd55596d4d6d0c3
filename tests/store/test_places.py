"""Where wanted numbers are in a posting list: searched one by one, or by a table if they are many."""

import numpy as np
import pytest

from recollect.store.top_k import places


def numbers(chosen, count, size):
    return np.sort(chosen.choice(size, count, replace=False)).astype(np.int32)


@pytest.mark.parametrize(
    ("held", "wanted"), [(400, 3), (400, 390), (20, 900), (1, 1), (1, 999), (999, 1), (0, 5), (5, 0)]
)
def test_many_numbers_have_the_same_places_as_few(held, wanted):
    chosen = np.random.default_rng(held * 1_000 + wanted)
    for _ in range(20):
        own, asked = numbers(chosen, held, 1_000), numbers(chosen, wanted, 1_000)
        here, at = places(own, asked)
        both = sorted(set(own.tolist()) & set(asked.tolist()))
        assert asked[here].tolist() == own[at].tolist() == both
