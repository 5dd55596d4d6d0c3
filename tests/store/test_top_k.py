"""The best by words are those of a ranking of everything: the same memories with the same scores."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from recollect.read.bm25 import Bm25
from recollect.store import open_store
from recollect.store.sqlite import frequencies, lists, postings
from recollect.store.values import Batch, Put
from recollect.testing import model
from recollect.testing.samples import event, memory, put
from recollect.types import FIELDS, Corpus, Filter, Posting
from recollect.types.bm25 import Formula
from recollect.write.build.words import document

WORDS = [f"w{n}x" for n in range(60)]
PATHS = ("acme", "acme/a", "acme/b", "acme/b/c", "other")
GRANULARITIES = ("memory", "turn", "fact")
FIELD_WEIGHTS = (
    {"gist": 1.0, "text": 1.0, "entities": 0.5, "tags": 0.5},
    {"text": 1.0},
    {"gist": 3.0, "text": 1.0},
    {"entities": 1.0},
)


def some_words(chosen, most):
    """Frequent words are much more frequent than rare ones."""
    return [WORDS[min(int(chosen.paretovariate(0.6)) - 1, len(WORDS) - 1)] for _ in range(chosen.randrange(1, most))]


def made(chosen, n):
    text = some_words(chosen, 14)
    if chosen.random() < 0.03:
        text = text * 200  # a count that no code holds
    return memory(
        n,
        " ".join(text),
        gist=" ".join(some_words(chosen, 4)) if chosen.random() < 0.3 else "",
        tags=tuple(dict.fromkeys(some_words(chosen, 12))) if chosen.random() < 0.3 else (),
        entities=tuple(some_words(chosen, 3)) * chosen.choice([1, 1, 9]),
        namespace=chosen.choice(PATHS),
        granularity=chosen.choice(GRANULARITIES),
        kind=chosen.choice(["fact", "event"]),
        status=chosen.choice(["active", "active", "superseded"]),
    )


def change(chosen, store, held):
    """Writes new memories, writes some again, moves some and purges some."""
    start = 1 + max((int(id[-12:]) for id in held), default=0)
    puts = [put(made(chosen, n)) for n in range(start, start + chosen.randrange(1, 90))]
    known = chosen.sample(sorted(held), min(len(held), chosen.randrange(12)))
    puts += [put(made(chosen, int(id[-12:]))) for id in known[::2]]
    puts += [
        Put(memory=replace(held[id], namespace=chosen.choice(PATHS), granularity=chosen.choice(GRANULARITIES)))
        for id in known[1::2]
    ]
    store.write(Batch(puts=puts))
    held.update({given.memory.id: given.memory for given in puts})
    gone = chosen.sample(sorted(held), min(len(held), chosen.randrange(5)))
    store.purge(gone, event("purge"))
    for id in gone:
        del held[id]


def expected(held, content, stop, filter, match, fields, formula, limit):
    """Every memory is scored; statistics are counted from nothing."""
    terms = dict.fromkeys(stop, formula.stopword_weight if content else 1.0) | dict.fromkeys(content, 1.0)
    documents = {id: document(one) for id, one in held.items()}
    scores = {}
    for id, one in held.items():
        found = posting(one, documents[id], terms)
        has = {term for name in fields for term in found.frequencies[name]}
        required = set(content or stop)
        matches = required and required <= has if match == "all" else required & has
        if matches and model.admits(filter, one):
            corpus = statistics(held, documents, fields, terms, one)
            scores[id] = Bm25(corpus, terms, fields, formula.k1, formula.b).score(found).value
    return ordered(scores, limit)


def posting(one, words, terms):
    counts = {name: Counter(term for term in getattr(words, name) if term in terms) for name in FIELDS}
    lengths = {name: len(getattr(words, name)) for name in FIELDS}
    return Posting(
        memory_id=one.id, tenant=one.tenant, granularity=one.granularity, frequencies=counts, lengths=lengths
    )


def statistics(held, documents, fields, terms, like):
    among = [
        documents[id] for id, one in held.items() if (one.tenant, one.granularity) == (like.tenant, like.granularity)
    ]
    has = [{term for name in fields for term in getattr(words, name)} for words in among]
    return Corpus(
        documents=len(among),
        lengths={name: sum(len(getattr(words, name)) for words in among) for name in FIELDS},
        document_frequencies=Counter(term for each in has for term in each if term in terms),
    )


def proposed(store, content, stop, filter, match, fields, formula, limit):
    found, corpora = store.search_text(content, stop, filter, match=match, fields=fields, limit=limit, formula=formula)
    terms = dict.fromkeys(stop, formula.stopword_weight if content else 1.0) | dict.fromkeys(content, 1.0)
    scores = {}
    for each in found:
        bm25 = Bm25(corpora[each.tenant, each.granularity], terms, fields, formula.k1, formula.b)
        scores[each.memory_id] = bm25.score(each).value
    return ordered(scores, limit)


def ordered(scores, limit):
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def question(chosen):
    words = chosen.sample(WORDS[:30], 6)
    many = chosen.randrange(0, 4)
    return {
        "content": tuple(words[:many]),
        "stop": tuple(words[many : many + chosen.randrange(0, 3)]),
        "filter": Filter(
            namespaces=chosen.choice([(), ("acme",), ("acme/b",), ("acme/a", "other")]),
            kinds=chosen.choice([(), (), ("event",)]),
            statuses=chosen.choice([(), ("active",)]),
            granularities=chosen.choice([(), (), ("turn",), ("fact", "memory")]),
        ),
        "match": chosen.choice(["any", "any", "all"]),
        "fields": chosen.choice(FIELD_WEIGHTS),
        "formula": Formula(
            k1=chosen.choice([1.2, 0.0, 2.0]),
            b=chosen.choice([0.75, 0.5, 0.0]),
            stopword_weight=chosen.choice([1, 0.4]),
        ),
        "limit": chosen.choice([1, 3, 10, 40]),
    }


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("filter_first", [4_096, 10])
def test_the_best_are_those_of_ranking_everything(seed, filter_first, tmp_path, monkeypatch):
    monkeypatch.setattr(postings, "SEGMENT_COST", 1_500)
    monkeypatch.setattr(frequencies, "AT_ONCE", 20)
    monkeypatch.setattr("recollect.store.sqlite.admitted._SUBSET_UP_TO", filter_first)
    chosen, held = random.Random(seed), {}
    path = str(tmp_path / "agent.db")
    writer, reader = open_store(path), open_store(path)  # as two processes have it
    for _ in range(12):
        change(chosen, writer, held)
        for store in (reader, writer):
            asked = question(chosen)
            assert proposed(store, **asked) == expected(held, **asked)
    assert writer.check() == []
    assert len(writer._db._writer.execute("SELECT number FROM segment").fetchall()) > 5
    writer.close()
    reader.close()


def test_many_equal_scores_are_cut_by_id(tmp_path):
    store = open_store(str(tmp_path / "agent.db"))
    store.write(Batch(puts=[put(memory(n, "the same words")) for n in range(6_000)]))
    found = store.search_text(["word"], (), Filter(), match="any", fields={"text": 1.0}, limit=7).postings
    ids = sorted(each.memory_id for each in found)
    assert 7 <= len(ids) < 100 and ids == [memory(n).id for n in range(len(ids))]
    store.close()


def test_a_frequent_word_beside_a_rare_one_is_not_walked_through(tmp_path, monkeypatch):
    """The list of the rare word decides. In the list of the frequent one only its few documents are looked up."""
    store = open_store(str(tmp_path / "agent.db"))
    texts = [f"common thing {'rare' if n % 100 == 0 else 'other'}" for n in range(20_000)]
    store.write(Batch(puts=[put(memory(n, text)) for n, text in enumerate(texts)]))
    looked_up = []
    weighted = lists.Coded.weighted

    def counted(self, weights, at):
        found = weighted(self, weights, at)
        looked_up.append(len(found))
        return found

    monkeypatch.setattr(lists.Coded, "weighted", counted)
    asked = {"match": "any", "fields": {"text": 1.0}, "limit": 10, "formula": Formula()}
    found = store.search_text(["rare", "common", "thing"], (), Filter(), **asked).postings
    assert len(found) >= 10 and all("rare" in each.frequencies["text"] for each in found)
    assert sum(looked_up) < 2_000
    store.close()


def test_purged_words_are_in_no_list(tmp_path, monkeypatch):
    monkeypatch.setattr(postings, "SEGMENT_COST", 200)
    path = tmp_path / "agent.db"
    store = open_store(str(path))
    made = [memory(n, f"plain words number{n} {'xylophone' if n == 5 else ''}") for n in range(60)]
    store.write(Batch(puts=[put(one) for one in made]))
    store.write(Batch(puts=[put(replace(made[7], text="rewritten marimba"))]))
    store.write(Batch(puts=[put(replace(made[7], text="rewritten again"))]))
    store.purge([made[5].id, made[7].id], event("purge"))
    assert store.check() == []
    store.close()
    held = path.read_bytes()
    assert b"xylophon" not in held and b"marimba" not in held and b"number7" not in held


def test_check_finds_a_list_that_differs_from_its_documents(tmp_path, monkeypatch):
    monkeypatch.setattr(postings, "SEGMENT_COST", 200)
    store = open_store(str(tmp_path / "agent.db"))
    store.write(Batch(puts=[put(memory(n)) for n in range(60)]))
    assert store.check() == []
    store._db._writer.execute("DELETE FROM posting WHERE term = 'common' AND segment = 2")
    assert [found.what for found in store.check()] == ["the lexical index disagrees with its rows"]
    store.close()
