"""Damage beside the memories: it is reported when it is read, and nobody acts on it."""

import shutil
from contextlib import suppress

import apsw
import damage
import pytest

from recollect import Recollect
from recollect.errors import StoreDamaged
from recollect.serve.keys import Keys
from recollect.types import STATUSES


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("original") / "store.db"
    damage.make(path, 40)
    return path


@pytest.fixture
def damaged(original, tmp_path):
    path = tmp_path / "damaged.db"
    shutil.copyfile(original, path)
    return path


def change(path, sql):
    file = apsw.Connection(str(path))
    file.execute(sql)
    file.close()


def undo_an_update(mind):
    mind.undo(next(event.id for event in mind.store.events() if event.action == "update"))


@pytest.mark.parametrize(
    ("table", "sql", "read"),
    [
        ("api_key", "UPDATE api_key SET role = 'admin', namespace = ''", lambda mind: Keys(mind).list()),
        ("retention", "UPDATE retention SET most_memories = 1", lambda mind: mind.tend()),
        ("revision", "UPDATE revision SET before = replace(before, 'lamp', 'door')", undo_an_update),
        ("event", "UPDATE event SET actor = 'somebody'", lambda mind: mind.history(mind.list(limit=1)[0].id)),
        ("link", "UPDATE link SET kind = 'supersedes'", lambda mind: mind.recall("how old is the lamp?")),
        ("recall", "UPDATE recall SET query = 'another'", lambda mind: list(mind.recall_log().recalls)),
        ("recalled", "UPDATE recalled SET score = 1.0", lambda mind: list(mind.recall_log().recalls)),
        ("feedback", "UPDATE feedback SET outcome = -1.0", lambda mind: list(mind.recall_log().recalls)),
        ("setting", "UPDATE setting SET value = 'another' WHERE key = 'embedder'", lambda mind: mind.recall("lamp")),
    ],
)
def test_a_damaged_row_is_not_used(table, sql, read, damaged, tmp_path):
    change(damaged, sql)
    with pytest.raises(StoreDamaged, match=f"table {table} is damaged"), Recollect(damaged, embedder="hashing") as mind:
        before = mind.store.counts(())
        try:
            read(mind)
        finally:
            assert mind.store.counts(()) == before


def test_a_damaged_row_is_not_exported(damaged, tmp_path):
    change(damaged, "UPDATE revision SET before = replace(before, 'lamp', 'door')")
    with Recollect(damaged, embedder="hashing") as mind, pytest.raises(StoreDamaged):
        mind.export(tmp_path / "all.jsonl")
    assert not (tmp_path / "all.jsonl").exists()


@pytest.mark.parametrize("version", [*range(10), -1, -(2**31)])
def test_a_damaged_number_of_the_schema_is_refused_or_has_no_effect(version, original, damaged):
    change(damaged, f"PRAGMA user_version = {version}")
    assert damage.checked(damaged) != [] or damage.content(damaged) == damage.content(original)


@pytest.mark.parametrize("at", [18, 19, 44, 47, 56, 59])
def test_a_damaged_header_is_refused_or_has_no_effect(at, original, damaged):
    data = bytearray(damaged.read_bytes())
    data[at] ^= 0x81
    damaged.write_bytes(data)
    assert damage.checked(damaged) != [] or damage.content(damaged) == damage.content(original)


def leaves(path):
    """Table or index → its leaf pages."""
    file = apsw.Connection(str(path))
    found = {}
    for number, name in file.execute("SELECT pageno, name FROM dbstat WHERE pagetype = 'leaf' ORDER BY pageno"):
        found.setdefault(name, []).append(number - 1)
    file.close()
    return found


@pytest.mark.parametrize(
    ("one", "other"), [("posting", "revision"), ("vector", "event"), ("link", "sqlite_autoindex_vector_1")]
)
def test_a_page_in_the_place_of_another_gives_no_wrong_answer(one, other, original, damaged):
    with Recollect(original, embedder="hashing") as mind:
        truth = {memory.id: memory.text for memory in mind.list(limit=100, statuses=STATUSES)}
    data, pages = bytearray(damaged.read_bytes()), leaves(damaged)
    for a, b in zip(pages[one], pages[other], strict=False):
        first, second = slice(a * 4096, (a + 1) * 4096), slice(b * 4096, (b + 1) * 4096)
        data[first], data[second] = data[second], data[first]
    damaged.write_bytes(data)
    with Recollect(damaged, embedder="hashing") as mind:
        for recipe in ("default-fast", "bm25", "vector"):
            with suppress(StoreDamaged):
                hits = mind.recall("how old is the lamp in room 5?", recipe=recipe, track=False).hits
                assert {hit.memory.id: hit.memory.text for hit in hits}.items() <= truth.items()
        assert mind.check() != []


def test_a_damaged_index_shows_neither_what_was_forgotten_nor_another_namespace(tmp_path):
    path = tmp_path / "store.db"
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada keeps the red lamp", namespace="other/ada")
        mind.remember("Bob keeps the blue lamp")
        mind.forget(mind.remember("Cleo keeps the green lamp").id)
    file = apsw.Connection(str(path))
    file.execute(
        "CREATE INDEX claimed ON memory (coalesce('default', namespace), coalesce('active', status), created_at, id)"
    )
    file.pragma("writable_schema", True)
    file.execute(
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'claimed') "
        "WHERE name = 'memory_by_namespace'"
    )
    file.execute("DELETE FROM sqlite_schema WHERE name = 'claimed'")
    file.close()
    with Recollect(path, embedder="hashing", namespace="default") as mind:
        with pytest.raises(StoreDamaged, match="index"):
            mind.list(limit=10)
        with suppress(StoreDamaged):
            hits = mind.recall("who keeps the lamp?", recipe="default-fast").hits
            assert {hit.memory.text for hit in hits} <= {"Bob keeps the blue lamp", "Cleo keeps the green lamp"}
