"""`store.protocol.Index`: filters act inside every search, and statistics are exact."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..read.bm25 import Bm25
from ..store.protocol import Store
from ..store.values import Batch, Put
from ..types import Condition, Filter, Junction, Memory
from ..write.build.words import document
from . import model
from .samples import (
    ALL_FIELDS,
    VIEW,
    axis,
    event,
    everywhere,
    fan,
    fill,
    found_by_text,
    memory,
    moment,
    put,
    statistics,
)

ANY = Filter()
_VARIED: tuple[dict[str, Any], ...] = (
    {"namespace": "acme"},
    {"namespace": "acme/agents"},
    {"namespace": "acme/agents/ada", "tags": ("ui", "dark")},
    {"namespace": "acme2", "tags": ("ui",)},
    {"namespace": "acme2/agents", "kind": "event"},
    {"namespace": "acme0"},
    {"namespace": "acme-b/agents"},
    {"namespace": "a_me", "kind": "event"},
    {"namespace": "a%", "kind": "event"},
    {"status": "superseded", "valid_from": moment(0), "valid_to": moment(10)},
    {"status": "forgotten"},
    {"tier": "archived", "granularity": "turn", "session_id": "s1", "turn": 1},
    {"tier": "pinned", "granularity": "fact", "session_id": "s2"},
    {"occurred_at": moment(-60), "valid_from": moment(-60)},
    {"expires_at": moment(30)},
    {"metadata": {"team": "core", "n": 3, "on": True, "list": ["a", "É"]}},
    {"metadata": {"team": "Core", "n": 2.5, "on": False, "list": []}},
    {"metadata": {"team": 3, "n": "3", "on": 1, "none": None}},
    {"metadata": {'a "quoted" key.with\\parts': "x", "ключ": "y", "": "z"}},
)
_CONDITIONS = [
    Condition(key=key, op=op, value=value)
    for key, op, value in [
        ("team", "eq", "core"),
        ("team", "ne", "core"),
        ("team", "eq", 3),
        ("team", "in", ["core", 3]),
        ("team", "nin", ["core", 3]),
        ("team", "in", []),
        ("team", "gt", "a"),
        ("team", "icontains", "CORE"),
        ("team", "contains", "or"),
        ("n", "gt", 2),
        ("n", "gte", 3),
        ("n", "lt", 3),
        ("n", "lte", "3"),
        ("n", "gt", "2"),
        ("n", "eq", 3.0),
        ("n", "eq", "3"),
        ("on", "eq", True),
        ("on", "eq", 1),
        ("on", "ne", False),
        ("none", "eq", None),
        ("none", "ne", None),
        ("on", "ne", None),
        ("list", "contains", "a"),
        ("list", "icontains", "é"),
        ("list", "eq", ["a", "É"]),
        ('a "quoted" key.with\\parts', "eq", "x"),
        ("ключ", "eq", "y"),
        ("", "eq", "z"),
    ]
]
FILTERS = (
    ANY,
    *(Filter(namespaces=(path,)) for path in ("acme", "acme/agents", "acme2", "acm", "a_me", "a%", "nowhere")),
    *(Filter(namespaces=(path,), exact=True) for path in ("acme", "acme/agents", "acm", "a%")),
    Filter(namespaces=("acme", "acme2"), exact=True, kinds=("fact",)),
    Filter(namespaces=("acme/agents", "acme2", "acme")),
    Filter(statuses=("active",)),
    Filter(statuses=("superseded", "forgotten")),
    Filter(tiers=("pinned", "searchable")),
    Filter(kinds=("event",)),
    Filter(kinds=("no such kind",)),
    Filter(tags=("ui",)),
    Filter(tags=("ui", "dark")),
    Filter(tags=("u",)),
    Filter(granularities=("turn", "fact")),
    Filter(session_id="s1"),
    Filter(session_id="s1", turns=(1, 2)),
    Filter(turns=(0, 7)),
    Filter(since=moment(3)),
    Filter(until=moment(3)),
    Filter(since=moment(-60), until=moment(5)),
    Filter(as_of=moment(5)),
    Filter(as_of=moment(10)),
    Filter(live_at=moment(30)),
    *(Filter(where=condition) for condition in _CONDITIONS),
    Filter(where=Junction(how="any", parts=(_CONDITIONS[0], _CONDITIONS[9]))),
    Filter(where=Junction(how="all", parts=(_CONDITIONS[0], _CONDITIONS[9]))),
    Filter(where=Junction(how="none", parts=(_CONDITIONS[0], _CONDITIONS[10]))),
    Filter(namespaces=("default",), statuses=("active",), kinds=("fact",), where=_CONDITIONS[1], live_at=moment(0)),
)


def every_way_of_reading_applies_every_filter(store: Store) -> None:
    made = fill(store, [memory(n, **fields) for n, fields in enumerate(_VARIED)])
    ids = [m.id for m in made]
    for filter in FILTERS:
        expected = {m.id for m in made if model.admits(filter, m)}
        for way, found in everywhere(store, ids, "common", filter).items():
            assert found == expected, (way, filter, found ^ expected)


def a_filter_acts_before_the_limit_in_a_large_store(store: Store) -> None:
    # the few admitted ones are the last that either search would come to
    few = 7
    crowd = [memory(n, "needle common needle", namespace="crowd") for n in range(6_000)]
    rare = [memory(10_000 + n, "needle " + "padding " * 40, namespace="rare", kind="event") for n in range(few)]
    fill(store, [*crowd, *rare])
    wanted = {m.id for m in rare}
    for filter in (Filter(namespaces=("rare",)), Filter(kinds=("event",))):
        assert found_by_text(store, ["needl"], filter, limit=10) == wanted
        assert {id for id, _ in store.search_vector(axis(0), VIEW, filter, limit=10)} == wanted
        assert len(store.search_vector(axis(0), VIEW, filter, limit=3)) == 3
    half = Filter(namespaces=("crowd",), since=moment(1_000))
    nearest = [m.id for m in crowd[1_000:1_005]]
    assert [id for id, _ in store.search_vector(axis(0), VIEW, half, limit=5)] == nearest


def a_filter_acts_before_the_limit_where_most_have_no_vector(store: Store) -> None:
    store.write(Batch(puts=[put(memory(n)) for n in range(4_500)]))
    near = [memory(5_000 + n, kind="event") for n in range(100)]
    far = [memory(6_000 + n) for n in range(10)]
    fill(store, [*near, *far])
    found = store.search_vector(axis(0), VIEW, Filter(kinds=("fact",)), limit=10)
    assert [id for id, _ in found] == [m.id for m in far]


def vectors_come_best_first_with_ties_by_id(store: Store) -> None:
    made = [memory(n) for n in range(300)]
    same = [put(m, axis(0)) for m in made[:200]]
    store.write(Batch(puts=[*reversed(same), *(put(m, axis(1)) for m in made[200:])]))
    found = store.search_vector(axis(0), VIEW, ANY, limit=5)
    assert [id for id, _ in found] == [m.id for m in made[:5]]
    assert all(abs(cosine - 1) < 1e-3 for _, cosine in found)
    assert store.search_vector(axis(0), VIEW, ANY, limit=300, floor=0.5)[-1][1] > 0.5
    assert len(store.search_vector(axis(0), VIEW, ANY, limit=300, floor=0.5)) == 200


def cosines_are_those_of_the_vectors(store: Store) -> None:
    made = fill(store, [memory(n) for n in range(40)])
    found = store.search_vector(axis(0), VIEW, ANY, limit=40)
    assert [id for id, _ in found] == [m.id for m in made]
    for n, (_, cosine) in enumerate(found):
        assert abs(cosine - float(fan(n, 40) @ axis(0))) < 2e-3
    assert store.search_vector(axis(0), "another view", ANY, limit=5) == []


def similar_gives_each_row_its_own_memories(store: Store) -> None:
    import numpy as np

    # written in another order than they were made, so that places and ages differ
    puts = [put(memory(n, created_at=moment(-n)), axis(n % 8)) for n in range(24)]
    store.write(Batch(puts=puts))
    rows = np.stack([axis(n) for n in range(8)])
    found = store.similar(rows, VIEW, ANY, at_least=0.99)
    for n, hits in enumerate(found):
        assert [id for id, _ in hits] == [memory(k).id for k in (n, n + 8, n + 16)]
    assert store.similar(rows, VIEW, Filter(kinds=("event",)), at_least=0.0) == [[]] * 8


def any_word_proposes_and_all_words_narrow(store: Store) -> None:
    texts = ("alpha", "beta", "alpha beta", "gamma the", "the the")
    made = fill(store, [memory(n, text, tags=("tagged",)) for n, text in enumerate(texts, start=1)])

    def search(content: Iterable[str], stop: Iterable[str], match: str = "any", **fields: float) -> set[int]:
        chosen = fields or {"text": 1.0}
        found = store.search_text(tuple(content), tuple(stop), ANY, match=match, fields=chosen, limit=50)  # type: ignore[arg-type]
        return {n for n, m in enumerate(made, start=1) if m.id in {p.memory_id for p in found.postings}}

    assert search(["alpha", "beta"], []) == {1, 2, 3}
    assert search(["alpha", "beta"], [], "all") == {3}
    assert search(["alpha"], ["the"]) == {1, 3}
    assert search([], ["the"]) == {4, 5}
    assert search([], []) == set()
    assert search(["tag"], []) == set()
    assert search(["tag"], [], tags=2.0) == {1, 2, 3, 4, 5}
    for odd in ('"', "*", "near", "and", "-", "a b", "(", "'", "a'b", "{text}", ":", "^"):
        assert search([odd], []) == set()


def a_posting_counts_terms_and_lengths_by_field(store: Store) -> None:
    made = memory(1, "dark dark mode", gist="dark", tags=("ui",), namespace="acme/x", granularity="fact")
    store.write(Batch(puts=[put(made)]))
    (found,), corpora = store.search_text(["dark", "ui", "absent"], [], ANY, match="any", fields=ALL_FIELDS, limit=5)
    assert (found.memory_id, found.tenant, found.granularity) == (made.id, "acme", "fact")
    assert found.frequencies == {"text": {"dark": 2}, "gist": {"dark": 1}, "tags": {"ui": 1}}
    assert {name: n for name, n in found.lengths.items() if n} == {"text": 3, "gist": 1, "tags": 1}
    assert corpora["acme", "fact"] == model.statistics([(made, document(made))], ["dark", "ui"])["acme", "fact"]


def the_best_by_bm25_are_among_the_proposed(store: Store) -> None:
    words = [f"w{n}x" for n in range(12)]
    texts = [" ".join(words[(n * k) % 12] for k in range(1, 3 + n % 7)) for n in range(400)]
    made = fill(store, [memory(n, text) for n, text in enumerate(texts)])
    terms = words[:4]

    def scores(limit: int) -> dict[str, float]:
        found, corpora = store.search_text(terms, [], ANY, match="any", fields={"text": 1.0}, limit=limit)
        corpus = corpora["default", "memory"]
        bm25 = Bm25(corpus, dict.fromkeys(terms, 1.0), {"text": 1.0}, 1.2, 0.75)
        return {p.memory_id: bm25.score(p).value for p in found}

    whole, few = scores(len(made)), scores(10)
    assert sorted(few.values())[-10:] == sorted(whole.values())[-10:]


def statistics_are_exact_after_every_change(store: Store) -> None:
    terms = ("alpha", "beta", "gamma", "ui")
    held: dict[str, Memory] = {}

    def apply(*puts: Put) -> None:
        store.write(Batch(puts=puts))
        held.update({p.memory.id: p.memory for p in puts})
        agree()

    def agree() -> None:
        expected = model.statistics([(m, document(m)) for m in held.values()], terms)
        assert statistics(store, terms) == expected
        assert store.check() == []

    first = memory(1, "alpha beta", namespace="acme/x", tags=("ui",))
    apply(put(first), put(memory(2, "alpha", namespace="acme2")), put(memory(3, "gamma", granularity="turn")))
    apply(put(replace(first, text="beta beta gamma")))
    apply(put(replace(first, tags=())))
    moved = replace(held[first.id], namespace="acme2/y")
    apply(Put(memory=moved))
    apply(Put(memory=replace(moved, granularity="fact")))
    apply(Put(memory=replace(moved, namespace="acme2", granularity="fact")))
    store.purge([first.id, memory(3).id], event("purge"))
    del held[first.id], held[memory(3).id]
    agree()


def a_moved_memory_is_found_only_where_it_is_now(store: Store) -> None:
    fill(store, [memory(n, namespace="crowd") for n in range(2, 60)])
    made = fill(store, [memory(1, namespace="acme/x/y")])[0]
    for path in ("acme", "acme2/x", "acme2"):
        store.write(Batch(puts=[Put(memory=replace(made, namespace=path))]))
        assert found_by_text(store, ["common"], Filter(namespaces=(path,))) == {made.id}
        assert found_by_text(store, ["common"], Filter(namespaces=("acme/x",))) == set()
        assert [id for id, _ in store.search_vector(axis(0), VIEW, Filter(namespaces=(path,)), limit=5)] == [made.id]


def searching_an_empty_store_finds_nothing(store: Store) -> None:
    import numpy as np

    assert found_by_text(store, ["common"]) == set()
    assert store.search_vector(axis(0), VIEW, ANY, limit=5) == []
    assert store.similar(np.stack([axis(0), axis(1)]), VIEW, ANY, at_least=0.5) == [[], []]
    assert store.scan(ANY) == [] and store.namespaces() == {}


def independent_reads_are_gathered_in_order(store: Store) -> None:
    (made,) = fill(store, [memory(1)])

    def ids() -> list[str]:
        return [m.id for m in store.scan(ANY)]

    assert store.gather([ids, lambda: ["second"], ids]) == [[made.id], ["second"], [made.id]]
    assert store.gather([]) == []
    with store.transaction():
        fill(store, [memory(2)])
        assert store.gather([ids, ids]) == [[memory(2).id, made.id]] * 2


CHECKS = (
    every_way_of_reading_applies_every_filter,
    a_filter_acts_before_the_limit_in_a_large_store,
    a_filter_acts_before_the_limit_where_most_have_no_vector,
    vectors_come_best_first_with_ties_by_id,
    cosines_are_those_of_the_vectors,
    similar_gives_each_row_its_own_memories,
    any_word_proposes_and_all_words_narrow,
    a_posting_counts_terms_and_lengths_by_field,
    the_best_by_bm25_are_among_the_proposed,
    statistics_are_exact_after_every_change,
    a_moved_memory_is_found_only_where_it_is_now,
    searching_an_empty_store_finds_nothing,
    independent_reads_are_gathered_in_order,
)
