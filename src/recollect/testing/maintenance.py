"""`store.protocol.Maintenance`: figures, copies, checks, closing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import StoreError
from ..store import open_store
from ..store.copying import copy, finish, is_begun, pages, sums
from ..store.protocol import Store
from ..store.tables import COPYING, Mark, Setting
from ..store.values import Access, Batch, Document, Feedback, Put, RecallEntry, RecallRecord
from ..types import Change, Event, Filter, Link
from ..write.build.words import document
from .samples import VIEW, axis, event, fill, found_by_text, memory, moment, put, vectors

ANY = Filter()


def memories_without_a_vector_can_be_scanned(store: Store) -> None:
    fill(store, [memory(1)])
    bare = [memory(2), memory(3, granularity="session"), memory(4, status="forgotten")]
    store.write(Batch(puts=[put(m) for m in bare]))
    lacking = Filter(lacks_view=VIEW)
    assert [m.id for m in store.scan(lacking, order="id")] == [m.id for m in bare]
    assert len(store.scan(lacking, order="id", limit=2)) == 2
    assert len(store.scan(Filter(lacks_view="another view"))) == 4
    assert store.counts(()).without_vector == 3


def dropping_the_vectors_forgets_all_of_them(store: Store) -> None:
    made = fill(store, [memory(1), memory(2)])
    assert store.search_vector(axis(0), VIEW, ANY, limit=5)
    store.drop_vectors()
    assert store.search_vector(axis(0), VIEW, ANY, limit=5) == []
    assert vectors(store, [made[0].id]) == {}
    assert len(store.scan(Filter(lacks_view=VIEW))) == 2
    assert store.check() == []


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


def a_dump_makes_the_store_again(store: Store) -> None:
    a, b = fill(store, [memory(1, "some words", namespace="acme/x", access_count=3), memory(2, namespace="other")])
    born = event("remember", Change(memory_id=a.id, before=None), namespace="acme/x")
    undone = event("update", Change(memory_id=a.id, before={"text": "ü"}), namespace="acme/x", undone_by=born.id)
    said = Feedback(memory_id=a.id, used=True, outcome=1.0, strength=0.1, importance=0.0)
    asked = RecallEntry(
        id="r1",
        at=moment(1),
        actor="ada",
        namespace="acme",
        query="where?",
        recipe="default",
        rejected=None,
        confidence=0.5,
        hits=[(a.id, 1.0)],
    )
    batch = Batch(
        puts=[replace(put(a, axis(3)), about="ada/live in")],
        links=[Link(a=a.id, b=b.id, kind="related"), Link(a=b.id, b=a.id, kind="supports", created_at=moment(2))],
        events=[born, undone],
        recalls=[RecallRecord(entry=asked, feedback=[said], feedback_at=moment(4))],
        rows=[Setting(key="embedder", value="hashing"), Mark(task=COPYING, namespace="elsewhere", value="memories:1")],
    )
    store.write(batch)
    other = open_store(":memory:")
    try:
        copy(store, other, lambda count: None)
        assert is_begun(store, other)
        finish(other)
        assert sums(other) == sums(store)
        assert other.scan(ANY) == store.scan(ANY) and other.links([a.id]) == store.links([a.id])
        assert other.events(memory_id=a.id) == store.events(memory_id=a.id) and other.recalls() == store.recalls()
        assert other.find_about(["ada/live in"], ANY) == store.find_about(["ada/live in"], ANY)
        assert other.rows(Mark) == [] and other.check() == []
    finally:
        other.close()


def a_dump_in_small_pages_is_the_same(store: Store) -> None:
    made = fill(store, [memory(n) for n in range(7)])
    links = [Link(a=one.id, b=other.id, kind="related") for one in made for other in made if one.id < other.id]
    store.write(Batch(links=links, events=[event() for _ in range(5)]))
    after = ""
    puts: list[Put] = []
    found: list[Link] = []
    logged: list[Event] = []
    while True:
        batch, after = store.dump(after, limit=2)
        if not after:
            break
        assert max(len(batch.puts), len(batch.links), len(batch.events)) <= 2
        puts, found, logged = [*puts, *batch.puts], [*found, *batch.links], [*logged, *batch.events]
    assert [given.memory for given in puts] == made and found == store.links([m.id for m in made])
    assert logged == store.events()[::-1]
    assert [given.memory for batch in pages(store) for given in batch.puts] == made


def much_can_be_loaded_at_once(store: Store) -> None:
    with store.loading():
        fill(store, [memory(n) for n in range(40)])
    assert len(store.search_vector(axis(0), VIEW, ANY, limit=50)) == 40
    assert store.check() == []


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


def a_repair_makes_the_words_again_and_keeps_everything_else(store: Store) -> None:
    made = fill(store, [memory(1, "worn words"), memory(2)])
    store.write(Batch(links=[Link(a=made[0].id, b=made[1].id, kind="related")], events=[event()]))
    before = sums(store)
    assert store.check(repair=lambda each: Document(text=("anew", each.id))) == []
    assert found_by_text(store, ["anew"]) == {m.id for m in made} and found_by_text(store, ["word"]) == set()
    assert {kind for kind, held in sums(store).items() if held != before[kind]} == {"memories"}
    assert store.scan(ANY, order="id") == made and len(store.search_vector(axis(0), VIEW, ANY, limit=5)) == 2
    assert store.check(repair=document) == [] and sums(store) == before


def a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    for use in (lambda: store.scan(ANY), lambda: store.record(Access(memory_id="x", at=moment(0)))):
        try:
            use()
        except StoreError as error:
            assert "closed" in str(error)
        else:
            raise AssertionError("a closed store was used")


CHECKS = (
    memories_without_a_vector_can_be_scanned,
    dropping_the_vectors_forgets_all_of_them,
    counts_are_those_of_the_namespaces,
    links_that_lead_out_of_the_namespaces_do_not_count,
    growth_counts_the_memories_of_each_day,
    a_dump_makes_the_store_again,
    a_dump_in_small_pages_is_the_same,
    much_can_be_loaded_at_once,
    a_backup_is_a_store_with_the_same_content_and_never_overwrites,
    a_repair_makes_the_words_again_and_keeps_everything_else,
    a_closed_store_says_so,
)
