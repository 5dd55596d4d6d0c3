"""Damaged files: `check` finds the damage or it is harmless, and `recover` saves every row whose page is sound."""

import json
import random
import re
import shutil
import uuid

import apsw
import damage
import pytest
from inspect_store import everything
from older_schema import take_back_own_indexes

from recollect import Recollect
from recollect.embedders import load
from recollect.embedders.optional import OptionalEmbedder
from recollect.errors import InvalidInput, NotFound, StoreDamaged
from recollect.keep.recover import recover
from recollect.keep.repair import repair
from recollect.store.sqlite import admitted
from recollect.types import Filter

TRIED = 126
A_NUMBER_AS_WORDS = damage.Case(seed=145, kind="flips")
"""`check` ended in a traceback."""


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("original") / "store.db"
    damage.make(path)
    return path


@pytest.fixture(scope="module")
def before(original):
    return damage.content(original)


@pytest.fixture(scope="module")
def where(original):
    return damage.places(original)


@pytest.fixture(scope="module")
def rows(original):
    return damage.history(original)


@pytest.fixture
def damaged(original, tmp_path):
    path = tmp_path / "damaged.db"
    shutil.copyfile(original, path)
    return path


@pytest.mark.parametrize("case", [*damage.cases(TRIED), A_NUMBER_AS_WORDS], ids=lambda case: f"{case.kind} {case.seed}")
def test_damage_is_found_or_harmless_and_every_sound_row_is_saved(case, original, before, where, tmp_path):
    outcome, missing = damage.tried(case, original, before, where, tmp_path)
    assert outcome != "undetected" and missing == set()


def test_an_undamaged_store_is_saved_exactly(original, before, tmp_path):
    done = recover(original, tmp_path / "new.db")
    assert done.complete and damage.content(tmp_path / "new.db") == before
    assert done.chain == "kept" and damage.head(tmp_path / "new.db") == damage.head(original)


def without_durations(content):
    """The content of a store whose schema had no durations of recalls."""
    return content | {"recalls": [re.sub(r"'ms': [\d.e-]+", "'ms': None", row) for row in content["recalls"]]}


def test_a_file_of_schema_5_opens_with_all_its_content(damaged, before):
    file = apsw.Connection(str(damaged))
    take_back_own_indexes(file)
    file.pragma("user_version", 5)
    file.close()
    assert damage.checked(damaged) == [] and damage.content(damaged) == without_durations(before)


def test_a_file_of_schema_5_is_saved_exactly(damaged, before, tmp_path):
    """Its words are in a table of FTS5, and its views have no sketches."""
    file = apsw.Connection(str(damaged))
    take_back_own_indexes(file)
    file.pragma("user_version", 5)
    file.close()
    done = recover(damaged, tmp_path / "new.db")
    assert done.complete and damage.content(tmp_path / "new.db") == without_durations(before)
    with Recollect(tmp_path / "new.db", embedder="hashing") as mind:
        assert mind.check() == [] and mind.recall("lamp", recipe="bm25").hits


@pytest.mark.parametrize("count", [1, 5, 20])
@pytest.mark.parametrize("seed", range(5))
def test_every_row_whose_page_is_sound_comes_back(count, seed, damaged, where, tmp_path):
    data = bytearray(damaged.read_bytes())
    touched = damage._zero(data, random.Random(1000 * count + seed), count)
    damaged.write_bytes(data)
    done = recover(damaged, tmp_path / "new.db")
    with Recollect(tmp_path / "new.db", embedder="hashing") as mind:
        saved = {put.memory.id for batch in damage.pages(mind.store) for put in batch.puts}
        assert mind.check() == [] and mind.stats().without_vector == 0
    gone = {id for id, on in where.items() if on & touched}
    assert saved >= where.keys() - gone
    named = {key for lost in done.lost if lost.table == "memory" for key in lost.keys}
    assert where.keys() - saved <= named or any(lost.pages for lost in done.lost)


