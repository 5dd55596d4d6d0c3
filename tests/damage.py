"""Seeded damage to a store's file, and what was in the store before."""

import random
import shutil
from contextlib import closing, suppress
from dataclasses import dataclass

import apsw
import pytest

from recollect import Recollect
from recollect.errors import RecollectError, StoreError
from recollect.keep.recover import recover
from recollect.store import chain, open_store
from recollect.store.copying import ROWS, pages
from recollect.store.sqlite import frequencies, postings
from recollect.store.tables import ApiKey, RetentionRule
from recollect.store.values import Batch

PAGE = 4096
MEMORIES = 300
KINDS = ("flip", "flips", "zero page", "zero pages", "cut", "noise", "bad text", "bad vector", "short vector")
PLACES = ("header", "page header", "swapped pages", "copied page", "zero sector")
"""Kinds of damage to places that lead to others, and pages in the place of others."""
WRITTEN = "2026-03-01T12:00:00Z"


def make(path, count=MEMORIES):
    """A store with everything in it: memories, a long one, a conversation, links, history with a chain, recalls,
    feedback, keys. Some of its words are in segments."""
    with pytest.MonkeyPatch.context() as patch, Recollect(path, embedder="hashing") as mind:
        patch.setattr(postings, "SEGMENT_COST", 2_000)
        patch.setattr(frequencies, "AT_ONCE", 50)
        made = mind.remember_many(
            {"text": f"Note {n}: the lamp in room {n % 37} is {n % 11} years old", "tags": [f"t{n % 5}"], "at": WRITTEN}
            for n in range(count)
        )
        long = mind.remember("A long story. " * 1500, at=WRITTEN)
        said = [{"role": "user", "content": f"I moved to town{n} and I like tea number {n}."} for n in range(6)]
        mind.ingest(said, session_id="talk", at=WRITTEN)
        mind.chain(True)
        for n in range(0, count - 1, 7):
            mind.link(made[n].id, made[n + 1].id)
        for n in range(0, count, 20):
            mind.update(made[n].id, text=f"Changed {n}: the lamp is green")
        mind.forget(long.id)
        found = mind.recall("how old is the lamp in room 5?", at=WRITTEN)
        mind.feedback(found.id, [found.hits[0].memory.id] if found.hits else (), "helped")
        key = ApiKey(id="k1", name="laptop", sha256="00" * 32, namespace="default", role="write", trust="agent",
                     created_at=made[0].created_at)  # fmt: skip
        mind.store.write(Batch(rows=[key, RetentionRule(namespace="default", most_memories=9_000)]))


@dataclass(frozen=True)
class Case:
    seed: int
    kind: str

    def apply(self, path):
        """Damages the file. Returns the numbers of the pages that were touched."""
        chance = random.Random(self.seed)
        if self.kind in _BY_SQL:
            _BY_SQL[self.kind](path, chance)
            return set()
        data = bytearray(path.read_bytes())
        touched = _IN_BYTES[self.kind](data, chance)
        path.write_bytes(data)
        return touched


def cases(count, kinds=KINDS):
    return [Case(seed=seed, kind=kinds[seed % len(kinds)]) for seed in range(count)]


