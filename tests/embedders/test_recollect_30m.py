from dataclasses import replace

import numpy as np
import pytest
from embedders.granite_reference import forward

from recollect import Recollect
from recollect.embedders import DEFAULT, adapter, granite_pack, load
from recollect.embedders.optional import LexicalOnly
from recollect.errors import EmbedderMismatch, EmbedderUnavailable
from recollect.store.settings import set_setting
from recollect.store.values import Batch, Put
from recollect.write.build.words import document

TEXTS = ["Ada prefers dark mode", "Which theme does Ada like?", "The deploy failed with E0427 on staging", ""]


@pytest.fixture(scope="module")
def stock():
    return granite_pack.read()


def test_a_new_store_gets_it_and_a_store_of_granite_keeps_granite(tmp_path):
    with Recollect(tmp_path / "old.db", embedder="granite") as mind:
        mind.remember("Ada prefers dark mode")
    with Recollect(tmp_path / "old.db") as mind:
        assert mind.embedder.name == "granite"
    with Recollect(tmp_path / "new.db") as mind:
        assert mind.embedder.name == DEFAULT == "recollect-30m"
    with pytest.raises(EmbedderMismatch, match="recollect reembed --embedder recollect-30m"):
        Recollect(tmp_path / "old.db", embedder="recollect-30m")


def test_reembed_changes_a_store_of_granite_over(tmp_path):
    with Recollect(tmp_path / "old.db", embedder="granite") as mind:
        kept = mind.remember("Ada prefers dark mode")
        assert mind.reembed("recollect-30m") == 1
    with Recollect(tmp_path / "old.db") as mind:
        assert mind.embedder.name == "recollect-30m"
        assert mind.recall("which theme does Ada like?").hits[0].memory.id == kept.id


def test_a_store_of_an_earlier_version_goes_by_words_until_it_is_changed_over(tmp_path):
    with Recollect(tmp_path / "old.db") as mind:
        kept = mind.remember("Ada prefers dark mode")
        set_setting(mind.store, "fingerprint", "granite@1+recollect-30m@00000000")
    with Recollect(tmp_path / "old.db") as mind:
        with pytest.warns(LexicalOnly, match="an earlier recollect-30m.*recollect reembed"):
            assert mind.recall("who prefers dark mode?").hits[0].memory.id == kept.id
        mind.remember("The deploy failed on staging")
        assert mind.reembed() == 2
        assert mind.recall("which theme does Ada like?").hits[0].memory.id == kept.id
    with Recollect(tmp_path / "old.db") as mind:
        assert mind.embedder.fingerprint == load("recollect-30m").fingerprint
        assert not mind.check()


def test_reembed_brings_a_chinese_memory_its_english_words(tmp_path):
    with Recollect(tmp_path / "old.db") as mind:
        kept = mind.remember("上周采购了两台电脑")
        as_before = replace(document(kept), text=tuple(term for term in document(kept).text if not term.isascii()))
        mind.store.write(Batch(puts=[Put(memory=kept, document=as_before, vectors={})]))
        assert not mind.recall("buy", recipe="braindb-keyword", track=False).hits
        assert mind.reembed() == 1
        assert mind.recall("buy", recipe="braindb-keyword", track=False).hits[0].memory.id == kept.id


def test_its_vectors_are_those_of_the_corrected_float32_weights(stock):
    corrected = adapter.adapted(stock)
    embedder = load("recollect-30m")
    ids = [ids for ids in _tokens(embedder, TEXTS)]
    expected = np.stack([forward(corrected, one) for one in ids])
    assert (embedder.embed(TEXTS) * expected).sum(axis=1).min() >= 0.995


def _tokens(embedder, texts):
    from recollect.embedders.granite import _loaded

    return _loaded(embedder.name).tokens(texts)


def test_it_is_another_model_with_another_fingerprint_and_not_far_from_granite():
    ours, stock = load("recollect-30m"), load("granite")
    assert ours.fingerprint != stock.fingerprint
    near = (ours.embed(TEXTS) * stock.embed(TEXTS)).sum(axis=1)
    assert (near < 0.9999).all() and (near > 0.8).all()


def test_only_the_six_layers_linear_weights_are_corrected(stock):
    corrected = adapter.adapted(stock)
    changed = {name for name in stock.weights if not np.array_equal(stock.weights[name], corrected.weights[name])}
    assert changed == {f"l{layer}.{part}.w" for layer in range(6) for part in ("qkv", "ao", "f1", "f2")}


def test_a_damaged_or_missing_adapter_is_refused_with_the_line_that_mends_it(stock, tmp_path):
    for name in adapter.FILES:
        with pytest.raises(EmbedderUnavailable, match="can't be read"):
            adapter.adapted(stock, name, tmp_path)
        (tmp_path / name).write_bytes((adapter.FOLDER / name).read_bytes()[:-1] + b"?")
        with pytest.raises(EmbedderUnavailable, match="damaged.*git -C .* restore"):
            adapter.adapted(stock, name, tmp_path)
