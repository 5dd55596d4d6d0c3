"""The same calls on mem0 itself and on our adapter give results of the same shape.

mem0 runs with its local vector store and a small embedder of our own, so it needs no network and no model.
"""

import inspect
import os
import re
from hashlib import md5

import pytest

from recollect.adapters import mem0 as ours

pytestmark = pytest.mark.filterwarnings("ignore")
CALLS = ["add", "search", "get", "get_all", "update", "delete", "delete_all", "history", "reset", "from_config"]
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")
DIMENSIONS = 64


class Words:
    """An embedder that counts words."""

    def embed(self, text, *_):
        vector = [0.0] * DIMENSIONS
        for word in text.lower().split():
            vector[int(md5(word.encode()).hexdigest(), 16) % DIMENSIONS] += 1.0
        return vector


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """mem0, without its telemetry and with a folder of its own."""
    own = {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(tmp_path_factory.mktemp("mem0")), "OPENAI_API_KEY": "none"}
    os.environ.update(own)
    yield pytest.importorskip("mem0", reason="needs mem0ai: make test-adapters")
    for name in own:
        del os.environ[name]


@pytest.fixture
def theirs(package, tmp_path):
    store = {"path": str(tmp_path / "qdrant"), "embedding_model_dims": DIMENSIONS}
    config = {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": str(tmp_path / "history.db")}
    memory = package.Memory.from_config(config)
    memory.embedding_model = Words()
    yield memory
    memory.close()
    memory.vector_store.client.close()


@pytest.fixture
def own(mind):
    return ours.Memory(mind)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["Memory", "AsyncMemory"])
def test_every_argument_of_mem0_is_an_argument_here(package, kind, name):
    def names(owner):
        found = inspect.signature(getattr(getattr(owner, kind), name)).parameters.values()
        return {each.name: each.kind for each in found if each.kind != inspect.Parameter.VAR_KEYWORD}

    missing = names(package).items() - names(ours).items()
    assert {argument for argument, _ in missing} <= {"llm"}  # for procedural memories, which need a model


def _shape(value, ids):
    """The value with ids numbered, moments and scores replaced, so that two runs can be compared."""
    if isinstance(value, dict):
        return {key: "score" if key == "score" and inner else _shape(inner, ids) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shape(inner, ids) for inner in value]
    if isinstance(value, str) and value in ids:
        return f"id {ids.index(value)}"
    return "moment" if isinstance(value, str) and MOMENT.fullmatch(value) else value


def _run(memory):
    """What a program that uses mem0 sees, call by call."""
    messages = [
        {"role": "user", "content": "I like green tea", "name": "ines"},
        {"role": "assistant", "content": "Noted, no coffee then"},
        {"role": "system", "content": "be brief"},
    ]
    added = memory.add(messages, user_id="ada", run_id="r1", metadata={"cat": "drink", "n": 3}, infer=False)
    ids = [each["id"] for each in added["results"]]
    seen = [added, memory.search("green tea", filters={"user_id": "ada"}, top_k=1)]
    seen += [memory.get(ids[0]), memory.get("00000000-0000-0000-0000-000000000000")]
    seen += [memory.update(ids[0], text="I like black tea", metadata={"cat": "x"}), memory.get(ids[0])]
    listed = memory.get_all(filters={"user_id": "ada", "role": "user"})
    seen += [listed, memory.get_all(filters={"user_id": "nobody"}), memory.delete(ids[0]), memory.get(ids[0])]
    rows = [{**row, "id": "row"} for row in memory.history(ids[0])]
    memory.add("expires", user_id="eve", infer=False, expiration_date="2020-01-01")
    late = memory.get_all(filters={"user_id": "eve"}, show_expired=True)["results"]
    seen += [rows, [{**each, "id": ""} for each in late], memory.get_all(filters={"user_id": "eve"})]
    seen += [memory.delete_all(user_id="ada"), memory.get_all(filters={"user_id": "ada"}), memory.reset()]
    return [_shape(each, ids) for each in seen]


def test_a_program_sees_the_same_results(theirs, own):
    assert _run(own) == _run(theirs)


WRONG = [
    lambda m: m.delete("00000000-0000-0000-0000-000000000000"),
    lambda m: m.update("00000000-0000-0000-0000-000000000000", text="x"),
    lambda m: m.get_all(),
    lambda m: m.delete_all(),
    lambda m: m.search(" ", filters={"user_id": "ada"}),
    lambda m: m.search("x", filters={"user_id": "a b"}),
    lambda m: m.search("x", filters={"user_id": "a"}, top_k=-1),
    lambda m: m.add("x", user_id="a b", infer=False),
    lambda m: m.add("x", user_id="a", infer=False, expiration_date="soon"),
]


def test_what_mem0_refuses_as_a_value_error_is_one_here(theirs, own):
    for memory in (theirs, own):
        for call in WRONG:
            with pytest.raises(ValueError):
                call(memory)


FILTERS = [
    {"n": 2},
    {"n": {"eq": 2}},
    {"n": {"in": [1, 3]}},
    {"n": {"gt": 1, "lte": 3}},
    {"n": {"gte": 2}},
    {"n": {"lt": 2}},
    {"n": [1, 3]},
    {"team": {"contains": "web"}},
    {"AND": [{"n": {"gt": 1}}, {"team": "core-web"}]},
    {"OR": [{"n": 1}, {"n": 3}]},
    {"NOT": [{"n": 1}, {"n": 3}]},
]


def test_filters_select_the_same_memories(theirs, own):
    def found(memory, filters):
        asked = memory.search("tea number", filters={"user_id": "ada", **filters}, threshold=0.0)
        return {each["memory"] for each in asked["results"]}

    for memory in (theirs, own):
        for number, team in ((1, "core"), (2, "core-web"), (3, "sales")):
            memory.add(f"tea number {number}", user_id="ada", metadata={"n": number, "team": team}, infer=False)
    for filters in FILTERS:
        assert found(own, filters) == found(theirs, filters), filters
