"""Recipes with FTS5's tokenizer: the same candidates and counts as a real FTS5 table."""

import math
import random
from dataclasses import replace

import apsw
import pytest
from factories import NOW

from recollect import Recollect, recipes
from recollect.read.question import query
from recollect.read.routes import fts5_index, graph, lexical
from recollect.recipes.recipe import Depth, Graph
from recollect.types import Filter

BM25 = recipes.load("bm25")
ROUTE = replace(BM25.routes[0], depth=Depth(times=1, least=1000))
DEEP = replace(BM25, routes=(ROUTE,), fuse=replace(BM25.fuse, keep=None))
REST = {"at": NOW, "limit": 5, "budget_tokens": None, "include": None}
WORDS = "pool_mode PgBouncer connection pooling don't 10,000 Café 花生 过敏 running runs E0427 the a is".split()


def found(mind, question, **arguments):
    return [hit.memory.id for hit in mind.recall(question, recipe=DEEP, limit=1000, track=False, **arguments).hits]


def test_f3_the_tags_are_searched_and_other_fields_do_not_count():
    with Recollect(":memory:", embedder="hashing") as mind:
        tagged = mind.remember("Use transaction mode", tags=["pgbouncer"])
        mind.remember("Nothing of it", entities=["pgbouncer"])
        (hit,) = mind.recall("pgbouncer", recipe="bm25", track=False).hits
        assert hit.memory.id == tagged.id
        # of two documents one has it: 3 words of text and 1 tag, 3 words of text
        assert hit.score == pytest.approx(math.log(1.5 / 1.5 + 1) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 4 / 3.5)))


@pytest.mark.parametrize(("recipe", "place"), [("openmem", 0), ("memsense", 4), ("aingram", 2)])
def test_f3_document_frequencies_count_only_searched_fields(recipe, place):
    """A word that only a field has which a route does not search changes no score of that route."""
    route = recipes.load(recipe).routes[place]
    with Recollect(":memory:", embedder="hashing") as mind:
        kept = mind.remember("the kettle is new", entities=["kettle"])
        other = mind.remember("nothing of it")

        def seen():
            asked = query("kettle", recipe=recipes.load(recipe), filter=Filter(namespaces=("default",)), **REST)
            module = graph if isinstance(route, Graph) else lexical
            return {s.memory_id: s.raw.value for s in module.search(mind._store, route, asked).sightings}

        before = seen()
        assert before.keys() == {kept.id}
        mind.update(other.id, tags=["kettle"])
        assert seen() == before


def test_f4_words_are_those_of_porter_unicode61():
    with Recollect(":memory:", embedder="hashing") as mind:
        mind.remember("PgBouncer does connection pooling", gist="")
        (hit,) = mind.recall("PgBouncer connection pooling", recipe="bm25", track=False).hits
        terms = [part.note for part in hit.explanation.walk() if part.name.startswith("term_")]
        assert terms == ["pgbouncer", "connect", "pool"]


def test_candidates_are_those_of_an_fts5_table():
    chosen = random.Random(7)
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE f USING fts5 (id UNINDEXED, gist, text, tags, tokenize = 'porter unicode61')")
    with Recollect(":memory:", embedder="hashing") as mind:
        for _ in range(150):
            text, gist = (" ".join(chosen.choices(WORDS, k=chosen.randint(1, 5))) for _ in range(2))
            kept = mind.remember(text, gist=gist, tags=chosen.sample(WORDS, k=1), dedup=False)
            row = (kept.id, kept.gist, kept.text, " ".join(kept.tags))
            db.execute("INSERT INTO f VALUES (?, ?, ?, ?)", row)
        for word in WORDS:
            matching = db.execute("SELECT id FROM f WHERE f MATCH ?", (f'"{word}"',)).fetchall()
            alone = [id for (id,) in matching]
            if len(word.split("_")) == len(word.split("'")) == len(word.split(",")) == 1:  # one token, no phrase
                assert sorted(found(mind, word)) == sorted(alone)


def test_the_index_follows_every_change(tmp_path):
    path = tmp_path / "agent.db"
    with Recollect(path, embedder="hashing") as mind, Recollect(path, embedder="hashing") as other:
        one = mind.remember("the kettle is red")
        assert found(mind, "kettle") == [one.id]
        two = other.remember("a kettle for the boat")  # another connection
        assert set(found(mind, "kettle")) == {one.id, two.id}
        mind.update(one.id, text="the teapot is red")
        assert found(mind, "kettle") == [two.id] and found(mind, "teapot") == [one.id]
        mind.undo(mind.history(one.id)[-1].id)
        assert set(found(mind, "kettle")) == {one.id, two.id}
        mind.forget(two.id)
        assert found(mind, "kettle") == [one.id]
        mind.restore(two.id)
        mind.purge(one.id)
        assert found(mind, "kettle") == [two.id]
        mind.move("default", "elsewhere")
        assert found(mind, "kettle") == [] and found(mind, "kettle", namespace="elsewhere") == [two.id]
        file = tmp_path / "kept.jsonl"
        other.export(file)
        other.purge(two.id)
        assert found(mind, "kettle", namespace="elsewhere") == []
        other.import_(file)
        assert found(mind, "kettle", namespace="elsewhere") == [two.id]


def test_feedback_and_decay_change_no_word_so_nothing_is_read_again():
    with Recollect(":memory:", embedder="hashing") as mind:
        one = mind.remember("the kettle is red", at="2024-05-01")
        found(mind, "kettle")
        mind.update(one.id, text="the kettle is blue")
        asked = mind.recall("kettle", recipe="bm25")
        index = fts5_index._index(mind.store, "default")
        assert len(index.ids) == 2  # the former words have a number too, until all is read again
        mind.feedback(asked.id, [one.id], "helped")
        assert mind.decay(force=True) == 1
        assert found(mind, "blue") == [one.id]
        assert len(index.ids) == 2
        mind.purge(mind.remember("a kettle for the boat").id)
        assert found(mind, "blue") == [one.id]
        assert len(index.ids) == 1


def test_filters_act_before_the_limit():
    with Recollect(":memory:", embedder="hashing") as mind:
        mind.remember_many([{"text": f"kettle {n}", "dedup": False} for n in range(600)])
        last = mind.remember("a text with many other words and then a kettle", tags=["wanted"])
        assert [hit.memory.id for hit in mind.recall("kettle", recipe="bm25", tags=["wanted"]).hits] == [last.id]