@pytest.mark.parametrize("count", [1, 5, 20])
@pytest.mark.parametrize("seed", range(5))
def test_history_links_and_keys_on_sound_pages_come_back(count, seed, damaged, rows, tmp_path):
    """A link needs its memories, a former value its event and memory, a hit or feedback its recall."""
    data = bytearray(damaged.read_bytes())
    touched = damage._zero(data, random.Random(500 + 1000 * count + seed), count)
    damaged.write_bytes(data)
    recover(damaged, tmp_path / "new.db")
    held = damage.recovered(tmp_path / "new.db")
    file = apsw.Connection(str(tmp_path / "new.db"))
    ids = {repr(id) for table in ("memory", "event", "recall") for (id,) in file.execute(f"SELECT id FROM {table}")}
    file.close()
    named = {value for _, row, _ in rows for value in row if len(value) == len(repr(str(uuid.uuid4())))}
    orphans = named - ids
    missing = [(table, row) for table, row, on in rows if not on & touched and row not in held[table]]
    assert [(table, row) for table, row in missing if not orphans & set(row)] == []
    assert len(rows) > 500 and all(table != "event" for table, _ in missing)


def test_rows_are_saved_without_the_pages_that_lead_to_them(damaged, where, tmp_path):
    """The list of tables is gone, and so is the interior of every tree."""
    from recollect.store.sqlite.salvage.cells import is_tree, read
    from recollect.store.sqlite.salvage.pages import Pages

    data, pages = bytearray(damaged.read_bytes()), Pages(damaged)
    for number in pages.numbers():
        if number == 1 or (is_tree(pages[number], number) and read(pages, number).kind == "table interior"):
            data[(number - 1) * damage.PAGE : number * damage.PAGE] = bytes(damage.PAGE)
    pages.close()
    damaged.write_bytes(data)
    recover(damaged, tmp_path / "new.db")
    with Recollect(tmp_path / "new.db", embedder="hashing") as mind:
        assert {put.memory.id for batch in damage.pages(mind.store) for put in batch.puts} == where.keys()


def test_what_is_lost_is_named_by_id(damaged, where, tmp_path):
    data = bytearray(damaged.read_bytes())
    page = min(where[min(where)])
    data[(page - 1) * damage.PAGE : page * damage.PAGE] = bytes(damage.PAGE)
    damaged.write_bytes(data)
    done = recover(damaged, tmp_path / "new.db")
    [lost] = [each for each in done.lost if each.table == "memory"]
    assert set(lost.keys) == {id for id, on in where.items() if page in on}
    assert lost.pages == (page,) and lost.rows[0][1] is not None
    assert not done.complete and json.dumps(done.to_dict())


def test_the_log_next_to_the_file_is_read_too(tmp_path):
    with Recollect(tmp_path / "a.db", embedder="hashing") as mind:
        mind.remember("only in the write-ahead log")
        assert recover(tmp_path / "a.db", tmp_path / "b.db").saved["memories"] == 1


def test_purged_text_does_not_come_back(damaged, where, tmp_path):
    with Recollect(damaged, embedder="hashing") as mind:
        gone = mind.list(limit=1)[0]
        mind.purge(gone.id)
    recover(damaged, tmp_path / "new.db")
    saved = {row[1] for row in everything(tmp_path / "new.db")["memory"]}
    assert gone.id not in saved and where.keys() >= saved


def test_an_altered_memory_is_saved_in_quarantine(damaged, tmp_path):
    damage.Case(seed=7, kind="bad text").apply(damaged)
    done = recover(damaged, tmp_path / "new.db")
    [id] = done.altered
    with Recollect(tmp_path / "new.db", embedder="hashing") as mind:
        held = mind.get(id)
        assert held.status == "quarantined" and "\ufffd" in held.text and held.metadata["quarantine"] == ["damaged row"]
        assert id not in [hit.memory.id for hit in mind.recall("lamp in room", limit=50).hits]


