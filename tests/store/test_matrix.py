"""Vectors beyond what is compared one by one."""

import numpy as np
import pytest

from recollect.store.sqlite.matrix import EXACT_UP_TO, Matrix
from recollect.store.sqlite.sketch import HALF_SCALE, floats, sketches, unscaled

ROWS, DIM = EXACT_UP_TO + 2_000, 128


@pytest.fixture(scope="module")
def large():
    chosen = np.random.default_rng(7)
    vectors = chosen.normal(size=(ROWS, DIM)) + 0.5
    vectors[1000:1020] = vectors[:20] + chosen.normal(size=(20, DIM)) * 0.1  # near-copies of the first twenty
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    halves = vectors.astype(np.float16)
    matrix = Matrix("0")
    matrix.append(range(1, ROWS + 1), range(ROWS), sketches(halves.astype(np.float32)).tobytes())
    return matrix.up_to(ROWS), halves.astype(np.float32), Reader(halves)


class Reader:
    """Reads vectors as a file would, and counts them."""

    def __init__(self, halves):
        self.halves, self.count = halves, 0

    def __call__(self, seqs):
        self.count += len(seqs)
        return [self.halves[seq - 1].tobytes() for seq in seqs]


def test_a_large_matrix_is_no_longer_exact(large):
    assert not large[0].exact


def test_sign_bits_miss_no_near_copy(large):
    matrix, vectors, read = large
    found = matrix.alike(vectors[:20], 0.92, read)
    for asked in range(20):
        near = set(np.flatnonzero(vectors @ vectors[asked] >= 0.92).tolist())
        assert near >= {asked, 1000 + asked}
        assert near <= set(found[asked].tolist())


def test_the_nearest_are_found_by_bits_and_rescored(large):
    matrix, vectors, read = large
    hits = 0
    for asked in range(1000, 1020):
        exact = set(np.argsort(-(vectors @ vectors[asked]))[:2].tolist())
        hits += exact <= set(matrix.best(vectors[asked], 10, read).tolist())
    assert hits == 20


def test_a_search_reads_few_vectors_of_a_large_matrix(large):
    matrix, vectors, read = large
    before = read.count
    matrix.best(vectors[5], 10, read)
    assert read.count - before <= 5_000
    again = read.count
    matrix.best(vectors[5], 10, read)
    assert read.count == again


def test_the_nearest_sparse_vectors_are_found_without_reading_all():
    chosen = np.random.default_rng(3)
    vectors = np.zeros((ROWS, 256), np.float32)
    for n in range(ROWS):
        vectors[n, chosen.choice(256, 6, replace=False)] = chosen.choice([-1, 1], 6)
    vectors[ROWS - 20 :] = vectors[:20]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    halves = vectors.astype(np.float16)
    matrix, read = Matrix("0"), Reader(halves)
    matrix.append(range(1, ROWS + 1), range(ROWS), sketches(vectors).tobytes())
    matrix = matrix.up_to(ROWS)
    found = matrix.alike(vectors[:20], 0.95, read)
    for asked in range(20):
        assert {asked, ROWS - 20 + asked} <= set(found[asked].tolist())
        assert {asked, ROWS - 20 + asked} <= set(matrix.best(vectors[asked], 5, read).tolist())
        assert len(found[asked]) < 500
    assert read.count < ROWS


def test_every_half_is_converted_exactly():
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)]
    assert np.array_equal(floats(halves), halves.astype(np.float32))


@pytest.mark.parametrize("dim", [3, 16, 100, 384, 1536])
def test_a_sketch_is_the_same_alone_and_among_others(dim):
    vectors = np.random.default_rng(1).normal(size=(50, dim)).astype(np.float32)
    together = sketches(vectors)
    alone = np.concatenate([sketches(vector[None]) for vector in vectors])
    assert np.array_equal(together, alone)
    assert together.shape[1] % 8 == 0


def test_the_bits_that_differ_tell_the_angle():
    chosen = np.random.default_rng(2)
    one = chosen.normal(size=(200, 384)).astype(np.float32)
    other = one + chosen.normal(size=one.shape).astype(np.float32)  # 45 degrees
    differing = np.bitwise_count(sketches(one) ^ sketches(other)).sum(axis=1)
    assert abs(differing.mean() / 512 - 0.25) < 0.01


def test_products_with_a_scaled_query_are_the_same_bit_by_bit():
    chosen = np.random.default_rng(5)
    halves = (chosen.normal(size=(300, DIM)) * 10.0 ** chosen.integers(-7, 1, size=(300, DIM))).astype(np.float16)
    query = chosen.normal(size=DIM).astype(np.float32)
    tiny = unscaled(halves.view(np.int16), np.empty(halves.shape, np.int32))
    assert np.array_equal(np.vecdot(tiny, query * HALF_SCALE), np.vecdot(floats(halves), query))


def test_a_question_that_is_repeated_finds_rows_that_were_added_meanwhile(large):
    _, vectors, _ = large
    more = np.concatenate([vectors, vectors[:1]])
    matrix, read = Matrix("0"), Reader(more.astype(np.float16))
    matrix.append(range(1, ROWS + 1), range(ROWS), sketches(vectors).tobytes())
    before = set(matrix.up_to(ROWS).best(vectors[0], 5, read).tolist())
    matrix.append([ROWS + 1], [ROWS], sketches(vectors[:1]).tobytes())
    assert ROWS not in before
    assert ROWS in matrix.up_to(ROWS + 1).best(vectors[0], 5, read).tolist()
    assert set(matrix.up_to(ROWS).best(vectors[0], 5, read).tolist()) == before
    assert 0 in matrix.up_to(ROWS).best(vectors[0], 5, read).tolist()
    assert 5 in matrix.up_to(ROWS + 1).best(vectors[5], 5, read).tolist()


def test_room_is_made_once_for_the_rows_that_are_coming():
    vectors = np.eye(64, dtype=np.float32)
    matrix = Matrix("0")
    matrix.append(range(1, 33), range(32), sketches(vectors[:32]).tobytes(), coming=5_000)
    held = matrix.words
    matrix.append(range(33, 65), range(32, 64), sketches(vectors[32:]).tobytes(), coming=4_968)
    assert matrix.words is held
    assert matrix.words[:, :64].T.tobytes() == sketches(vectors).tobytes()
