"""`store.protocol.Journal`: the event log, the recall log and the counters they move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ids import new_id
from ..store import chain
from ..store.protocol import Store
from ..store.values import Access, Batch, Feedback, RecallEntry, RecallFeedback, RecallRecord
from ..types import Change
from .samples import event, fill, memory, moment


def events_come_newest_first_for_one_memory_or_by_id(store: Store) -> None:
    a, b = (m.id for m in fill(store, [memory(1), memory(2)]))
    born = event("remember", Change(memory_id=a, before=None), Change(memory_id=b, before=None))
    changed = event(
        "update", Change(memory_id=a, before={"text": "old ü", "tags": ["x"], "turn": None}), detail={"n": [1]}
    )
    store.write(Batch(events=[born, changed]))
    assert store.events(memory_id=a) == [changed, replace(born, changes=born.changes[:1])]
    assert store.events(memory_id=b) == [replace(born, changes=born.changes[1:])]
    assert store.events(id=born.id) == [born]


def an_event_can_be_marked_as_undone_and_back(store: Store) -> None:
    made = event()
    store.write(Batch(events=[made]))
    store.write(Batch(undone={made.id: "another"}))
    assert store.events(id=made.id)[0].undone_by == "another"
    store.write(Batch(undone={made.id: None}))
    assert store.events(id=made.id) == [made]


def every_event_gets_a_hash_while_the_store_has_a_chain(store: Store) -> None:
    store.write(Batch(events=[event()]))
    assert chain.head(store) is None
    chain.begin(store)
    made = [event("remember", Change(memory_id="b", before=None), Change(memory_id="a", before=None)), event()]
    store.write(Batch(events=made))
    assert chain.head(store) == chain.next_hashes(chain.START, made)[-1]
    assert store.check() == store.check(chain_head=chain.next_hash(chain.START, made[0])) == []
    assert len(store.check(chain_head="no such hash")) == 1
    chain.end(store)
    store.write(Batch(events=[event()]))
    assert chain.head(store) is None and store.check() == []


def _recall(ids: list[str], at: float, counts: str = "retrieval") -> RecallEntry:
    return RecallEntry(
        id=new_id(),
        at=moment(at),
        actor="tester",
        namespace="default",
        query="where?",
        recipe="default",
        rejected=None,
        confidence=0.5,
        hits=[(memory_id, 1.0) for memory_id in ids],
        counts="access" if counts == "access" else "retrieval",
    )


def a_recorded_recall_moves_one_counter_of_its_hits(store: Store) -> None:
    a, b, c = fill(store, [memory(n) for n in (1, 2, 3)])
    store.record(_recall([a.id, b.id], at=5))
    store.record(_recall([a.id], at=-3))
    store.record(_recall([b.id], at=7, counts="access"))
    store.record(_recall([], at=9))
    held = store.get([a.id, b.id, c.id])
    assert held[a.id] == replace(a, retrieval_count=2, last_retrieved_at=moment(5))
    assert held[b.id] == replace(
        b, retrieval_count=1, last_retrieved_at=moment(5), access_count=1, last_accessed_at=moment(7)
    )
    assert held[c.id] == c
    assert store.counts(()).recalls == 4


def an_access_is_counted_and_the_latest_moment_kept(store: Store) -> None:
    (made,) = fill(store, [memory(1)])
    long_ago = moment(-40_000_000)
    store.record(Access(memory_id=made.id, at=long_ago))
    assert store.get([made.id])[made.id] == replace(made, access_count=1, last_accessed_at=long_ago)
    store.record(Access(memory_id=made.id, at=moment(2)))
    store.record(Access(memory_id=made.id, at=moment(1)))
    assert store.get([made.id])[made.id] == replace(made, access_count=3, last_accessed_at=moment(2))


def events_are_read_without_their_changes(store: Store) -> None:
    held = [event("test", Change(memory_id=memory(n).id, before=None)) for n in range(3)]
    store.write(Batch(events=held))
    found = store.events(limit=2, changes=False)
    assert [one.id for one in found] == [one.id for one in store.events(limit=2)]
    assert [one.changes for one in found] == [(), ()]
    assert store.events(memory_id=memory(1).id, changes=False)[0].changes == ()


def events_are_read_backwards_within_namespaces(store: Store) -> None:
    (made,) = fill(store, [memory(1, namespace="acme/x")])
    born = event("remember", Change(memory_id=made.id, before=None), namespace="acme/x")
    changed = event("update", Change(memory_id=made.id, before={"text": "ü"}), namespace="acme/x", detail={"n": [1]})
    other = event("remember", namespace="acme/xy")
    last = event("decay", namespace="acme/x/deep")
    store.write(Batch(events=[born, changed, other, last]))
    assert store.events(namespaces=["acme/x"], limit=9) == [last, changed, born]
    assert store.events(namespaces=["acme/x"], limit=2) == [last, changed]
    assert store.events(namespaces=["acme/x"], limit=9, before=changed.id) == [born]
    assert store.events(namespaces=["nowhere"], limit=9) == [] and len(store.events(namespaces=[], limit=9)) == 4


def recalls_are_read_backwards_within_namespaces(store: Store) -> None:
    a, b = fill(store, [memory(1), memory(2)])
    made = [replace(_recall([b.id, a.id], at=n), namespace=path) for n, path in enumerate(("acme/x", "acme", "acme/x"))]
    for entry in made:
        store.record(entry)
    first, second, third = made

    def entries(found: Sequence[RecallRecord]) -> list[RecallEntry]:
        return [record.entry for record in found]

    assert entries(store.recalls(namespaces=["acme/x"])) == [third, first]
    assert entries(store.recalls(before=third.id)) == [second, first]
    assert entries(store.recalls(namespaces=["acme/x"], limit=1, before=third.id)) == [first]
    assert entries(store.recalls(id=second.id)) == [second] and store.recalls(id="nobody") == []
    assert store.recalls(id="\ud800") == [] and store.events(id="\0") == []


def a_memory_knows_the_recalls_that_found_it(store: Store) -> None:
    a, b, c = fill(store, [memory(1), memory(2), memory(3)])
    first, second = (replace(_recall([b.id, a.id], at=n), namespace=path) for n, path in enumerate(("acme/x", "acme")))
    for entry in (first, second, _recall([c.id], at=3)):
        store.record(entry)
    assert [r.entry.id for r in store.recalls(memory_id=a.id)] == [second.id, first.id]
    assert [r.entry.id for r in store.recalls(memory_id=a.id, namespaces=["acme/x"])] == [first.id]
    assert len(store.recalls(memory_id=a.id, limit=1)) == 1 and store.recalls(memory_id="nobody") == []


def feedback_replaces_what_was_said_before(store: Store) -> None:
    a, b = fill(store, [memory(1), memory(2)])
    asked = _recall([b.id, a.id], at=1)
    store.record(asked)
    used = Feedback(memory_id=a.id, used=True, outcome=0.5, strength=0.1, importance=0.0)
    ignored = Feedback(memory_id=b.id, used=False, outcome=None, strength=-0.1, importance=0.0)
    store.write(Batch(feedback=[RecallFeedback(recall_id=asked.id, given=[ignored, used], at=moment(8))]))
    assert store.recalls(id=asked.id) == [RecallRecord(entry=asked, feedback=[used, ignored], feedback_at=moment(8))]
    store.write(Batch(feedback=[RecallFeedback(recall_id=asked.id, given=[used], at=moment(9))]))
    assert store.recalls(memory_id=b.id) == [RecallRecord(entry=asked, feedback=[used], feedback_at=moment(9))]


def a_recall_of_another_store_moves_no_counter(store: Store) -> None:
    (made,) = fill(store, [memory(1)])
    said = Feedback(memory_id=made.id, used=True, outcome=None, strength=0.0, importance=0.0)
    held = RecallRecord(entry=_recall([made.id, "purged there"], at=1), feedback=[said], feedback_at=moment(2))
    bare = RecallRecord(entry=_recall([], at=3), feedback=[])
    store.write(Batch(recalls=[held, bare]))
    assert store.recalls() == [bare, held]
    assert store.get([made.id]) == {made.id: made}


def only_what_people_do_counts_as_editing(store: Store) -> None:
    a, b = (m.id for m in fill(store, [memory(1), memory(2)]))
    for n, action in enumerate(("update", "link", "decay", "archive", "update")):
        at = moment(n if n < 4 else 60)
        store.write(Batch(events=[event(action, Change(memory_id=a, before={}), at=at)]))
    assert store.last_edited([a, b, "nobody"], until=moment(30)) == {a: moment(1)}
    assert store.last_edited([a], until=moment(60)) == {a: moment(60)} and store.last_edited([], until=moment(0)) == {}


CHECKS = (
    events_come_newest_first_for_one_memory_or_by_id,
    an_event_can_be_marked_as_undone_and_back,
    events_are_read_without_their_changes,
    every_event_gets_a_hash_while_the_store_has_a_chain,
    events_are_read_backwards_within_namespaces,
    a_recorded_recall_moves_one_counter_of_its_hits,
    an_access_is_counted_and_the_latest_moment_kept,
    recalls_are_read_backwards_within_namespaces,
    a_memory_knows_the_recalls_that_found_it,
    feedback_replaces_what_was_said_before,
    a_recall_of_another_store_moves_no_counter,
    only_what_people_do_counts_as_editing,
)
