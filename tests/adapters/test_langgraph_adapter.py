"""LangGraph's store: the same operations give the same results as in LangGraph's own store in memory."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import Recollect
from recollect.errors import InvalidInput

base = pytest.importorskip("langgraph.store.base", reason="needs langgraph: make test-adapters")
from langgraph.store.memory import InMemoryStore  # noqa: E402

from recollect.adapters.langgraph import RecollectStore  # noqa: E402

pytest_plugins = ["server_fixtures"]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b/", "~c"]), inner, max_size=3),
    max_leaves=6,
)
VALUES = st.dictionaries(st.sampled_from(["a", "n", "x/y", "~0", "", "text"]), JSON, max_size=4)
NAMESPACES = [("users", "ada"), ("users", "bob"), ("users",), ("docs", "a b", "x/y"), ("docs",)]
FILTERS = [
    None,
    {"n": 1},
    {"n": {"$gt": 1}},
    {"n": {"$gte": 1, "$lt": 3}},
    {"n": {"$ne": 1}},
    {"color": "red", "n": {"$lte": 2}},
    {"color": None},
    {"at": {"city": "Porto"}},
    {"tags": ["a", "b"]},
]
LISTINGS = [
    {},
    {"prefix": ("docs",)},
    {"suffix": ("ada",)},
    {"prefix": ("*", "ada")},
    {"prefix": ("docs",), "suffix": ("*",)},
    {"max_depth": 1},
    {"max_depth": 2, "prefix": ("docs",)},
    {"limit": 2, "offset": 1},
]
SAMPLES = [
    {"n": 1, "color": "red", "at": {"city": "Porto", "zip": "4000"}},
    {"n": 2, "color": "blue", "tags": ["a", "b"]},
    {"n": 3, "color": None, "at": {"city": "Lyon"}},
    {"n": 2, "tags": ["b", "a"], "at": {}},
]
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(NAMESPACES), st.sampled_from(["k", " k ", "k" * 200]), st.none() | st.sampled_from(SAMPLES)
    ),
    max_size=12,
)


@pytest.fixture
def store(memory):
    return RecollectStore(memory)


def _shown(items):
    return sorted((item.namespace, item.key, json.dumps(item.value, sort_keys=True)) for item in items)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(VALUES)
def test_a_value_comes_back_as_it_was_put(mind, value):
    store = RecollectStore(mind)
    store.put(("a",), "k", value)
    assert store.get(("a",), "k").value == value


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(OPERATIONS)
def test_any_writes_leave_what_langgraphs_own_store_has(tmp_path_factory, operations):
    theirs = InMemoryStore()
    with Recollect(":memory:", embedder="hashing") as mind:
        ours = RecollectStore(mind)
        for store in (theirs, ours):
            for namespace, key, value in operations:
                store.put(namespace, key, value) if value else store.delete(namespace, key)
        assert _shown(ours.search((), limit=100)) == _shown(theirs.search((), limit=100))


def test_filters_select_the_same_items(store):
    theirs = InMemoryStore()
    for each in (theirs, store):
        for number, value in enumerate(SAMPLES):
            each.put(("users", "ada"), f"k{number}", value)
    for filter in FILTERS:
        ours = _shown(store.search(("users",), filter=filter))
        assert ours == _shown(theirs.search(("users",), filter=filter)), filter


def test_infinity_and_numbers_beyond_a_database_compare_as_numbers(store):
    store.put(("items",), "a", {"price": 10})
    for filter, found in [
        ({"$lt": float("inf")}, 1),
        ({"$gt": float("-inf")}, 1),
        ({"$gt": float("inf")}, 0),
        ({"$lt": 10**100}, 1),
        ({"$eq": float("nan")}, 0),
        ({"$lt": float("nan")}, 0),
    ]:
        assert len(store.search(("items",), filter={"price": filter})) == found, filter


def test_namespaces_are_listed_alike(store):
    theirs = InMemoryStore()
    for each in (theirs, store):
        for namespace in [*NAMESPACES, ("docs", "b", "c", "d")]:
            each.put(namespace, "k", {"n": 1})
    for asked in LISTINGS:
        assert store.list_namespaces(**asked) == theirs.list_namespaces(**asked), asked


def test_a_batch_reads_before_it_writes_and_the_last_write_of_an_item_counts(store):
    puts = [base.PutOp(("a",), "k", {"n": n}) for n in (1, 2)]
    results = store.batch([base.GetOp(("a",), "k"), *puts, base.SearchOp(("a",)), base.ListNamespacesOp()])
    assert results == [None, None, None, [], []]
    assert store.get(("a",), "k").value == {"n": 2}
    assert len(store.search(("a",))) == 1


def test_a_batch_that_fails_writes_nothing(store):
    with pytest.raises(InvalidInput, match="JSON"):
        store.batch([base.PutOp(("a",), "k", {"n": 1}), base.PutOp(("a",), "l", {"n": object()})])
    assert store.search(()) == []


@pytest.mark.parametrize("label", ["a.b", "", 1])
def test_a_batch_with_a_label_that_langgraph_refuses_writes_nothing(mind, label):
    store = RecollectStore(mind)
    wrong = (label,)
    condition = base.MatchCondition("prefix", wrong)
    for op in (
        base.GetOp(wrong, "k"),
        base.PutOp(wrong, "k", {}),
        base.SearchOp(wrong),
        base.ListNamespacesOp((condition,)),
    ):
        with pytest.raises(base.InvalidNamespaceError):
            store.batch([base.PutOp(("a",), "k", {"n": 1}), op])
    assert store.batch([base.SearchOp(())]) == [[]]


def test_putting_an_item_again_keeps_when_it_was_made_and_leaves_one_memory(store):
    store.put(("a",), "k", {"text": "tea"})
    first = store.get(("a",), "k")
    store.put(("a",), "k", {"text": "coffee"})
    second = store.get(("a",), "k")
    assert second.created_at == first.created_at and second.updated_at > first.updated_at
    assert store.mind.stats().memories == 1


def test_items_that_say_the_same_or_the_opposite_stay_apart(store):
    texts = ["I live in Porto", "I live in Porto", "I live in Lyon now"]
    for number, text in enumerate(texts):
        store.put(("a",), f"k{number}", {"text": text})
    store.put(("a",), "k0", {"text": "I live in Berlin"})
    held = store.mind.list()
    assert {memory.status for memory in held} == {"active"} and len(held) == 3


def test_a_search_finds_by_meaning_with_a_score_and_only_below_its_namespace(store):
    store.put(("users", "ada"), "1", {"text": "Ada drinks green tea every morning"})
    store.put(("users", "ada"), "2", {"text": "The deployment runs on Tuesdays"})
    store.put(("users", "bob"), "3", {"text": "Bob drinks green tea as well"})
    found = store.search(("users", "ada"), query="green tea in the morning", limit=2)
    assert found[0].key == "1" and found[0].score > 0
    assert all(item.namespace == ("users", "ada") for item in found)


def test_a_search_with_a_filter_and_pages_loses_nothing(store):
    for number in range(30):
        store.put(("notes",), str(number), {"text": f"note {number} about tea", "even": number % 2 == 0})
    pages = [store.search(("notes",), filter={"even": True}, limit=4, offset=n) for n in range(0, 16, 4)]
    assert {item.key for page in pages for item in page} == {str(n) for n in range(0, 30, 2)}
    asked = store.search(("notes",), query="note about tea", filter={"even": True}, limit=5)
    assert len(asked) == 5 and all(item.value["even"] for item in asked)


def test_only_the_indexed_fields_are_searched(store):
    store.put(("a",), "title", {"title": "red umbrella", "body": "rain"}, index=["title"])
    store.put(("a",), "nothing", {"title": "umbrella"}, index=False)
    store.put(("a",), "list", {"parts": [{"said": "umbrella"}, {"said": "sun"}]}, index=["parts[*].said"])
    assert {item.key for item in store.search(("a",), query="umbrella")} == {"title", "list"}
    assert "title" not in {item.key for item in store.search(("a",), query="rain") if item.score > 0.5}
    assert store.get(("a",), "nothing").value == {"title": "umbrella"}
    assert {memory.text for memory in store.mind.list()} == {"red umbrella", "nothing", "umbrella\nsun"}


def test_the_store_has_default_fields_of_its_own(memory):
    store = RecollectStore(memory, fields=["title"])
    store.put(("a",), "k", {"title": "umbrella", "secret": "rain"})
    assert [found.text for found in memory.list()] == ["umbrella"]


def test_a_refused_question_finds_the_nearest_unless_only_answers_are_wanted(mind):
    mind.remember("something else in the same file")
    RecollectStore(mind).put(("a",), "k", {"text": "Ada drinks green tea"})
    asked = {"query": "which order number has invoice QX-99817?"}
    assert [item.key for item in RecollectStore(mind).search(("a",), **asked)] == ["k"]
    assert RecollectStore(mind, only_answers=True).search(("a",), **asked) == []


def _expiry(store):
    return store.mind.list()[0].expires_at


def test_an_item_with_a_ttl_is_gone_after_it(store):
    store.put(("a",), "k", {"text": "tea"}, ttl=1e-6)
    assert store.get(("a",), "k") is None and store.search(("a",)) == [] and store.list_namespaces() == []
    assert store.search(("a",), query="tea") == []
    store.put(("a",), "k", {"text": "tea again"})
    assert store.get(("a",), "k").value == {"text": "tea again"} and _expiry(store) is None


def test_a_read_renews_the_ttl_when_it_is_asked_to(store):
    store.put(("a",), "k", {"n": 1}, ttl=10)
    soon = datetime.now(UTC) + timedelta(minutes=1)
    for renews, read in [(False, store.get), (True, store.get)]:
        store.mind.update(store.mind.list()[0].id, expires_at=soon)
        read(("a",), "k", refresh_ttl=renews)
        assert (_expiry(store) > soon) == renews
    store.mind.update(store.mind.list()[0].id, expires_at=soon)
    store.search(("a",))
    assert _expiry(store) > soon


def test_reads_that_follow_each_other_write_only_once(store):
    store.put(("a",), "k", {"n": 1}, ttl=10)
    for _ in range(3):
        store.get(("a",), "k")
    assert len(store.mind.history(store.mind.list()[0].id)) == 1


def test_the_default_ttl_of_the_store_applies(memory):
    store = RecollectStore(memory, ttl={"default_ttl": 5, "refresh_on_read": False})
    store.put(("a",), "k", {"n": 1})
    assert _expiry(store) > datetime.now(UTC) + timedelta(minutes=4)


def test_a_deleted_item_leaves_no_text_behind(store):
    store.put(("a",), "k", {"text": "tea"})
    store.delete(("a",), "k")
    store.delete(("a",), "k")
    assert store.get(("a",), "k") is None and store.mind.list(statuses=["active", "forgotten"]) == []


def test_other_memories_of_the_file_are_not_items(store):
    store.mind.remember("Ada drinks tea", namespace="default/users")
    assert store.search((), query="tea") == [] and store.search(()) == [] and store.list_namespaces() == []


def test_items_are_memories_that_recall_finds(store):
    store.put(("users", "ada"), "1", {"text": "Ada drinks green tea every morning"})
    assert store.mind.recall("green tea", namespace="default/users/ada").hits[0].memory.session_id == "1"


def test_the_awaited_methods_do_the_same(store):
    async def used():
        await store.aput(("a",), "k", {"text": "tea"})
        await asyncio.gather(*(store.aput(("a",), str(n), {"n": n}) for n in range(5)))
        found = await store.aget(("a",), "k")
        names, items = await store.alist_namespaces(), await store.asearch(("a",), limit=20)
        await store.adelete(("a",), "k")
        return found.value, names, len(items), await store.aget(("a",), "k")

    assert asyncio.run(used()) == ({"text": "tea"}, [("a",)], 6, None)


def test_two_writers_of_one_key_leave_one_item(path):
    from concurrent.futures import ThreadPoolExecutor

    with Recollect(path, embedder="hashing") as one, Recollect(path, embedder="hashing") as two:
        stores = [RecollectStore(one), RecollectStore(two)]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda n: stores[n % 2].put(("a",), "k", {"n": n}), range(20)))
        assert len(one.list()) == 1


@pytest.mark.parametrize(
    ("value", "said"),
    [({"n": float("nan")}, "JSON"), ({1: 2}, "string keys"), ({"n": "\0"}, "NUL"), ({"n": {1, 2}}, "JSON")],
    ids=str,
)
def test_a_value_that_is_not_json_is_refused(mind, value, said):
    with pytest.raises(InvalidInput, match=said):
        RecollectStore(mind).put(("a",), "k", value)


def test_a_namespace_that_is_too_long_and_a_comparison_with_an_object_are_refused(store):
    with pytest.raises(InvalidInput, match="more than 256"):
        store.put(("a" * 300,), "k", {})
    with pytest.raises(InvalidInput, match="compare its fields"):
        store.search(("a",), filter={"at": {"$eq": {"city": "Porto"}}})


def test_a_store_opens_and_closes_its_file(path):
    with RecollectStore.from_conn_string(path) as store:
        store.put(("a",), "k", {"n": 1})
    with RecollectStore.from_conn_string(path, ttl={"default_ttl": 5}) as store:
        assert store.get(("a",), "k").value == {"n": 1} and store.ttl_config == {"default_ttl": 5}


def test_a_graph_remembers_across_threads(mind):
    from langgraph.graph import END, START, StateGraph
    from langgraph.runtime import Runtime
    from typing_extensions import TypedDict

    class State(TypedDict):
        said: str
        known: list

    def remember(state: State, runtime: Runtime):
        known = [item.value["text"] for item in runtime.store.search(("ada",), query=state["said"])]
        runtime.store.put(("ada",), state["said"], {"text": state["said"]})
        return {"known": known}

    graph = StateGraph(State).add_node("remember", remember).add_edge(START, "remember").add_edge("remember", END)
    compiled = graph.compile(store=RecollectStore(mind))
    assert compiled.invoke({"said": "green tea is what Ada drinks"})["known"] == []
    assert compiled.invoke({"said": "does Ada drink green tea?"})["known"] == ["green tea is what Ada drinks"]