FULL_TEXTS = (
    "SELECT w.vector, m.text FROM view w JOIN memory m ON m.row = w.row WHERE w.name = 'full' AND w.vector IS NOT NULL"
)


@pytest.mark.parametrize("named", ["by tenant", "as before"])
def test_the_vectors_tell_their_embedder_if_the_setting_is_lost(named, damaged, tmp_path):
    """Vectors that older versions stored are named without their tenant."""
    texts = OptionalEmbedder(load("hashing"))
    file = apsw.Connection(str(damaged))
    if named == "as before":
        for number, text in file.execute(FULL_TEXTS).fetchall():
            file.execute("UPDATE vector SET hash = ? WHERE number = ?", (texts.shared_hash(text), number))
    file.execute("DELETE FROM setting WHERE key IN ('embedder', 'fingerprint')")
    file.close()
    done = recover(damaged, tmp_path / "new.db", embedder="hashing")
    assert (done.embedded, done.without_vector) == (0, 0)


def test_a_damaged_memory_is_never_returned(damaged):
    file = apsw.Connection(str(damaged))
    id = file.execute("SELECT id FROM memory WHERE row = 9").get
    file.execute("UPDATE memory SET text = upper(text) WHERE row = 9")
    file.close()
    with Recollect(damaged, embedder="hashing") as mind, pytest.raises(StoreDamaged, match="recover"):
        mind.get(id)


def test_a_damaged_vector_is_never_compared(damaged):
    damage.Case(seed=8, kind="bad vector").apply(damaged)
    with Recollect(damaged, embedder="hashing") as mind, pytest.raises(StoreDamaged, match="--repair"):
        mind.recall("lamp", recipe="vector")


def test_a_missing_vector_is_never_compared_as_zeros(damaged):
    file = apsw.Connection(str(damaged))
    file.execute("DELETE FROM vector WHERE number = 9")
    file.close()
    with Recollect(damaged, embedder="hashing") as mind, pytest.raises(StoreDamaged, match="missing.*--repair"):
        mind.recall("lamp", recipe="vector")


@pytest.mark.parametrize("kind", ["bad vector", "short vector"])
def test_damaged_vectors_are_made_again(kind, damaged, before):
    damage.Case(seed=11, kind=kind).apply(damaged)
    with Recollect(damaged, embedder="hashing") as mind:
        done = repair(mind.store, mind.embedder)
        assert done.left == [] and done.embedded >= 1 and done.mended
        assert mind.check() == []
    assert damage.content(damaged) == before


DERIVED = (
    "DELETE FROM posting WHERE term > 'l'",
    "DELETE FROM posting WHERE term = ''",
    "UPDATE posting SET data = substr(data, 5) WHERE term > 'l'",
    "DELETE FROM segment",
    "DELETE FROM document WHERE row % 3 = 0",
    "UPDATE document SET text = 'other words' WHERE row = 5",
    "UPDATE corpus SET pending = pending + 1",
    "UPDATE view SET bits = zeroblob(length(bits))",
    "UPDATE view SET bits = x'' WHERE seq = 3",
    "UPDATE term SET documents = documents + 1",
    "UPDATE corpus SET text = text + 1",
    "DELETE FROM view WHERE seq % 5 = 0",
    "DELETE FROM vector WHERE number % 5 = 0",
    "UPDATE memory SET tenant = 'x' WHERE row = 3",
    "UPDATE sqlite_sequence SET seq = 1",
)


@pytest.mark.parametrize("sql", DERIVED)
def test_derived_data_is_made_again_from_the_rows(sql, damaged, before):
    file = apsw.Connection(str(damaged))
    file.execute(sql)
    file.close()
    with Recollect(damaged, embedder="hashing") as mind:
        assert mind.check() != []
        done = repair(mind.store, mind.embedder)
        assert done.left == [] and done.mended
        assert mind.check() == []
        assert words_of(mind) and mind.recall("lamp", recipe="bm25").hits


