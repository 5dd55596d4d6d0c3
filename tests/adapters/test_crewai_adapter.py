"""CrewAI's memory storage. CrewAI has an environment of its own, without a PostgreSQL server."""

import asyncio
import inspect
from datetime import UTC, datetime

import pytest

pytest.importorskip("crewai", reason="needs crewai: make test-adapters")
from crewai.memory.storage.backend import StorageBackend  # noqa: E402
from crewai.memory.storage.lancedb_storage import LanceDBStorage  # noqa: E402
from crewai.memory.types import MemoryRecord  # noqa: E402
from crewai.memory.unified_memory import Memory  # noqa: E402

from recollect.adapters.crewai import RecollectStorage  # noqa: E402
from recollect.errors import InvalidInput, NotFound  # noqa: E402

SAID = [
    ("1", "Ada's boat is called Marlin", "/ada/things", ["boats"], {"year": 2024}),
    ("2", "Ada lives in Porto", "/ada", ["home"], {}),
    ("3", "Bob lives in Oslo", "/bob", ["home", "north"], {}),
]


@pytest.fixture
def storage(mind):
    return RecollectStorage(mind)


def records(embed):
    return [
        MemoryRecord(
            id=id,
            content=text,
            scope=scope,
            categories=categories,
            metadata=metadata,
            created_at=datetime(2026, 1, int(id)),
            embedding=embed([text])[0],
        )
        for id, text, scope, categories, metadata in SAID
    ]


def used(storage, embed):
    """What CrewAI sees of a storage, call by call."""
    storage.save(records(embed))
    asked = embed(["Where does Ada live?"])[0]
    ids = lambda found: [record.id for record in found]  # noqa: E731
    seen = [
        [record.id for record, _ in storage.search(asked, limit=2)],
        [record.id for record, _ in storage.search(asked, categories=["north"])],
        [record.id for record, _ in storage.search(asked, scope_prefix="/ada/things")],
        [record.id for record, _ in storage.search(asked, metadata_filter={"year": 2024})],
        ids(storage.list_records()),
        ids(storage.list_records("/ada", limit=1, offset=1)),
        storage.get_record("3").model_dump(),
        storage.get_record("9"),
        storage.get_scope_info("/ada").model_dump(),
        storage.list_scopes("/"),
        storage.list_scopes("/ada"),
        storage.list_categories(),
        storage.list_categories("/bob"),
        storage.count(),
        storage.count("/ada"),
    ]
    storage.update(storage.get_record("2").model_copy(update={"content": "Ada lives in Lisbon", "embedding": asked}))
    seen.append(storage.get_record("2").content)
    seen += [storage.delete(record_ids=["1"]), storage.delete(categories=["north"]), ids(storage.list_records())]
    storage.reset()
    return [*seen, storage.count()]


def test_it_behaves_as_crewais_own_storage(storage, tmp_path):
    ours = used(storage, storage.embed)
    theirs = used(LanceDBStorage(path=str(tmp_path / "lance")), storage.embed)
    assert _without_access_time(ours) == _without_access_time(theirs)


def _without_access_time(seen):
    return [{**each, "last_accessed": None} if isinstance(each, dict) and "id" in each else each for each in seen]


def test_it_has_what_crewai_asks_of_a_storage(storage):
    assert isinstance(storage, StorageBackend)


def test_a_memory_of_crewai_remembers_recalls_and_forgets(storage):
    memory = Memory(llm=None, storage=storage, embedder=storage.embed, root_scope="/crew")
    memory.remember("Ada's boat is called Marlin", scope="/ada", categories=["boats"], importance=0.7, metadata={})
    [match] = memory.recall("What is Ada's boat called?", depth="shallow")
    assert (match.record.content, match.record.scope) == ("Ada's boat is called Marlin", "/crew/ada")
    assert storage.mind.recall("What is Ada's boat called?").hits[0].memory.namespace == "default/crew/ada"
    assert memory.forget(record_ids=[match.record.id]) == 1 and not storage.mind.list()
    memory.close()


def test_a_moved_record_is_found_in_its_new_scope(storage):
    storage.save(records(storage.embed))
    storage.update(storage.get_record("2").model_copy(update={"scope": "/team/ada"}))
    assert [record.id for record in storage.list_records("/team")] == ["2"] and storage.count() == 3


@pytest.mark.parametrize("name", ["search", "delete", "list_records", "update", "save", "asearch", "adelete"])
def test_every_argument_of_crewais_storage_is_one_here(name):
    theirs, ours = (inspect.signature(getattr(each, name)).parameters for each in (StorageBackend, RecollectStorage))
    assert [(each.name, each.default) for each in ours.values()] == [
        (each.name, each.default) for each in theirs.values()
    ]


def test_the_asynchronous_calls_do_the_same(storage):
    async def run():
        await storage.asave(records(storage.embed))
        found = await storage.asearch(storage.embed(["boat"])[0], limit=1)
        return found[0][0].id, await storage.adelete(older_than=datetime(2026, 1, 3, tzinfo=UTC))

    assert asyncio.run(run()) == ("1", 2)


def test_what_crewai_recalls_counts_as_accessed(storage):
    storage.save(records(storage.embed))
    memory = Memory(llm=None, storage=storage, embedder=storage.embed)
    [match] = memory.recall("What is Ada's boat called?", depth="shallow", limit=1)
    assert storage.get_record(match.record.id).last_accessed > match.record.last_accessed
    assert [each.text for each in storage.mind.list() if each.access_count] == [match.record.content]
    memory.close()


def test_vectors_of_another_embedder_are_refused(storage):
    for record in records(lambda texts: [[0.1, 0.2]]):
        with pytest.raises(InvalidInput, match="embedder=storage.embed"):
            storage.save([record])
    for vector in ([0.1, 0.2], []):
        with pytest.raises(InvalidInput, match="embedder=storage.embed"):
            storage.search(vector)
    assert not storage.mind.list()
    with pytest.raises(NotFound, match="'9'"):
        storage.update(MemoryRecord(id="9", content="x"))
