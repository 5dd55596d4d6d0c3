"""`store.protocol.Memories`: memories, links, transactions, purging."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from ..ids import digest
from ..store.protocol import Store
from ..store.sql.rows import to_micros
from ..store.tables import Setting
from ..store.values import Access, Batch, Put
from ..types import Change, Filter, Link
from ..write.build.words import document
from .samples import ALL_FIELDS, VIEW, axis, event, fan, fill, found_by_text, memory, moment, put, vectors

ANY = Filter()
HERE = Filter(namespaces=("default",), exact=True)


class Halfway(Exception):
    """Raised by the checks to break something off."""


def every_field_of_a_memory_comes_back_as_it_was(store: Store) -> None:
    full = memory(
        1,
        "Ada likes 夜 mode 🌙",
        kind="preference",
        tags=("ui", "ünï"),
        entities=("Ada",),
        gist="dark mode",
        importance=0.1,
        confidence=0.2,
        strength=0.3,
        status="completed",
        tier="archived",
        namespace="acme/agents/ada",
        session_id="s1",
        turn=3,
        role="user",
        granularity="turn",
        source="chat",
        origin="import",
        trust="web",
        metadata={"team": "core", "n": [1, 2.5, None, {"x": True}]},
        created_at=moment(0.25),
        occurred_at=moment(-5) + timedelta(microseconds=1),
        valid_from=moment(-4),
        valid_to=moment(4),
        expires_at=moment(400),
        access_count=2,
        last_accessed_at=moment(1),
        retrieval_count=3,
        last_retrieved_at=moment(2),
        decayed_at=moment(3),
    )
    plain = memory(2)
    store.write(Batch(puts=[put(full), put(plain)]))
    assert store.get([full.id, plain.id]) == {full.id: full, plain.id: plain}


def missing_ids_are_passed_over(store: Store) -> None:
    (held,) = fill(store, [memory(1)])
    assert list(store.get([held.id, "nobody"])) == [held.id]
    assert store.get([]) == {}
    assert list(vectors(store, [held.id, "nobody"])) == [held.id]
    assert vectors(store, [held.id], "another view") == {}
    assert store.links(["nobody"]) == [] and store.links([]) == []
    assert store.events(memory_id="nobody") == store.events(id="nobody") == []
    store.record(Access(memory_id="nobody", at=moment(1)))
    store.write(Batch(undone={"nobody": "nothing"}))
    assert store.purge(["nobody"], event("purge")) == 0
    assert store.get([held.id]) == {held.id: held}


def numbers_are_those_of_the_memories(store: Store) -> None:
    used = memory(1, importance=0.25, turn=4, occurred_at=moment(-5), access_count=2, last_accessed_at=moment(1))
    store.write(Batch(puts=[put(used), put(memory(2))]))
    fields = ("importance", "turn", "access_count", "last_accessed_at", "occurred_at")
    found = store.get([memory(3).id, memory(2).id, used.id], numbers=fields)
    times = [to_micros(moment(1)), to_micros(moment(-5))]
    assert {id: list(values) for id, values in found.items()} == {
        used.id: [0.25, 4, 2, *times],
        memory(2).id: [0.5, None, 0, None, None],
    }
    assert store.get([], numbers=fields) == {}
    assert store.get([used.id], Filter(tags=("none",)), numbers=fields) == {}


def replacing_changes_all_but_the_counters(store: Store) -> None:
    (held,) = fill(store, [memory(1)])
    store.record(Access(memory_id=held.id, at=moment(5)))
    changed = replace(held, kind="event", status="superseded", metadata={"a": 1}, access_count=99)
    store.write(Batch(puts=[Put(memory=changed)]))
    expected = replace(changed, access_count=1, last_accessed_at=moment(5))
    assert store.get([held.id]) == {held.id: expected}


def a_put_without_document_and_vectors_leaves_the_indexes_alone(store: Store) -> None:
    (held,) = fill(store, [memory(1, "unchanged words")])
    store.write(Batch(puts=[Put(memory=replace(held, importance=1.0))]))
    assert found_by_text(store, ["word"]) == {held.id}
    assert list(vectors(store, [held.id])) == [held.id]
    assert [m.id for m in store.find_same([digest("unchanged words")], HERE).values()] == [held.id]


def words_can_be_replaced_without_the_text(store: Store) -> None:
    (held,) = fill(store, [memory(1, "unchanged words")])
    store.write(Batch(puts=[replace(put(held, axis(1)), about="ada/live in")]))
    store.write(Batch(puts=[Put(memory=held, document=replace(document(held), text=("other",)))]))
    assert found_by_text(store, ["other"]) == {held.id} and found_by_text(store, ["word"]) == set()
    assert list(store.find_about(["ada/live in"], HERE)) == ["ada/live in"]
    assert [m.id for m in store.find_same([digest("unchanged words")], HERE).values()] == [held.id]
    assert store.check() == []


def replacing_the_text_replaces_words_digest_and_vector(store: Store) -> None:
    import numpy as np

    (held,) = fill(store, [memory(1, "old words")])
    fresh = replace(held, text="new phrase")
    store.write(Batch(puts=[put(fresh, axis(5))]))
    assert found_by_text(store, ["old", "word"]) == set()
    assert found_by_text(store, ["phrase"]) == {held.id}
    assert store.find_same([digest("old words")], HERE) == {}
    assert store.find_same([digest("new phrase")], HERE) == {digest("new phrase"): fresh}
    assert np.allclose(vectors(store, [held.id])[held.id], axis(5), atol=1e-3)
    assert store.search_vector(axis(5), VIEW, ANY, limit=1)[0][1] > 0.999
    assert store.check() == []


def an_empty_view_mapping_removes_the_vector(store: Store) -> None:
    (held,) = fill(store, [memory(1)])
    assert store.search_vector(axis(0), VIEW, ANY, limit=5)
    store.write(Batch(puts=[Put(memory=held, vectors={})]))
    assert vectors(store, [held.id]) == {}
    assert store.search_vector(axis(0), VIEW, ANY, limit=5) == []
    assert [m.id for m in store.scan(Filter(lacks_view=VIEW))] == [held.id]


def a_later_put_of_the_same_id_wins(store: Store) -> None:
    first = memory(1, "first words")
    store.write(Batch(puts=[put(first, axis(1)), put(replace(first, text="second words"), axis(2))]))
    assert store.get([first.id])[first.id].text == "second words"
    assert found_by_text(store, ["first"]) == set()
    assert store.check() == []


def scanning_goes_by_creation_with_ties_by_id(store: Store) -> None:
    made = fill(store, [memory(n, created_at=moment(n // 2)) for n in (3, 1, 4, 0, 2)])
    by_age = [m.id for m in sorted(made, key=lambda m: (m.created_at, m.id))]
    assert [m.id for m in store.scan(ANY, order="oldest")] == by_age
    assert [m.id for m in store.scan(ANY, order="newest")] == by_age[::-1]
    assert [m.id for m in store.scan(ANY, order="id")] == sorted(by_age)
    assert [m.id for m in store.scan(ANY, order="oldest", limit=2)] == by_age[:2]


def pages_put_together_are_the_whole(store: Store) -> None:
    fill(store, [memory(n, created_at=moment(n // 3)) for n in range(10)])
    for order in ("newest", "oldest", "id"):
        whole = [m.id for m in store.scan(ANY, order=order)]
        pages: list[str] = []
        while page := store.scan(ANY, order=order, limit=3, after=pages[-1] if pages else None):
            pages += [m.id for m in page]
        assert pages == whole


def find_same_gives_the_oldest_that_the_filter_admits(store: Store) -> None:
    same = "the very same"
    fill(
        store,
        [
            memory(5, same),
            memory(2, same, created_at=moment(9)),
            memory(3, same, status="forgotten"),
            memory(1, same, namespace="default/below"),
        ],
    )
    asked = [digest(same), digest("not there"), digest(same)]

    def found(filter: Filter) -> dict[bytes, str]:
        return {key: held.id for key, held in store.find_same(asked, filter).items()}

    assert found(replace(HERE, statuses=("active",))) == {digest(same): memory(5).id}
    assert found(HERE) == {digest(same): memory(3).id}
    assert found(replace(HERE, exact=False)) == {digest(same): memory(1).id}
    assert found(Filter(namespaces=("def",), exact=True)) == {}


def find_about_gives_what_is_stated_oldest_first(store: Store) -> None:
    stated = [put(memory(n, f"words {n}", created_at=moment(-n))) for n in (1, 2, 3)]
    home = [replace(given, about="ada/live in") for given in stated[:2]]
    elsewhere = put(memory(4, namespace="default/below"))
    store.write(Batch(puts=[*home, replace(stated[2], about="ada/work at"), replace(elsewhere, about="ada/live in")]))
    asked = ["ada/live in", "ada/work at", "nobody/live in", "ada/live in"]
    found = store.find_about(asked, HERE)
    assert {key: [m.id for m in held] for key, held in found.items()} == {
        "ada/live in": [memory(2).id, memory(1).id],
        "ada/work at": [memory(3).id],
    }
    assert [m.id for m in store.find_about(asked[:1], replace(HERE, exact=False))["ada/live in"]][-1] == memory(4).id
    assert store.find_about(asked, Filter(statuses=("forgotten",))) == {}


def sessions_are_listed_by_their_first_turns_newest_first(store: Store) -> None:
    said: dict[str, Any] = {"granularity": "turn", "namespace": "acme/x", "turn": 0}
    first, late, tied, below = fill(
        store,
        [
            memory(1, session_id="a", created_at=moment(9), valid_from=moment(1), **said),
            memory(2, session_id="b", created_at=moment(5), **said),
            memory(3, session_id="c", created_at=moment(8), valid_from=moment(1), **said),
            memory(4, session_id="d", created_at=moment(3), **{**said, "namespace": "acme/x/y"}),
            memory(5, session_id="b", **{**said, "turn": 1}),
            memory(6, session_id="b", **{**said, "granularity": "fact"}),
            memory(7, session_id="e", **{**said, "namespace": "acme/z"}),
            memory(8, session_id="f", status="forgotten", **said),
            memory(9, **said),
        ],
    )[:4]
    within = Filter(namespaces=("acme/x",), statuses=("active",))
    assert store.sessions(within, limit=9) == [late, below, tied, first]
    assert store.sessions(within, limit=2) == [late, below]
    assert store.sessions(within, limit=9, after=below.id) == [tied, first]
    both = Filter(namespaces=("acme/x", "other"), exact=True, statuses=("active",))
    assert store.sessions(both, limit=9) == [late, tied, first]


def links_come_once_in_order_and_in_both_directions(store: Store) -> None:
    a, b, c = (m.id for m in fill(store, [memory(n) for n in (1, 2, 3)]))
    made = [
        Link(a=b, b=c, kind="related", weight=0.25, created_at=moment(1)),
        Link(a=a, b=b, kind="supports", weight=1.0, created_at=moment(1)),
        Link(a=a, b=b, kind="extends", weight=0.0, created_at=moment(1)),
    ]
    store.write(Batch(links=made))
    assert store.links([b]) == store.links([a, b, c]) == [made[2], made[1], made[0]]
    assert store.links([c]) == [made[0]]


def what_is_fetched_at_once_is_what_is_fetched_one_by_one(store: Store) -> None:
    a, b, c = (m.id for m in fill(store, [memory(n) for n in (1, 2, 3)]))
    store.write(Batch(links=[Link(a=b, b=c, kind="related"), Link(a=a, b=b, kind="supports")]))
    asked = [c, b, "not there"]
    memories, links, seen = store.fetch(asked, links=True, view=VIEW)
    assert (memories, links) == (store.get(asked), store.links(asked))
    assert seen.keys() == {b, c}
    assert all(abs(float(seen[id] @ fan(n, 3)) - 1) < 1e-3 for n, id in ((1, b), (2, c)))
    assert store.fetch(asked) == (memories, [], {})
    assert store.fetch([], links=True, view=VIEW) == ({}, [], {})


def linking_again_sets_the_weight_and_unlinking_removes_one_kind(store: Store) -> None:
    a, b = (m.id for m in fill(store, [memory(1), memory(2)]))
    store.write(Batch(links=[Link(a=a, b=b, kind="related", weight=0.5), Link(a=b, b=a, kind="related")]))
    store.write(Batch(links=[Link(a=a, b=b, kind="related", weight=0.75)]))
    assert [(link.a, link.weight) for link in store.links([a])] == [(a, 0.75), (b, 0.5)]
    store.write(Batch(unlinks=[(a, b, "related"), (a, b, "supports")]))
    assert [link.a for link in store.links([a])] == [b]


def a_batch_that_fails_halfway_leaves_nothing(store: Store) -> None:
    fill(store, [memory(1, "kept words")])
    twice = event()
    store.write(Batch(events=[twice]))
    broken = Batch(
        puts=[put(memory(1, "changed words"), axis(3)), put(memory(2, "added words"), axis(4))],
        links=[Link(a=memory(1).id, b=memory(2).id, kind="related")],
        events=[event(), twice],
    )
    for _ in range(2):
        assert _fails(store, broken)
    assert [m.text for m in store.scan(ANY)] == ["kept words"]
    assert found_by_text(store, ["chang", "ad"]) == set()
    assert store.links([memory(1).id]) == []
    assert store.search_vector(axis(4), VIEW, ANY, limit=5)[0][1] < 0.1
    assert store.check() == []


def _fails(store: Store, batch: Batch) -> bool:
    try:
        store.write(batch)
    except Exception:  # noqa: BLE001 - each engine has its own
        return True
    return False


def a_transaction_sees_its_own_writes_and_is_undone_by_an_exception(store: Store) -> None:
    fill(store, [memory(1)])
    store.search_vector(axis(0), VIEW, ANY, limit=5)  # whatever is cached is cached now
    try:
        with store.transaction():
            store.write(Batch(puts=[put(memory(2, "inner words"), axis(7))]))
            store.write(Batch(rows=[Setting(key="embedder", value="inner")]))
            assert len(store.scan(ANY)) == 2
            assert found_by_text(store, ["inner"]) == {memory(2).id}
            assert store.search_vector(axis(7), VIEW, ANY, limit=1)[0][0] == memory(2).id
            raise Halfway
    except Halfway:
        pass
    assert [m.id for m in store.scan(ANY)] == [memory(1).id]
    assert found_by_text(store, ["inner"]) == set()
    assert [id for id, _ in store.search_vector(axis(7), VIEW, ANY, limit=5)] == [memory(1).id]
    assert store.rows(Setting, key="embedder") == []
    fill(store, [memory(3, "after words")])
    assert {id for id, _ in store.search_vector(axis(0), VIEW, ANY, limit=5)} == {memory(1).id, memory(3).id}
    assert store.check() == []


def a_nested_transaction_is_undone_with_the_outer_one(store: Store) -> None:
    try:
        with store.transaction():
            with store.transaction():
                fill(store, [memory(1)])
            assert len(store.scan(ANY)) == 1
            raise Halfway
    except Halfway:
        pass
    assert store.scan(ANY) == []
    assert store.search_vector(axis(0), VIEW, ANY, limit=5) == []


def a_nested_transaction_whose_exception_is_caught_is_undone_alone(store: Store) -> None:
    with store.transaction():
        fill(store, [memory(1)])
        try:
            with store.transaction():
                fill(store, [memory(2)])
                store.search_vector(axis(0), VIEW, ANY, limit=5)
                raise Halfway
        except Halfway:
            pass
        fill(store, [memory(3)])
    assert {m.id for m in store.scan(ANY)} == {memory(1).id, memory(3).id}
    assert {id for id, _ in store.search_vector(axis(0), VIEW, ANY, limit=5)} == {memory(1).id, memory(3).id}
    assert store.check() == []


def namespaces_are_counted_without_the_forgotten(store: Store) -> None:
    fill(
        store,
        [
            memory(1, namespace="b"),
            memory(2, namespace="a/x"),
            memory(3, namespace="a/x", status="superseded"),
            memory(4, namespace="a/x", status="forgotten"),
            memory(5, namespace="gone", status="forgotten"),
        ],
    )
    assert list(store.namespaces().items()) == [("a/x", 2), ("b", 1)]


def a_purge_leaves_nothing_but_its_event(store: Store) -> None:
    gone, kept = fill(store, [memory(1, "secret words"), memory(2, "kept words")])
    old = event("update", Change(memory_id=gone.id, before={"text": "older secret"}))
    store.write(Batch(links=[Link(a=gone.id, b=kept.id, kind="related")], events=[old]))
    said = event("purge", detail={"purged": [gone.id]})
    assert store.purge([gone.id, "nobody"], said) == 1
    assert store.purge([gone.id], event("purge")) == 0
    assert store.get([gone.id, kept.id]) == {kept.id: kept}
    assert found_by_text(store, ["secret"]) == set()
    _, corpora = store.search_text(["kept", "secret"], [], ANY, match="any", fields=ALL_FIELDS, limit=5)
    assert corpora["default", "memory"].document_frequencies == {"kept": 1}
    assert [id for id, _ in store.search_vector(axis(0), VIEW, ANY, limit=5)] == [kept.id]
    assert vectors(store, [gone.id]) == {}
    assert store.links([kept.id]) == []
    assert store.find_same([digest("secret words")], ANY) == {}
    assert store.events(memory_id=gone.id)[0].changes[0].before is None
    assert store.events(id=said.id) == [said]
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


CHECKS = (
    every_field_of_a_memory_comes_back_as_it_was,
    missing_ids_are_passed_over,
    numbers_are_those_of_the_memories,
    replacing_changes_all_but_the_counters,
    a_put_without_document_and_vectors_leaves_the_indexes_alone,
    words_can_be_replaced_without_the_text,
    replacing_the_text_replaces_words_digest_and_vector,
    an_empty_view_mapping_removes_the_vector,
    a_later_put_of_the_same_id_wins,
    scanning_goes_by_creation_with_ties_by_id,
    pages_put_together_are_the_whole,
    find_same_gives_the_oldest_that_the_filter_admits,
    find_about_gives_what_is_stated_oldest_first,
    sessions_are_listed_by_their_first_turns_newest_first,
    links_come_once_in_order_and_in_both_directions,
    what_is_fetched_at_once_is_what_is_fetched_one_by_one,
    linking_again_sets_the_weight_and_unlinking_removes_one_kind,
    a_batch_that_fails_halfway_leaves_nothing,
    a_transaction_sees_its_own_writes_and_is_undone_by_an_exception,
    a_nested_transaction_is_undone_with_the_outer_one,
    a_nested_transaction_whose_exception_is_caught_is_undone_alone,
    namespaces_are_counted_without_the_forgotten,
    a_purge_leaves_nothing_but_its_event,
    what_was_purged_can_be_stored_again,
)
