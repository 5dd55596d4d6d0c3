"""Document frequencies are exact, whether they are written already or still counted by readers."""

from dataclasses import replace

import apsw
import pytest
from older_schema import take_back_counting_later

from recollect.store import open_store
from recollect.store.sqlite.frequencies import AT_ONCE
from recollect.store.values import Batch, Put
from recollect.testing import model
from recollect.testing.samples import event, memory, put, statistics
from recollect.write.build.words import document

ASKED = ("pot", "blue", "green", "number7", "number300", "absent")


def made(n):
    return memory(n, f"the pot number{n} is {'blue' if n % 3 else 'green'}")


@pytest.fixture
def stores(tmp_path):
    """A writer, and a reader as another process has it."""
    opened = [open_store(str(tmp_path / "agent.db")) for _ in range(2)]
    yield opened
    for store in opened:
        store.close()


def written(store):
    return {term for (term,) in store._db._writer.execute("SELECT term FROM term")}


def agree(stores, held):
    expected = model.statistics([(one, document(one)) for one in held], ASKED)
    assert [statistics(store, ASKED) for store in stores] == [expected] * 2
    assert stores[0].check() == []


def test_frequencies_of_few_new_documents_are_not_written_and_exact(stores):
    held = [made(n) for n in range(AT_ONCE - 1)]
    stores[0].write(Batch(puts=[put(one) for one in held[:9]]))
    agree(stores, held[:9])
    stores[0].write(Batch(puts=[put(one) for one in held[9:]]))
    agree(stores, held)
    stores[0].purge([held[7].id], event("purge"))
    agree(stores, [one for one in held if one is not held[7]])
    assert written(stores[0]) == set()


def test_frequencies_of_many_new_documents_are_written(stores):
    held = [made(n) for n in range(AT_ONCE + 9)]
    for part in (held[:5], held[5:AT_ONCE], held[AT_ONCE:]):
        stores[0].write(Batch(puts=[put(one) for one in part]))
        agree(stores, held[: held.index(part[-1]) + 1])
    assert {"pot", "number7"} <= written(stores[0]) and f"number{AT_ONCE + 1}" not in written(stores[0])
    stores[0].purge([held[7].id, held[AT_ONCE + 2].id], event("purge"))
    held = [one for one in held if one.id not in (held[7].id, held[AT_ONCE + 2].id)]
    agree(stores, held)
    assert "number7" not in written(stores[0])
    held[0] = replace(held[0], namespace="elsewhere")
    stores[0].write(Batch(puts=[Put(memory=held[0])]))
    agree(stores, held)


def test_what_is_rolled_back_is_not_counted(stores):
    held = [made(n) for n in range(20)]
    stores[0].write(Batch(puts=[put(one) for one in held]))
    with pytest.raises(KeyboardInterrupt), stores[0].transaction():
        stores[0].write(Batch(puts=[put(made(n)) for n in range(20, 30)]))
        assert statistics(stores[0], ASKED)["default", "memory"].documents == 30
        raise KeyboardInterrupt
    agree(stores, held)


def test_a_file_of_schema_9_has_the_same_frequencies(stores, tmp_path):
    held = [made(n) for n in range(40)]
    stores[0].write(Batch(puts=[put(one) for one in held]))
    for store in stores:
        store.close()
    file = apsw.Connection(str(tmp_path / "agent.db"))
    take_back_counting_later(file)
    file.pragma("user_version", 9)
    file.close()
    stores[:] = [open_store(str(tmp_path / "agent.db")) for _ in range(2)]
    assert "pot" in written(stores[0])
    agree(stores, held)
    held += [made(n) for n in range(40, 50)]
    stores[0].write(Batch(puts=[put(one) for one in held[40:]]))
    agree(stores, held)
