"""How much of a large store does each call read? Counted by SQLite itself, so the machine's speed does not matter."""

import pytest
from large_store import LINKS, MEMORIES, NAMESPACES, QUESTION, SMALL, id_of

from recollect import Recollect, recipes

pytest_plugins = ["large_fixtures"]

FEW = MEMORIES * 3 // 2
"""Steps of a call about a few memories. One row takes ten steps or more."""
A_FEW_ROWS = MEMORIES // 2
NAMESPACE = 200 * MEMORIES // len(NAMESPACES)
"""Steps of a call that reads the memories of one namespace once or twice."""
STORE = 1_000 * MEMORIES
"""Steps of a call that reads everything. A product of two tables would take far more."""

SAID = [{"role": "user", "content": "I moved to Lyon, not Porto."}, {"role": "assistant", "content": "Noted."}]
ABOUT_A_FEW = {
    "recall": lambda mind, _: mind.recall(QUESTION),
    "feedback": lambda mind, _: mind.feedback(mind.recall(QUESTION).id, (), "helped"),
    "remember": lambda mind, _: mind.remember("I live in Porto"),
    "ingest": lambda mind, _: mind.ingest(SAID, session_id="talk"),
    "brief": lambda mind, _: mind.brief("talk"),
    "get": lambda mind, _: mind.get(id_of(5)),
    "update": lambda mind, _: mind.update(id_of(10), text="word9 changed"),
    "history": lambda mind, _: mind.history(id_of(10)),
    "undo": lambda mind, _: mind.undo(mind.history(id_of(10))[-1].id),
    "recalls": lambda mind, _: mind.recalls(id_of(10)),
    "forget": lambda mind, _: mind.forget(id_of(15)),
    "restore": lambda mind, _: mind.restore(id_of(15)),
    "purge": lambda mind, _: mind.purge(id_of(20)),
    "link": lambda mind, _: mind.link(id_of(0), id_of(25)),
    "unlink": lambda mind, _: mind.unlink(id_of(0), id_of(25)),
    "neighbours": lambda mind, _: mind.neighbours(id_of(5)),
    "supersede": lambda mind, _: mind.supersede(id_of(30), id_of(35)),
    "contradict": lambda mind, _: mind.contradict(id_of(40), id_of(45)),
    "reinforce": lambda mind, _: mind.reinforce(id_of(40)),
    "archive": lambda mind, _: mind.archive(id_of(65)),
    "move": lambda mind, _: mind.move(NAMESPACES[0], "team0/bob", id=id_of(60)),
    "retention": lambda mind, _: mind.retention(),
    "set_retention": lambda mind, _: mind.set_retention(most_memories=MEMORIES),
    "chain": lambda mind, _: mind.chain(),
    "recall_log": lambda mind, _: mind.recall_log(),
    "recall_days": lambda mind, _: mind.recall_days(),
    "change_many": lambda mind, _: mind.change_many([id_of(70), id_of(75)], "tag", add_tags=["seen"]),
}
OF_A_NAMESPACE = {
    "remember_many": lambda mind, _: mind.remember_many({"text": f"{QUESTION} fresh{n}"} for n in range(20)),
    "ingest_many": lambda mind, _: mind.ingest_many([{"messages": SAID, "session_id": f"s{n}"} for n in range(5)]),
    "ingest_documents": lambda mind, folder: mind.ingest_documents([_written(folder / "notes.md")]),
    "list": lambda mind, _: mind.list(limit=10),
    "profile": lambda mind, _: mind.profile(),
    "assemble": lambda mind, _: mind.assemble(QUESTION),
    "pin": lambda mind, _: mind.pin(id_of(40)),
    "matching": lambda mind, _: mind.matching(QUESTION),
    "graph": lambda mind, _: mind.graph(QUESTION),
}
OF_THE_STORE = {
    "compare": lambda mind, _: mind.compare(QUESTION),
    "namespaces": lambda mind, _: mind.namespaces(),
    "stats": lambda mind, _: mind.stats(),
    "growth": lambda mind, _: mind.growth(),
    "doctor": lambda mind, _: mind.doctor(),
    "decay": lambda mind, _: mind.decay(),
    "export": lambda mind, folder: mind.export(folder / "all.jsonl"),
    "check": lambda mind, _: mind.check(),
    "backup": lambda mind, folder: mind.backup(folder / "copy.db"),
}
NOT_WALKED = {
    "acting", "close", "embedder", "store", "url",  # read nothing
    "conversation",  # ingests and recalls
    "tend",  # takes minutes here; test_growth.py bounds it
    "import_", "reembed", "calibrate", "clear_calibration", "consolidate",  # write or ask anew what they read
}  # fmt: skip


def _written(path):
    path.write_text("# Notes\n\nSome text about word3.\n")
    return path


def test_every_method_of_the_facade_is_walked():
    public = {name for name in dir(Recollect) if not name.startswith("_")}
    assert public == {*ABOUT_A_FEW, *OF_A_NAMESPACE, *OF_THE_STORE, *NOT_WALKED}


@pytest.mark.parametrize("name", ABOUT_A_FEW)
def test_a_call_about_a_few_memories_reads_a_few(name, large):
    read = _read(large, ABOUT_A_FEW[name], FEW)
    assert 0 < read.steps <= FEW and read.scanned < 1_000


@pytest.mark.parametrize("name", OF_A_NAMESPACE)
def test_a_call_about_a_namespace_reads_no_other(name, large):
    read = _read(large, OF_A_NAMESPACE[name], NAMESPACE)
    assert 0 < read.steps <= NAMESPACE and read.scanned < 1_000


@pytest.mark.parametrize("recipe", recipes.names())
def test_a_recall_reads_a_few_rows_whatever_the_recipe(recipe, large):
    large[0].recall(QUESTION, recipe=recipe)  # reads what the recipe keeps in memory
    assert _read(large, lambda mind, _: mind.recall(QUESTION, recipe=recipe), FEW).steps <= FEW


@pytest.mark.parametrize(
    "asked",
    [
        {"query": QUESTION, "namespace": SMALL},
        {"query": QUESTION, "namespace": SMALL, "kinds": ["fact"]},
        {"query": f"{QUESTION} in March 2011"},
        {"query": QUESTION, "since": "2011-03-01", "until": "2011-04-01"},
    ],
    ids=["a small namespace", "a kind in a small namespace", "a time in the question", "a time"],
)
def test_a_recall_that_admits_few_memories_reads_only_these(asked, large):
    large[0].recall(**asked)
    assert 0 < _read(large, lambda mind, _: mind.recall(**asked, recipe="default-fast"), A_FEW_ROWS).steps <= A_FEW_ROWS


@pytest.mark.parametrize("name", OF_THE_STORE)
def test_a_call_about_the_whole_store_reads_it_a_few_times(name, large):
    assert 0 < _read(large, OF_THE_STORE[name], STORE).steps <= STORE


def test_the_counts_of_one_namespace_do_not_multiply_links_with_memories(large):
    read = _read(large, lambda mind, _: mind.stats(NAMESPACES[1]), NAMESPACE)
    assert large[0].stats(NAMESPACES[1]).links == LINKS // len(NAMESPACES)
    assert read.steps <= NAMESPACE


def _read(large, call, most):
    mind, counting, folder = large
    with counting.read(most) as read:
        call(mind, folder)
    return read