def words_of(mind):
    found = mind.store.search_text(["lamp"], [], Filter(), match="any", fields={"text": 1.0}, limit=50).postings
    return sorted((one.memory_id, one.frequencies["text"]["lamp"]) for one in found)


def test_another_process_searches_the_words_of_a_repair(tmp_path, monkeypatch):
    monkeypatch.setattr(admitted, "_SUBSET_UP_TO", 0)  # as in a large store
    path = tmp_path / "small.db"
    with Recollect(path, embedder="hashing") as other:
        other.remember_many({"text": f"the lamp of room {n} is old", "dedup": False} for n in range(9))
        file = apsw.Connection(str(path))
        file.execute("UPDATE document SET text = 'lamp lamp lamp' WHERE row % 2 = 0")
        file.close()
        assert {count for _, count in words_of(other)} == {1, 3}
        with Recollect(path, embedder="hashing") as mind:
            assert repair(mind.store, mind.embedder).left == []
        assert [count for _, count in words_of(other)] == [1] * 9


def test_a_repair_changes_nothing_if_rows_are_damaged(damaged):
    damage.Case(seed=7, kind="bad text").apply(damaged)
    kept = damaged.read_bytes()
    with Recollect(damaged, embedder="hashing") as mind:
        done = repair(mind.store, mind.embedder)
    assert done.left and not done.mended and damaged.read_bytes() == kept


@pytest.mark.parametrize("kind", ["bad text", "zero page"])
def test_a_damaged_store_is_not_backed_up(kind, damaged, tmp_path):
    damage.Case(seed=2, kind=kind).apply(damaged)
    with Recollect(damaged, embedder="hashing") as mind, pytest.raises(StoreDamaged, match="recollect recover"):
        mind.backup(tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name or "partial" in path.name] == []


def test_a_store_with_wrong_words_is_backed_up(damaged, tmp_path):
    file = apsw.Connection(str(damaged))
    file.execute("UPDATE term SET documents = documents + 1")
    file.close()
    with Recollect(damaged, embedder="hashing") as mind:
        mind.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").exists()


def test_recover_refuses_what_it_can_not_read_or_must_not_overwrite(original, tmp_path):
    with pytest.raises(NotFound):
        recover(tmp_path / "nowhere.db", tmp_path / "new.db")
    with pytest.raises(InvalidInput, match="exists already"):
        recover(original, original)
    with pytest.raises(InvalidInput, match="SQLite files only"):
        recover("postgresql://ada@db.example.org/memory", tmp_path / "new.db")
    (tmp_path / "text.db").write_text("just text " * 1000)
    with pytest.raises(StoreDamaged, match="no row"):
        recover(tmp_path / "text.db", tmp_path / "new.db")
    assert [path.name for path in tmp_path.iterdir()] == ["text.db"]


@pytest.mark.parametrize("column", ["gist", "text", "entities", "tags"])
def test_words_that_are_no_text_are_found_and_made_again(column, damaged):
    """A changed bit in the header of a row gives its columns other types."""
    [(table,)] = _of_document(damaged, "SELECT sql FROM sqlite_master WHERE name = 'document'")
    relaxed = "UPDATE sqlite_master SET sql = ? WHERE name = 'document'"
    _of_document(damaged, relaxed, table.replace(" STRICT", ""))
    _of_document(damaged, f"UPDATE document SET {column} = x'0102' WHERE row = 3")
    _of_document(damaged, relaxed, table)
    assert any("something else than text" in finding for finding in damage.checked(damaged))
    with Recollect(damaged, embedder="hashing") as mind:
        assert mind.recall("lamp", recipe="bm25").hits
        repair(mind.store, mind.embedder)
        assert mind.check() == []


def _of_document(path, sql, *values):
    file = apsw.Connection(str(path))
    file.pragma("writable_schema", True)
    found = file.execute(sql, values).fetchall()
    file.close()
    return found
