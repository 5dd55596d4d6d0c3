"""`recollect import` reads what the packages themselves wrote. tests/imports has the files of other programs."""

import json

import pytest

from recollect.adapters.mem0 import Memory
from recollect.imports import import_from

SAID = ["Ada is allergic to peanuts", "Ada lives in Lisbon", "Ada has a dog"]


def twice(mind, path):
    """Counts of the first import. The second adds nothing."""
    assert not mind.list()
    done = import_from(mind, path)
    again = import_from(mind, path)
    assert (again.added, again.links, again.skipped) == (0, 0, 0) and again.known == done.added == len(mind.list())
    return done.added, done.skipped


@pytest.fixture
def mem0(tmp_path, monkeypatch):
    """Files that mem0 wrote: three memories of Ada, of which one was corrected and one deleted."""
    folder = tmp_path / "mem0"
    folder.mkdir()
    for name, value in {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "none"}.items():
        monkeypatch.setenv(name, value)
    package = pytest.importorskip("mem0", reason="needs mem0ai: make test-adapters")
    store = {"path": str(folder / "qdrant"), "embedding_model_dims": 4}
    config = {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": str(folder / "history.db")}
    memory = package.Memory.from_config(config)
    memory.embedding_model = type("Same", (), {"embed": lambda *_: [1.0, 0.0, 0.0, 0.0]})()
    messages = [{"role": "user", "content": text} for text in SAID]
    added = memory.add(messages, user_id="ada", metadata={"by": "hand"}, infer=False)["results"]
    ids = {entry["memory"]: entry["id"] for entry in added}
    memory.update(ids["Ada lives in Lisbon"], "Ada lives in Porto")
    memory.delete(ids["Ada has a dog"])
    (folder / "results.json").write_text(json.dumps(memory.get_all(filters={"user_id": "ada"})), encoding="utf-8")
    memory.close()
    memory.vector_store.client.close()
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", ["results.json", "history.db", "qdrant/collection/mem0/storage.sqlite"])
def test_files_of_mem0(mem0, mind, file):
    assert twice(mind, mem0 / file) == (2, 0)
    assert {memory.text for memory in mind.list()} == {"Ada is allergic to peanuts", "Ada lives in Porto"}
    if file != "history.db":  # it does not say whose a memory is
        theirs = json.loads((mem0 / "results.json").read_text(encoding="utf-8"))["results"]
        ours = Memory(mind).get_all(filters={"user_id": "ada"})["results"]
        assert sorted(map(_without_ids, ours), key=str) == sorted(map(_without_ids, theirs), key=str)


def _without_ids(entry):
    return {name: value for name, value in entry.items() if name != "id"}


@pytest.mark.filterwarnings("ignore")
def test_the_folder_of_mem0_is_imported_once_and_each_memory_keeps_its_user(mem0, mind):
    """Its files have the same memories under the same ids; the history does not say whose they are."""
    assert import_from(mind, mem0).added == 2 and import_from(mind, mem0).added == 0
    assert len(Memory(mind).get_all(filters={"user_id": "ada"})["results"]) == 2


def test_items_of_langgraphs_own_store(tmp_path, mind):
    pytest.importorskip("langgraph.store.base", reason="needs langgraph: make test-adapters")
    from langgraph.store.memory import InMemoryStore

    store = InMemoryStore()
    store.put(("users", "ada"), "theme", {"text": "Ada likes dark mode", "rank": 3})
    store.put(("users", "bob"), "boat", {"name": "Marlin"})
    lines = [json.dumps(item.dict()) + "\n" for item in store.search(())]
    (tmp_path / "items.jsonl").write_text("".join(lines), encoding="utf-8")
    assert twice(mind, tmp_path / "items.jsonl") == (2, 0)
    assert {memory.namespace for memory in mind.list()} == {f"{mind.namespace}/users/{name}" for name in ("ada", "bob")}

    from recollect.adapters.langgraph import RecollectStore

    ours = RecollectStore(mind)
    for theirs in store.search(()):
        item = ours.get(theirs.namespace, theirs.key)
        assert item is not None and item.dict() | {"score": None} == theirs.dict()
    ours.put(("users", "bob"), "boat", {"name": "Heron"})
    assert [item.value for item in ours.search(("users",), query="which boat?", limit=1)] == [{"name": "Heron"}]
    assert import_from(mind, tmp_path / "items.jsonl").added == 0
    assert ours.get(("users", "bob"), "boat").value == {"name": "Heron"}, "what was put since stays"