def _flip(data, chance):
    at = chance.randrange(len(data))
    data[at] ^= 1 << chance.randrange(8)
    return {at // PAGE + 1}


def _zero(data, chance, count=1):
    chosen = chance.sample(range(len(data) // PAGE), count)
    for number in chosen:
        data[number * PAGE : (number + 1) * PAGE] = bytes(PAGE)
    return {number + 1 for number in chosen}


def _cut(data, chance):
    left = chance.randrange(1, len(data))
    gone = range(left // PAGE + 1, len(data) // PAGE + 1)
    del data[left:]
    return set(gone)


def _noise(data, chance):
    at = chance.randrange(len(data) - 64)
    data[at : at + 64] = chance.randbytes(64)
    return {at // PAGE + 1, (at + 63) // PAGE + 1}


def _change(data, chance, at):
    data[at] ^= chance.randrange(1, 256)
    return {at // PAGE + 1}


def _swap(data, chance, both=True):
    one, other = (n * PAGE for n in chance.sample(range(1, len(data) // PAGE), 2))
    first, second = data[one : one + PAGE], data[other : other + PAGE]
    data[one : one + PAGE] = second
    if both:
        data[other : other + PAGE] = first
    return {one // PAGE + 1} | ({other // PAGE + 1} if both else set())


def _zero_sector(data, chance, size=512):
    at = chance.randrange(PAGE // size, len(data) // size) * size
    data[at : at + size] = bytes(size)
    return {at // PAGE + 1}


_IN_BYTES = {
    "header": lambda data, chance: _change(data, chance, chance.randrange(100)),
    "page header": lambda data, chance: _change(
        data, chance, chance.randrange(1, len(data) // PAGE) * PAGE + chance.randrange(12)
    ),
    "swapped pages": _swap,
    "copied page": lambda data, chance: _swap(data, chance, both=False),
    "zero sector": _zero_sector,
    "flip": _flip,
    "flips": lambda data, chance: set().union(*(_flip(data, chance) for _ in range(chance.randrange(2, 40)))),
    "zero page": _zero,
    "zero pages": lambda data, chance: _zero(data, chance, chance.choice((2, 5, 20))),
    "cut": _cut,
    "noise": _noise,
}


def _sql(statement, least):
    def apply(path, chance):
        file = apsw.Connection(str(path))
        file.execute(statement, (chance.randrange(least, MEMORIES),))
        file.close()

    return apply


_BY_SQL = {
    "bad text": _sql("UPDATE memory SET text = CAST(x'ff' || CAST(text AS BLOB) AS TEXT) WHERE row = ?", 1),
    "bad vector": _sql("UPDATE vector SET data = zeroblob(length(data)) WHERE number = ?", 50),
    "short vector": _sql("UPDATE vector SET data = substr(data, 3) WHERE number = ?", 50),
}


# Looking at it ------------------------------------------------------------------------------------


def content(path):
    """Kind → the rows of a store, as JSON. Vectors and terms are part of it; settings of the file are not."""
    store = open_store(str(path))
    try:
        found = {kind: [] for kind in ROWS}
        for batch in pages(store):
            for kind, rows in ROWS.items():
                found[kind] += [repr(row) for row in rows(batch)]
        return {kind: sorted(rows) for kind, rows in found.items()}
    finally:
        store.close()


QUESTIONS = ("how old is the lamp in room 5?", "the green lamp", "tea number 3")


def answers(path):
    """(id, text) of what a store tells; an error of recollect tells nothing. Any other error is raised."""
    found = set()
    with suppress(RecollectError), Recollect(path, embedder="hashing") as mind:
        for recipe in ("default-fast", "bm25", "vector"):
            for question in QUESTIONS:
                with suppress(RecollectError):
                    hits = mind.recall(question, recipe=recipe, limit=20, track=False).hits
                    found |= {(hit.memory.id, hit.memory.text) for hit in hits}
        with suppress(RecollectError):
            found |= {(memory.id, memory.text) for memory in mind.list(limit=400)}
        for id, _ in sorted(found)[::20]:
            with suppress(RecollectError):
                found.add((id, mind.get(id).text))
    return found


def head(path):
    store = open_store(str(path))
    try:
        return chain.head(store)
    finally:
        store.close()


def checked(path):
    """The findings of `check`, or the error of a store that can't be opened. Nothing else may be raised."""
    try:
        store = open_store(str(path))
    except StoreError as error:
        return [str(error)]
    try:
        return [finding.what for finding in store.check()]
    except StoreError as error:
        return [str(error)]
    finally:
        store.close()


def places(path):
    """Id of a memory → the pages that its row is on, with its overflow pages."""
    return {values[1].decode(): on for table, values, on in _stored(path) if table == "memory"}


HISTORY = {
    "link": "SELECT * FROM link",
    "event": "SELECT id, at, actor, action, namespace, detail, undone_by FROM event",  # the chain may begin anew
    "revision": "SELECT e.id, memory_id, before FROM revision JOIN event e ON seq = event",  # events get other numbers
    "recall": "SELECT * FROM recall",
    "recalled": "SELECT * FROM recalled",
    "feedback": "SELECT * FROM feedback",
    "api_key": "SELECT * FROM api_key",
    "retention": "SELECT * FROM retention",
}
"""Tables beside the memories, and what `recover` keeps of them."""


def history(path):
    """(table, row, its pages) of the tables beside the memories."""
    file = apsw.Connection(str(path))
    events = dict(file.execute("SELECT seq, id FROM event"))
    file.close()
    kept = {"event": lambda row: row[1:8], "revision": lambda row: (events[row[1]], row[0], row[2])}
    return [
        (table, _row(kept.get(table, tuple)(values)), on) for table, values, on in _stored(path) if table in HISTORY
    ]


def recovered(path):
    """Table → its rows, as in `history`."""
    file = apsw.Connection(str(path))
    found = {table: {_row(row) for row in file.execute(asked)} for table, asked in HISTORY.items()}
    file.close()
    return found


def _row(values):
    """The values in any order: a table without row numbers stores its key first. SQLite stores 1.0 as 1."""
    plain = (value.decode() if isinstance(value, bytes) else value for value in values if value is not None)
    return tuple(sorted(repr(value if isinstance(value, str) else float(value)) for value in plain))


def _stored(path):
    """(table, values, pages) of the rows on leaf pages."""
    from recollect.store.sqlite.salvage import cells
    from recollect.store.sqlite.salvage.pages import Pages

    class Noting(Pages):
        def __getitem__(self, number):
            read.add(number)
            return super().__getitem__(number)

    read = set()
    file = apsw.Connection(str(path))
    names = {name for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    of_pages = dict(file.execute("SELECT pageno, name FROM dbstat WHERE pagetype = 'leaf'"))
    file.close()
    with closing(Noting(path)) as whole:
        for number, table in of_pages.items():
            if table not in names or number == 1:
                continue
            data = whole[number]
            kind = cells._KINDS[data[cells._start(number)]]
            for n in range(cells._short(data, 3)):
                read.clear()
                cell = cells._cell(whole, data, kind, cells._short(data, 8 + 2 * n))
                yield table, cell.values, {number, *read}


def tried(case, original, before, where, folder):
    """Damages a copy and returns (outcome, what was lost although its page is sound)."""
    path, new = folder / "damaged.db", folder / "saved.db"
    for old in (path, new):
        old.unlink(missing_ok=True)
    shutil.copyfile(original, path)
    touched = case.apply(path)
    kept = path.read_bytes()
    saved = _saved(path, new, original)
    assert path.read_bytes() == kept, "recover changed the damaged file"
    missing = {id for id, on in where.items() if not on & touched} - saved
    if case.kind == "bad text":
        missing = set(where) - saved
    return _outcome(path, before), missing


def _saved(path, new, original):
    """The ids of the memories that `recover` brought back."""
    try:
        done = recover(path, new)
    except StoreError:
        return set()
    store = open_store(str(new))
    try:
        assert store.check() == []
        assert done.chain != "kept" or chain.head(store) == head(original)
        return {put.memory.id for batch in pages(store) for put in batch.puts}
    finally:
        store.close()


def _outcome(path, before):
    if checked(path):
        return "detected"
    return "harmless" if content(path) == before else "undetected"
