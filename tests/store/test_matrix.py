"""Vectors beyond what is compared one by one."""

import numpy as np
import pytest

from recollect.store.sqlite.vectors import EXACT_UP_TO, Matrix

ROWS, DIM = EXACT_UP_TO + 2_000, 128


@pytest.fixture(scope="module")
def large():
    chosen = np.random.default_rng(7)
    vectors = chosen.normal(size=(ROWS, DIM)) + 0.5
    vectors[1000:1020] = vectors[:20] + chosen.normal(size=(20, DIM)) * 0.1  # near-copies of the first twenty
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    halves = vectors.astype(np.float16)
    matrix = Matrix("0")
    matrix.append(list(range(ROWS)), halves.tobytes())
    return matrix, halves.astype(np.float32)


def test_a_large_matrix_is_no_longer_exact(large):
    assert not large[0].exact


def test_sign_bits_miss_no_near_copy(large):
    matrix, vectors = large
    found = matrix.alike(vectors[:20], 0.92)
    for asked in range(20):
        near = set(np.flatnonzero(vectors @ vectors[asked] >= 0.92).tolist())
        assert near >= {asked, 1000 + asked}
        assert near <= set(found[asked])


def test_the_nearest_are_found_by_bits_and_rescored(large):
    matrix, vectors = large
    hits = 0
    for asked in range(1000, 1020):
        exact = set(np.argsort(-(vectors @ vectors[asked]))[:2].tolist())
        hits += exact <= set(matrix.best(vectors[asked], 10).tolist())
    assert hits == 20
