"""Backups, exports, other embedders, and a machine without a model."""

import json
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_store import everything, texts
from test_remember import items

from recollect import Recollect
from recollect.embedders import adapter, granite
from recollect.embedders.hashing import Hashing
from recollect.embedders.optional import LexicalOnly
from recollect.errors import EmbedderMismatch, EmbedderUnavailable, StoreError
from recollect.keep.reembed import reembed


@pytest.fixture
def told(mind):
    kept = mind.remember_many(
        [
            {"text": "Ada prefers dark mode", "tags": ["ui"], "metadata": {"n": 1}},
            {"text": "The deploy runs on Tuesdays", "namespace": "acme/ops"},
            {"text": "Error E0427 means that the pool is exhausted"},
        ]
    )
    mind.link(kept[0].id, kept[2].id, "supports", 0.75)
    mind.forget(kept[2].id)
    return kept


def held(mind):
    """All memories, whatever became of them, and their links."""
    memories = {memory.id: memory for path in mind.namespaces() for memory in mind.list(namespace=path)}
    memories |= {memory.id: memory for memory in mind.list(statuses=["forgotten"])}
    return memories, mind._store.links(memories)


# Backups ------------------------------------------------------------------------------------------


def test_a_backup_made_while_writing_goes_on_is_a_whole_store(mind, told, tmp_path):
    copy = mind.backup(tmp_path / "copy.db")
    mind.remember("only in the original")
    with Recollect(copy) as restored:
        assert texts(restored.recall("dark mode", recipe="bm25")) == [told[0].text]
        assert restored.stats().memories == 3
        assert restored.check() == []


def test_a_backup_never_overwrites_and_says_where_it_can_not_write(mind, told, tmp_path):
    copy = mind.backup(tmp_path / "copy.db")
    before = copy.read_bytes()
    with pytest.raises(StoreError, match="copy.db exists already"):
        mind.backup(copy)
    assert copy.read_bytes() == before
    with pytest.raises(StoreError, match="nowhere"):
        mind.backup(tmp_path / "nowhere" / "copy.db")


@pytest.mark.skipif(sys.platform == "win32", reason="a limit of file sizes stands for a full disk")
def test_a_backup_for_which_there_is_no_room_leaves_nothing_behind(mind, told, tmp_path):
    import resource

    room = tmp_path / "small disk"
    room.mkdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, before[1]))
    try:
        with pytest.raises(StoreError, match="the disk has room"):
            mind.backup(room / "copy.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(room.iterdir()) == []
    assert mind.backup(room / "copy.db").exists()


def test_copying_a_closed_stores_file_is_a_valid_backup(mind, path, told, tmp_path):
    before = everything(path)
    mind.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    copy = shutil.copy(path, tmp_path / "copy.db")
    with Recollect(copy) as restored:
        assert texts(restored.recall("dark mode", recipe="bm25", track=False)) == [told[0].text]
        assert restored.check() == []
    assert everything(copy) == before


def test_a_memory_without_a_file_can_be_backed_up_into_one(tmp_path):
    with Recollect(":memory:", embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
        mind.backup(tmp_path / "copy.db")
    with Recollect(tmp_path / "copy.db") as restored:
        assert texts(restored.list()) == ["Ada prefers dark mode"]


# Exports ------------------------------------------------------------------------------------------


def test_an_export_read_back_is_the_same_memory(mind, told, tmp_path):
    assert mind.export(tmp_path / "all.jsonl") == 3
    with Recollect(":memory:", embedder="hashing") as other:
        assert other.import_(tmp_path / "all.jsonl") == 3
        assert held(other) == held(mind)
        assert texts(other.recall("dark mode")) == texts(mind.recall("dark mode"))
        assert other.check() == []


def _lines(file):
    """All but the last, which counts them."""
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines][:-1]


@settings(max_examples=25, deadline=None)
@given(
    given_items=st.lists(items, max_size=6), pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=4)
)
def test_any_memories_survive_export_and_import(given_items, pairs):
    with tempfile.TemporaryDirectory() as folder, Recollect(":memory:", embedder="hashing") as mind:
        kept = mind.remember_many([item | {"dedup": False} for item in given_items])
        for a, b in pairs:
            if a != b and max(a, b) < len(kept):
                mind.link(kept[a].id, kept[b].id, "supports", 0.5)
        first, second = Path(folder, "first.jsonl"), Path(folder, "second.jsonl")
        mind.export(first)
        with Recollect(":memory:", embedder="hashing") as other:
            assert other.import_(first) == len(kept)
            other.export(second)
            assert held(other) == held(mind)
            assert other.check() == []
        assert _lines(first) == [line for line in _lines(second) if line.get("action") != "import"]


