"""A store's promises about its log, its counters, its settings, and about purging and keeping."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import StoreError
from ..ids import digest, new_id
from ..store import open_store
from ..store.protocol import Batch, Feedback, RecallEntry, Store
from ..types import Change, Filter, Link
from .samples import VIEW, axis, event, fill, found_by_text, memory, moment, put

ANY = Filter()


def events_come_oldest_first_for_one_memory_or_by_id(store: Store) -> None:
    a, b = (m.id for m in fill(store, [memory(1), memory(2)]))
    born = event("remember", Change(memory_id=a, before=None), Change(memory_id=b, before=None))
    changed = event(
        "update", Change(memory_id=a, before={"text": "old ü", "tags": ["x"], "turn": None}), detail={"n": [1]}
    )
    store.write(Batch(events=[born, changed]))
    assert store.events(memory_id=a) == [replace(born, changes=born.changes[:1]), changed]
    assert store.events(memory_id=b) == [replace(born, changes=born.changes[1:])]
    assert store.events(event_id=born.id) == [born]


def an_event_can_be_marked_as_undone_and_back(store: Store) -> None:
    made = event()
    store.write(Batch(events=[made]))
    store.mark_undone(made.id, "another")
    assert store.events(event_id=made.id)[0].undone_by == "another"
    store.mark_undone(made.id, None)
    assert store.events(event_id=made.id) == [made]


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


def a_touch_counts_one_access_and_keeps_the_latest_moment(store: Store) -> None:
    (made,) = fill(store, [memory(1)])
    long_ago = moment(-40_000_000)
    store.touch(made.id, long_ago)
    assert store.get([made.id])[made.id] == replace(made, access_count=1, last_accessed_at=long_ago)
    store.touch(made.id, moment(2))
    store.touch(made.id, moment(1))
    assert store.get([made.id])[made.id] == replace(made, access_count=3, last_accessed_at=moment(2))


def a_purge_leaves_nothing_but_its_event(store: Store) -> None:
    gone, kept = fill(store, [memory(1, "secret words"), memory(2, "kept words")])
    old = event("update", Change(memory_id=gone.id, before={"text": "older secret"}))
    store.write(Batch(links=[Link(a=gone.id, b=kept.id, kind="related")], events=[old]))
    said = event("purge", detail={"purged": [gone.id]})
    assert store.purge([gone.id, "nobody"], said) == 1
    assert store.purge([gone.id], event("purge")) == 0
    assert store.get([gone.id, kept.id]) == {kept.id: kept}
    assert found_by_text(store, ["secret"]) == set()
    assert store.statistics(["default"], ["secret"])["default", "memory"].document_frequencies == {}
    assert [id for id, _ in store.search_vector(axis(0), VIEW, ANY, limit=5)] == [kept.id]
    assert store.vectors([gone.id], VIEW) == {}
    assert store.links([kept.id]) == []
    assert store.find_same("default", [digest("secret words")], ANY) == {}
    assert store.events(memory_id=gone.id)[0].changes[0].before is None
    assert store.events(event_id=said.id) == [said]
    assert store.check() == []


def what_was_purged_can_be_stored_again(store: Store) -> None:
    made = fill(store, [memory(n) for n in (1, 2, 3)])
    store.search_vector(axis(0), VIEW, ANY, limit=5)
    store.purge([made[2].id], event("purge"))
    store.write(Batch(puts=[put(memory(9, "other words"), axis(3))]))
    assert store.search_vector(axis(3), VIEW, ANY, limit=1)[0][0] == memory(9).id
    store.write(Batch(puts=[put(made[2], axis(4))]))
    assert store.search_vector(axis(4), VIEW, ANY, limit=1)[0][0] == made[2].id
    assert store.check() == []


def memories_without_a_vector_come_as_they_were_stored(store: Store) -> None:
    fill(store, [memory(1)])
    bare = [memory(3), memory(2, granularity="session"), memory(4, status="forgotten")]
    store.write(Batch(puts=[put(m) for m in bare]))
    assert [m.id for m in store.without_vectors(VIEW, 10)] == [m.id for m in bare]
    assert len(store.without_vectors(VIEW, 2)) == 2
    assert store.counts(()).without_vector == 3


def dropping_the_vectors_forgets_all_of_them(store: Store) -> None:
    made = fill(store, [memory(1), memory(2)])
    assert store.search_vector(axis(0), VIEW, ANY, limit=5)
    store.drop_vectors()
    assert store.search_vector(axis(0), VIEW, ANY, limit=5) == []
    assert store.vectors([made[0].id], VIEW) == {}
    assert len(store.without_vectors(VIEW, 10)) == 2
    assert store.check() == []


def settings_are_kept_and_replaced(store: Store) -> None:
    assert store.setting("embedder") is None
    store.set_setting("embedder", "hashing")
    store.set_setting("embedder", "ünï")
    assert store.setting("embedder") == "ünï"


def counts_are_those_of_the_namespaces(store: Store) -> None:
    a, b, c = fill(store, [memory(1, namespace="acme/x"), memory(2, namespace="acme2", kind="event"), memory(3)])
    store.write(Batch(links=[Link(a=a.id, b=b.id, kind="related")], puts=[put(c)]))
    whole, part = store.counts(()), store.counts(["acme"])
    assert (whole.memories, whole.links, whole.without_vector) == (3, 1, 1)
    assert whole.by_kind == {"event": 1, "fact": 2}
    assert (part.memories, part.by_status, part.by_tier) == (1, {"active": 1}, {"searchable": 1})
    assert part.by_granularity == {"memory": 1} and part.without_vector == 0
    assert whole.bytes > 0 and store.counts(["nowhere"]).memories == 0


def links_that_lead_out_of_the_namespaces_do_not_count(store: Store) -> None:
    a, b = fill(store, [memory(1, namespace="acme/x"), memory(2, namespace="acme/y")])
    store.write(Batch(links=[Link(a=a.id, b=b.id, kind="related")]))
    assert [store.counts([path]).links for path in ("acme/x", "acme/y", "acme")] == [0, 0, 1]


def the_log_is_read_backwards_within_namespaces(store: Store) -> None:
    (made,) = fill(store, [memory(1, namespace="acme/x")])
    born = event("remember", Change(memory_id=made.id, before=None), namespace="acme/x")
    changed = event("update", Change(memory_id=made.id, before={"text": "ü"}), namespace="acme/x", detail={"n": [1]})
    other = event("remember", namespace="acme/xy")
    last = event("decay", namespace="acme/x/deep")
    store.write(Batch(events=[born, changed, other, last]))
    assert store.log(["acme/x"], limit=9) == [last, changed, born]
    assert store.log(["acme/x"], limit=2) == [last, changed]
    assert store.log(["acme/x"], limit=9, before=changed.id) == [born]
    assert store.log(["nowhere"], limit=9) == [] and len(store.log([], limit=9)) == 4


def recalls_are_read_backwards_within_namespaces(store: Store) -> None:
    a, b = fill(store, [memory(1), memory(2)])
    made = [replace(_recall([b.id, a.id], at=n), namespace=path) for n, path in enumerate(("acme/x", "acme", "acme/x"))]
    for logged in made:
        store.record(logged)
    said = Feedback(memory_id=a.id, used=True, outcome=0.5, strength=0.1, importance=0.0)
    store.set_feedback(made[0].id, [said], moment(9))
    first, second, third = made
    assert [remark.logged for remark in store.asked(["acme/x"], limit=9)] == [third, first]
    assert [remark.logged for remark in store.asked([], limit=9, before=third.id)] == [second, first]
    assert store.asked(["acme/x"], limit=1, before=third.id) == [store.logged(first.id)]
    found = store.logged(first.id)
    assert found is not None and found.feedback == [said] and found.said_at == moment(9)
    assert store.logged("nobody") is None


def a_memory_knows_the_recalls_that_found_it(store: Store) -> None:
    a, b = fill(store, [memory(1), memory(2)])
    first, second = (replace(_recall([b.id, a.id], at=n), namespace=path) for n, path in enumerate(("acme/x", "acme")))
    store.record(first)
    store.record(second)
    given = [Feedback(memory_id=a.id, used=False, outcome=None, strength=0.0, importance=0.0)]
    store.set_feedback(first.id, given, moment(9))
    found = store.recalls_of(a.id, [], limit=9)
    assert [(r.id, r.rank, r.used, r.actor, r.query) for r in found] == [
        (second.id, 2, None, "tester", "where?"),
        (first.id, 2, False, "tester", "where?"),
    ]
    assert [r.id for r in store.recalls_of(a.id, ["acme/x"], limit=9)] == [first.id]
    assert len(store.recalls_of(a.id, [], limit=1)) == 1 and store.recalls_of("nobody", [], limit=9) == []


def growth_counts_the_memories_of_each_day(store: Store) -> None:
    day = 24 * 60
    fill(
        store,
        [
            memory(1, namespace="acme/x"),
            memory(2, namespace="acme/x", created_at=moment(day)),
            memory(3, namespace="acme/x", created_at=moment(day + 1)),
            memory(4, namespace="acme/x", created_at=moment(day), status="forgotten"),
            memory(5, namespace="acme", created_at=moment(3 * day)),
        ],
    )
    today = moment(0).date()
    assert store.growth(["acme/x"]) == [(today, 1), (today + timedelta(days=1), 2)]
    assert store.growth([])[-1] == (today + timedelta(days=3), 1) and store.growth(["nowhere"]) == []


def a_backup_is_a_store_with_the_same_content_and_never_overwrites(store: Store) -> None:
    made = fill(store, [memory(1, "backed words"), memory(2)])
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        store.backup(copy)
        assert [entry.name for entry in Path(folder).iterdir()] == ["copy.db"]
        try:
            store.backup(copy)
        except StoreError as error:
            assert str(copy) in str(error)
        else:
            raise AssertionError("the copy was overwritten")
        opened = open_store(str(copy))
        try:
            assert opened.scan(ANY) == store.scan(ANY)
            assert found_by_text(opened, ["back"]) == {made[0].id}
            assert opened.search_vector(axis(0), VIEW, ANY, limit=5) == store.search_vector(axis(0), VIEW, ANY, limit=5)
            assert opened.check() == []
        finally:
            opened.close()


def a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    for use in (lambda: store.scan(ANY), lambda: store.touch("x", moment(0))):
        try:
            use()
        except StoreError as error:
            assert "closed" in str(error)
        else:
            raise AssertionError("a closed store was used")


CHECKS = (
    events_come_oldest_first_for_one_memory_or_by_id,
    an_event_can_be_marked_as_undone_and_back,
    a_recorded_recall_moves_one_counter_of_its_hits,
    a_touch_counts_one_access_and_keeps_the_latest_moment,
    a_purge_leaves_nothing_but_its_event,
    what_was_purged_can_be_stored_again,
    memories_without_a_vector_come_as_they_were_stored,
    dropping_the_vectors_forgets_all_of_them,
    settings_are_kept_and_replaced,
    counts_are_those_of_the_namespaces,
    links_that_lead_out_of_the_namespaces_do_not_count,
    the_log_is_read_backwards_within_namespaces,
    recalls_are_read_backwards_within_namespaces,
    a_memory_knows_the_recalls_that_found_it,
    growth_counts_the_memories_of_each_day,
    a_backup_is_a_store_with_the_same_content_and_never_overwrites,
    a_closed_store_says_so,
)
