import hashlib
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.embedders.hashing import Hashing

ANY_TEXT = st.text(alphabet=st.characters(), max_size=80)
EMBEDDER = Hashing()


def cosine(one: str, other: str) -> float:
    first, second = EMBEDDER.embed([one, other])
    return float(first @ second)


@given(st.lists(ANY_TEXT, min_size=1, max_size=5))
def test_every_text_has_a_unit_row_that_does_not_depend_on_its_batch(texts):
    rows = EMBEDDER.embed(texts)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        assert np.array_equal(EMBEDDER.embed([text])[0], row)


def test_rows_do_not_depend_on_where_a_large_input_is_cut():
    texts = [f"memory number {index} about Rex" for index in range(2500)]
    rows = EMBEDDER.embed(texts)
    assert np.array_equal(rows[1500:1600], EMBEDDER.embed(texts[1500:1600]))


def test_near_duplicates_are_close_and_unrelated_texts_far():
    assert cosine("My dog Rex loves the park", "my dog Rex loves the parks!") > 0.85
    assert cosine("The meeting is on Friday at 3pm", "The meeting was moved to Friday 3pm") > 0.55
    assert cosine("My dog Rex loves the park", "quarterly revenue grew in Europe") < 0.3
    assert cosine("我喜欢吃苹果", "我喜欢吃苹果和梨") > cosine("我喜欢吃苹果", "明天下午开会") + 0.2


def test_case_and_punctuation_do_not_count():
    assert cosine("Hello, WORLD!", "hello world") > 0.999


def test_texts_without_features_share_one_fixed_vector():
    rows = EMBEDDER.embed(["", "   ", "?!…"])
    assert np.array_equal(rows, np.eye(1, 256, dtype=np.float32).repeat(3, axis=0))


def test_no_texts_give_no_rows():
    assert EMBEDDER.embed([]).shape == (0, 256)


def test_another_process_computes_the_same_vectors():
    script = """
import hashlib
from recollect.embedders.hashing import Hashing
print(hashlib.sha256(Hashing().embed(["Rex likes Zürich", "苹果"]).tobytes()).hexdigest())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    here = hashlib.sha256(EMBEDDER.embed(["Rex likes Zürich", "苹果"]).tobytes()).hexdigest()
    assert done.stdout.strip() == here