def test_importing_twice_adds_nothing_and_leaves_changes_alone(mind, told, tmp_path):
    mind.export(tmp_path / "all.jsonl")
    changed = mind.update(told[0].id, text="Ada prefers light mode")
    assert mind.import_(tmp_path / "all.jsonl") == 0
    assert mind._store.get([told[0].id])[told[0].id] == changed


def test_an_import_is_logged_and_leaves_the_history_as_the_file_tells_it(mind, told, tmp_path):
    mind.export(tmp_path / "all.jsonl")
    with Recollect(":memory:", embedder="hashing") as other:
        other.import_(tmp_path / "all.jsonl")
        assert other.history(told[0].id) == mind.history(told[0].id)
        (event,) = other.store.events(limit=1)
        assert (event.action, event.detail) == (
            "import",
            {"memories": 3, "read": 3, "links": 1, "events": 4},
        )


def test_an_import_can_be_undone_where_the_file_brings_no_history(mind, told, tmp_path):
    file = tmp_path / "all.jsonl"
    mind.export(file)
    kept = [line for line in _lines(file) if line["type"] != "event"]
    file.write_text("\n".join(map(json.dumps, [*kept, {"type": "end", "memories": 3, "links": 1}])), encoding="utf-8")
    with Recollect(":memory:", embedder="hashing") as other:
        other.import_(file)
        (event,) = other.history(told[0].id)
        assert event.action == "import"
        other.undo(event.id)
        assert other.namespaces() == {}


def test_a_namespace_can_be_exported_alone(mind, told, tmp_path):
    assert mind.export(tmp_path / "ops.jsonl", namespace="acme") == 1
    lines = _lines(tmp_path / "ops.jsonl")
    assert [line["type"] for line in lines] == ["recollect", "memory", "event"]
    assert lines[1]["text"] == told[1].text
    assert [change["memory_id"] for change in lines[2]["changes"]] == [told[1].id]


# Embedders ----------------------------------------------------------------------------------------


class _Other(Hashing):
    """Another embedder: the same vectors, turned round."""

    name = "other"
    fingerprint = "other-1"

    def embed(self, texts):
        return super().embed(texts)[:, ::-1].copy()


class _Missing(Hashing):
    """A model whose files are not there, until they are."""

    there = False

    def embed(self, texts):
        if not self.there:
            raise EmbedderUnavailable("the model's file is missing")
        return super().embed(texts)


def test_reembedding_changes_over_to_another_embedder(mind, path, told):
    assert mind.reembed(_Other()) == 3
    assert mind.embedder.name == "other"
    assert mind.recall(told[0].text, recipe="vector").hits[0].score > 0.99
    assert mind.check() == []
    mind.remember("written with the other one")
    mind.close()
    with pytest.raises(EmbedderMismatch, match="'other'"):
        Recollect(path, embedder="hashing")
    with pytest.raises(EmbedderMismatch, match="'other'"):
        Recollect(path)
    with Recollect(path, embedder=_Other()) as again:
        assert again.stats().without_vector == 0
        assert again.reembed() == 0


def test_an_embedder_that_does_not_work_is_tried_before_anything_is_dropped(mind, path, told):
    before = everything(path)
    missing = _Missing()
    missing.fingerprint = "missing-1"
    with pytest.raises(EmbedderUnavailable, match="file is missing"):
        mind.reembed(missing)
    assert everything(path) == before


