"""What `remember` keeps, and what it takes for something it knows already."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_store import everything, texts

from recollect import Recollect
from recollect.write.path import BATCH

many_examples = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40)
labels = words.filter(lambda word: word.strip()).map(str.strip)
moments = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
metadata = st.dictionaries(
    words,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=3,
)
items = st.fixed_dictionaries(
    {"text": labels},
    optional={
        "kind": labels,
        "tags": st.lists(labels, max_size=3, unique=True),
        "entities": st.lists(labels, max_size=3, unique=True),
        "gist": labels,
        "importance": st.floats(0, 1),
        "confidence": st.floats(0, 1),
        "metadata": metadata,
        "namespace": st.sampled_from(["default", "acme/agents/ada", "Ünï/ code"]),
        "session_id": labels,
        "at": moments,
        "occurred_at": moments,
        "expires_at": moments,
        "source": labels,
        "turn": st.integers(0, 2**63 - 1),
        "role": st.sampled_from(["user", "assistant"]),
        "granularity": st.sampled_from(["memory", "turn", "fact", "chunk", "round", "session"]),
    },
).filter(lambda item: item.get("namespace") != "Ünï/ code")


@many_examples
@given(item=items)
def test_what_was_remembered_comes_back_field_for_field(mind, item):
    kept = mind.remember_many([item | {"dedup": False}])[0]
    found = mind._store.get([kept.id])[kept.id]
    assert found == kept
    for name, value in item.items():
        held = getattr(found, "created_at" if name == "at" else name)
        assert held == (tuple(value) if isinstance(value, list) else value)


def test_ids_are_uuid7_and_rise(mind):
    kept = mind.remember_many([{"text": f"thing number {n}"} for n in range(600)])
    ids = [memory.id for memory in kept]
    assert ids == sorted(set(ids))
    assert {uuid.UUID(id).version for id in ids} == {7}


def test_a_new_memory_starts_with_the_documented_values(mind):
    before = datetime.now(UTC)
    kept = mind.remember("Ada prefers dark mode")
    assert (kept.kind, kept.importance, kept.confidence, kept.strength) == ("fact", 0.5, 1.0, 1.0)
    assert (kept.status, kept.tier, kept.namespace, kept.granularity) == ("active", "searchable", "default", "memory")
    assert (kept.access_count, kept.retrieval_count, kept.merged_into) == (0, 0, None)
    assert before <= kept.created_at <= datetime.now(UTC)
    assert kept.valid_from == kept.created_at


def test_many_can_come_from_a_generator_and_keep_their_order(mind):
    kept = mind.remember_many({"text": f"entry {n} of the list"} for n in range(BATCH + 3))
    assert [memory.text for memory in kept] == [f"entry {n} of the list" for n in range(BATCH + 3)]
    assert mind.remember_many([]) == []


# Duplicates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["Ada prefers dark mode", "  ada PREFERS\n dark  mode", "Ａda prefers dark mode"])
def test_the_same_text_again_is_merged_and_counts_as_more_important(mind, again):
    first = mind.remember("Ada prefers dark mode")
    second = mind.remember(again, importance=0.6)
    assert second.merged_into == second.id == first.id
    assert mind.stats().memories == 1
    assert mind.list()[0] == replace(first, importance=pytest.approx(0.7))


def test_importance_never_rises_above_1(mind):
    for _ in range(9):
        kept = mind.remember("Ada prefers dark mode", importance=0.9)
    assert kept.importance == 1.0


def test_a_near_duplicate_is_kept_out_of_sight_and_points_to_the_first(mind):
    first = mind.remember("Ada really prefers the dark mode in her editor at work")
    second = mind.remember("Ada really prefers the dark mode in her editor, at work!")
    assert second.merged_into == first.id != second.id
    assert second.status == "consolidated"
    assert texts(mind.recall("dark mode")) == [first.text]
    assert [(link.a, link.b, link.kind) for link, _ in mind.neighbours(first.id)] == [(second.id, first.id, "same_as")]


def test_a_number_or_a_negation_makes_it_another_statement(mind):
    mind.remember("The request limit of the public export endpoint is 100 per minute")
    for other in (
        "The request limit of the public export endpoint is 200 per minute",
        "The request limit of the public export endpoint is not 100 per minute",
    ):
        assert mind.remember(other).merged_into is None


def test_the_same_text_elsewhere_is_another_memory(mind):
    mind.remember("Ada prefers dark mode", namespace="acme")
    assert mind.remember("Ada prefers dark mode", namespace="acme/ada").merged_into is None
    assert mind.remember("Ada prefers dark mode", namespace="acme2").merged_into is None


def test_without_dedup_everything_is_kept(mind):
    kept = mind.remember_many([{"text": "Ada prefers dark mode", "dedup": False}] * 3)
    assert [memory.merged_into for memory in kept] == [None] * 3
    assert mind.stats().memories == 3


def test_duplicates_within_one_batch_are_merged_too(mind):
    kept = mind.remember_many([{"text": "Ada prefers dark mode"}, {"text": "Bob likes tea"}] * 2)
    assert [memory.merged_into for memory in kept] == [None, None, kept[0].id, kept[1].id]
    assert mind.stats().memories == 2
    assert mind.list(kinds=["fact"])[0].importance == pytest.approx(0.6)


def test_a_repeated_near_duplicate_strengthens_the_one_that_stays(mind):
    first = mind.remember("Ada really prefers the dark mode in her editor at work")
    near = {"text": "Ada really prefers the dark mode in her editor, at work!"}
    assert [memory.merged_into for memory in mind.remember_many([near, near])] == [first.id, first.id]
    assert mind._store.get([first.id])[first.id].importance == pytest.approx(0.7)


def test_turns_are_never_merged(mind):
    turn = {"text": "Yes, please.", "granularity": "turn", "session_id": "s1"}
    assert all(memory.merged_into is None for memory in mind.remember_many([turn, turn]))


def test_what_expired_was_archived_or_forgotten_is_remembered_anew(mind):
    mind.remember("The lift is broken", expires_at="2020-01-01")
    assert mind.remember("The lift is broken").merged_into is None
    archived = mind.remember("The cellar is damp")
    mind.update(archived.id, tier="archived")
    assert mind.remember("The cellar is damp").merged_into is None
    gone = mind.remember("The roof leaks")
    mind.forget(gone.id)
    assert mind.remember("The roof leaks").merged_into is None
    for query in ("lift broken", "cellar damp", "roof leaks"):
        assert len(mind.recall(query, recipe="bm25").hits) == 1


def test_repeating_without_an_end_takes_the_end_away(mind):
    first = mind.remember("The lift is broken", expires_at="2999-01-01")
    assert mind.remember("The lift is broken").merged_into == first.id
    assert mind.get(first.id).expires_at is None


def test_updating_to_another_memorys_text_leaves_both(mind):
    first, second = mind.remember_many([{"text": "Ada prefers dark mode"}, {"text": "Bob likes tea"}])
    mind.update(second.id, text=first.text)
    assert mind.remember(first.text).merged_into == first.id
    assert mind.check() == []


# Batches ------------------------------------------------------------------------------------------


class _Interrupting:
    """Ctrl-C while a later batch is being embedded."""

    name, fingerprint, dim = "hashing", "hashing-1-256", 256

    def __init__(self, inner, calls):
        self._inner, self._calls = inner, calls

    def embed(self, texts):
        self._calls -= 1
        if self._calls < 0:
            raise KeyboardInterrupt
        return self._inner.embed(texts)


def test_ctrl_c_leaves_whole_batches_and_a_store_that_works(mind, path):
    with Recollect(path, embedder=_Interrupting(mind.embedder, calls=2)) as interrupted:
        with pytest.raises(KeyboardInterrupt):
            interrupted.remember_many({"text": f"entry {n} of the list"} for n in range(3 * BATCH))
        assert interrupted.stats().memories == 2 * BATCH
        assert interrupted.check() == []
    mind.remember("and on it goes")
    assert mind.stats().memories == 2 * BATCH + 1


def test_a_batch_that_breaks_off_while_writing_leaves_nothing(mind, path):
    mind.remember("Ada prefers dark mode")
    before = everything(path)
    file = apsw.Connection(str(path))
    file.execute("CREATE TRIGGER stop BEFORE INSERT ON event BEGIN SELECT raise(ABORT, 'stopped'); END")
    with pytest.raises(apsw.ConstraintError, match="stopped"):
        mind.remember_many([{"text": "Bob likes tea"}, {"text": "Ada prefers dark mode"}])
    file.execute("DROP TRIGGER stop")
    file.close()
    assert everything(path) == before
    assert mind.remember("Bob likes tea").merged_into is None
    assert texts(mind.recall("tea", recipe="bm25")) == ["Bob likes tea"]
