"""An embedder with a memory of its own."""

import numpy as np

from recollect.embedders.cached import Cached
from recollect.embedders.hashing import Hashing


class Counting(Hashing):
    def __init__(self):
        self.seen = []

    def embed(self, texts):
        self.seen += texts
        return super().embed(texts)


def test_a_text_is_embedded_once_even_by_another_process(tmp_path):
    first, second = Counting(), Counting()
    a = Cached(first, tmp_path).embed(["one", "two", "one"])
    b = Cached(second, tmp_path).embed(["two", "three"])
    assert first.seen == ["one", "two"] and second.seen == ["three"]
    assert np.array_equal(a[0], a[2]) and np.array_equal(a[1], b[0])


def test_vectors_are_the_same_up_to_float16(tmp_path):
    texts = ["Ada prefers dark mode", "深圳"]
    found = Cached(Hashing(), tmp_path).embed(texts)
    assert found.dtype == np.float32
    assert np.abs(found - Hashing().embed(texts)).max() < 1e-3
    assert np.allclose(np.linalg.norm(found, axis=1), 1)


def test_it_passes_for_the_embedder_inside(tmp_path):
    cached = Cached(Hashing(), tmp_path)
    assert (cached.name, cached.fingerprint, cached.dim) == ("hashing", Hashing.fingerprint, Hashing.dim)
    assert cached.embed([]).shape == (0, Hashing.dim)


def test_another_fingerprint_is_another_vector(tmp_path):
    class Other(Counting):
        fingerprint = "other"

    Cached(Counting(), tmp_path).embed(["one"])
    other = Other()
    Cached(other, tmp_path).embed(["one"])
    assert other.seen == ["one"]
