"""The store against a dict: whatever is done, in whatever order, both must say the same."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from recollect.store import open_store
from recollect.store.sqlite import frequencies, postings
from recollect.store.values import Access, Batch, Put
from recollect.testing import model
from recollect.testing.samples import VIEW, axis, event, everywhere, memory, moment, put, statistics
from recollect.types import STATUSES, TIERS, Condition, Filter, Junction, Link
from recollect.write.build.words import document

WORDS = ("alpha", "beta", "gamma", "delta")
PATHS = ("acme", "acme/x", "acme/x/y", "acme2", "acme2/x", "b")
VALUES = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from(["a", "A", "ab", "1"]), st.just(0.5))

numbers = st.integers(0, 11)
some_texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
some_metadata = st.dictionaries(
    st.sampled_from(["k", "l"]), st.one_of(VALUES, st.lists(VALUES, max_size=2)), max_size=2
)
some_fields = st.fixed_dictionaries(
    {},
    optional={
        "namespace": st.sampled_from(PATHS),
        "status": st.sampled_from(STATUSES),
        "tier": st.sampled_from(TIERS),
        "granularity": st.sampled_from(["memory", "turn", "fact"]),
        "kind": st.sampled_from(["fact", "event"]),
        "session_id": st.sampled_from([None, "s"]),
        "occurred_at": st.sampled_from([None, moment(-9), moment(3)]),
        "valid_from": st.sampled_from([None, moment(0)]),
        "valid_to": st.sampled_from([None, moment(6)]),
        "expires_at": st.sampled_from([None, moment(6)]),
        "metadata": some_metadata,
    },
)


def _condition(key, op, value):
    return Condition(key=key, op=op, value=value)


conditions = st.one_of(
    st.builds(_condition, st.sampled_from("kl"), st.sampled_from(["eq", "ne"]), VALUES),
    st.builds(_condition, st.sampled_from("kl"), st.sampled_from(["in", "nin"]), st.lists(VALUES, max_size=2)),
    st.builds(
        _condition,
        st.sampled_from("kl"),
        st.sampled_from(["gt", "gte", "lt", "lte"]),
        st.sampled_from(["a", "b", "1", 0, 1, 0.5]),
    ),
    st.builds(
        _condition, st.sampled_from("kl"), st.sampled_from(["contains", "icontains"]), st.sampled_from(["a", "A"])
    ),
)
wheres = st.recursive(
    conditions,
    lambda inner: st.builds(
        lambda how, parts: Junction(how=how, parts=tuple(parts)),
        st.sampled_from(["all", "any", "none"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=4,
)


def _some(values):
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


filters = st.builds(
    Filter,
    namespaces=_some(PATHS),
    exact=st.booleans(),
    statuses=_some(STATUSES),
    kinds=_some(["fact", "event", "other"]),
    granularities=_some(["memory", "turn"]),
    tags=_some(["t", "u"]),
    session_id=st.sampled_from([None, "s"]),
    since=st.sampled_from([None, moment(2)]),
    until=st.sampled_from([None, moment(5)]),
    as_of=st.sampled_from([None, moment(5)]),
    live_at=st.sampled_from([None, moment(6)]),
    where=st.one_of(st.none(), wheres),
)


class StoreAgainstDict(RuleBasedStateMachine):
    url = ":memory:"

    @initialize()
    def open(self):
        self.store = open_store(self.url)
        self.held, self.near, self.links = {}, {}, {}

    def _write(self, *puts):
        self.store.write(Batch(puts=puts))
        for given in puts:
            self._note(given)

    def _note(self, given):
        self.held[given.memory.id] = given.memory
        if given.vectors is not None:
            self.near.pop(given.memory.id, None)
            if given.vectors:
                self.near[given.memory.id] = given.vectors[VIEW].vector

    @rule(n=numbers, text=some_texts, tags=_some(["t", "u"]), at=numbers, seen=st.booleans(), fields=some_fields)
    def store_one(self, n, text, tags, at, seen, fields):
        made = memory(n, text, tags=tags, **fields)
        kept = self.held.get(made.id, made)
        made = replace(made, access_count=kept.access_count, last_accessed_at=kept.last_accessed_at)
        self._write(put(made, axis(at) if seen else None))

    @precondition(lambda self: self.held)
    @rule(data=st.data(), fields=some_fields)
    def change_one(self, data, fields):
        old = self.held[data.draw(st.sampled_from(sorted(self.held)))]
        self._write(Put(memory=replace(old, **fields)))

    @rule(numbers=st.lists(numbers, unique=True, max_size=3))
    def purge_some(self, numbers):
        ids = [memory(n).id for n in numbers]
        assert self.store.purge(ids, event("purge")) == len(self.held.keys() & set(ids))
        for id in ids:
            self.held.pop(id, None)
            self.near.pop(id, None)
        self.links = {key: link for key, link in self.links.items() if not {link.a, link.b} & set(ids)}

    @precondition(lambda self: len(self.held) > 1)
    @rule(data=st.data(), kind=st.sampled_from(["related", "supports"]), weight=st.sampled_from([0.0, 0.5, 1.0]))
    def link_two(self, data, kind, weight):
        a, b = data.draw(st.lists(st.sampled_from(sorted(self.held)), min_size=2, max_size=2, unique=True))
        made = Link(a=a, b=b, kind=kind, weight=weight)
        self.store.write(Batch(links=[made]))
        self.links[a, b, kind] = made

    @precondition(lambda self: self.links)
    @rule(data=st.data())
    def unlink_two(self, data):
        key = data.draw(st.sampled_from(sorted(self.links)))
        self.store.write(Batch(unlinks=[key]))
        del self.links[key]

    @precondition(lambda self: self.held)
    @rule(data=st.data(), at=st.integers(-5, 5))
    def touch_one(self, data, at):
        old = self.held[data.draw(st.sampled_from(sorted(self.held)))]
        self.store.record(Access(memory_id=old.id, at=moment(at)))
        latest = max(old.last_accessed_at or moment(at), moment(at))
        self.held[old.id] = replace(old, access_count=old.access_count + 1, last_accessed_at=latest)

    @rule()
    def drop_all_vectors(self):
        self.store.drop_vectors()
        self.near.clear()

    @rule(n=numbers, text=some_texts)
    def break_off(self, n, text):
        with pytest.raises(ZeroDivisionError), self.store.transaction():
            self._spoil(n, text)

    @rule(n=numbers, text=some_texts)
    def break_off_inside_another_transaction(self, n, text):
        with self.store.transaction(), pytest.raises(ZeroDivisionError), self.store.transaction():
            self._spoil(n, text)

    def _spoil(self, n, text):
        self.store.write(Batch(puts=[put(memory(n, text, namespace="b"), axis(3))]))
        self.store.search_vector(axis(0), VIEW, Filter(), limit=3)
        everywhere(self.store, self.held, WORDS[0], Filter())
        self.store.purge([memory(0).id], event("purge"))
        _ = 1 / 0

    @rule(filter=filters, word=st.sampled_from(WORDS))
    def search(self, filter, word):
        admitted = {id for id, held in self.held.items() if model.admits(filter, held)}
        with_word = {id for id in admitted if word in self.held[id].text.split()}
        found = everywhere(self.store, self.held, word, filter)
        assert found["get"] == found["scan"] == admitted
        assert found["search_text"] == with_word
        assert found["search_vector"] == found["similar"] == admitted & self.near.keys()

    @rule(at=numbers, limit=st.integers(1, 5))
    def nearest(self, at, limit):
        found = self.store.search_vector(axis(at), VIEW, Filter(), limit=limit)
        cosines = {id: float(vector @ axis(at)) for id, vector in self.near.items()}
        assert [id for id, _ in found] == sorted(cosines, key=lambda id: (-cosines[id], id))[:limit]

    @invariant()
    def memories_and_links_are_the_same(self):
        if hasattr(self, "store"):
            assert self.store.get([memory(n).id for n in range(12)]) == self.held
            assert self.store.links(self.held) == [self.links[key] for key in sorted(self.links)]

    def teardown(self):
        if hasattr(self, "store"):
            known = [(held, document(held)) for held in self.held.values()]
            assert statistics(self.store, WORDS) == model.statistics(known, WORDS)
            assert self.store.check() == []
            self.store.close()


class SmallSegments(StoreAgainstDict):
    """Posting lists in segments of two or three documents, and frequencies that are counted for four at a time."""

    @initialize()
    def open(self):
        self.before, postings.SEGMENT_COST = postings.SEGMENT_COST, 50
        self.at_once, frequencies.AT_ONCE = frequencies.AT_ONCE, 4
        super().open()

    def teardown(self):
        super().teardown()
        postings.SEGMENT_COST, frequencies.AT_ONCE = self.before, self.at_once


TestSmallSegments = SmallSegments.TestCase
TestStoreAgainstDict = StoreAgainstDict.TestCase
TestStoreAgainstDict.settings = TestSmallSegments.settings = settings(
    max_examples=40, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