def test_without_its_model_everything_works_by_words_with_one_warning(path):
    embedder = _Missing()
    with Recollect(path, embedder=embedder) as mind:
        with pytest.warns(LexicalOnly, match="recollect reembed") as caught:
            kept = mind.remember("Ada prefers dark mode")
            mind.remember("The deploy runs on Tuesdays")
            mind.update(kept.id, text="Ada prefers dark themes")
            assert texts(mind.recall("dark themes")) == ["Ada prefers dark themes"]
        assert len(caught) == 1
        assert mind.stats().without_vector == 2
        assert mind.check() == []
        embedder.there = True
        assert mind.reembed() == 2
        assert mind.stats().without_vector == 0
        assert mind.recall("Ada prefers dark themes", recipe="vector").hits[0].score > 0.99
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Recollect(path, embedder="hashing") as later:
            assert later.recall("Ada prefers dark themes", recipe="vector").hits


def test_reembedding_leaves_what_another_process_changed_meanwhile(path):
    class Meddling(Hashing):
        """Changes a memory while its old text is being embedded."""

        def embed(self, texts):
            if "the old text" in texts:
                meddler.update(kept.id, text="the new text")
            return super().embed(texts)

    missing = _Missing()
    with Recollect(path, embedder=missing) as meddler, pytest.warns(LexicalOnly):
        kept = meddler.remember("the old text")
        with Recollect(path, embedder=Meddling()) as mind:
            mind.reembed()
            assert mind.get(kept.id).text == "the new text"
            assert mind.recall("the new text", recipe="vector").hits[0].score > 0.99
            assert mind.check() == []


def test_the_doctor_names_store_model_and_what_to_do(mind, path, told):
    report = mind.doctor()
    assert {advice.state for advice in report} == {"ok"}
    whole = " ".join(advice.what for advice in report)
    assert str(path) in whole and "hashing" in whole
    mind._store.drop_vectors()
    assert "recollect reembed" in [advice.do for advice in mind.doctor() if advice.state == "warn"][0]


@pytest.mark.parametrize(
    ("embedder", "text", "advised"),
    [
        ("recollect-30m", "Собака живёт в саду", True),
        ("recollect-30m", "小狗住在花园里", False),
        ("recollect-30m", "le chien vit dans le jardin", True),
        ("granite", "小狗住在花园里", True),
    ],
)
def test_the_doctor_sees_a_language_that_the_embedder_does_not_know(tmp_path, embedder, text, advised):
    with Recollect(tmp_path / "m.db", embedder=embedder) as mind:
        mind.remember(text)
        assert any("--embedder recollect-multilingual" in advice.do for advice in mind.doctor()) is advised


def test_the_doctor_misses_what_chinese_needs(tmp_path, monkeypatch):
    with Recollect(tmp_path / "m.db") as mind:
        mind.remember("Ada lives in Porto")
        monkeypatch.setitem(adapter.FILES, "recollect-30m-chinese.npz", "0" * 64)
        granite._encoder.cache_clear()
        assert any("git -C" in advice.do for advice in mind.doctor() if advice.state == "fail")
        with pytest.raises(EmbedderUnavailable, match="git -C .* restore"):
            reembed(mind.store, mind.embedder, anew=True, advance=lambda done: None)
        assert mind.stats().without_vector == 0  # nothing was dropped
    granite._encoder.cache_clear()


def test_check_finds_what_was_broken_from_outside(mind, path, told):
    import apsw

    file = apsw.Connection(str(path))
    file.execute("DELETE FROM vector; DELETE FROM document; UPDATE term SET documents = documents + 1")
    file.close()
    found = {finding.what for finding in mind.check()}
    assert {"vector views without a vector", "memories without a lexical row"} <= found
    assert "term statistics that do not add up" in found
    assert {advice.state for advice in mind.doctor()} >= {"fail"}


def test_vacuum_leaves_nothing_orphaned(mind, path, told):
    import apsw

    mind.purge(told[1].id)
    file = apsw.Connection(str(path))
    file.execute("VACUUM")
    file.close()
    assert mind.check() == []
    assert texts(mind.recall("dark mode", recipe="bm25")) == [told[0].text]
    mind.remember(told[1].text, namespace="acme/ops")
    assert mind.recall(told[1].text, recipe="vector", namespace="acme").hits[0].score > 0.99
    assert mind.check() == []
