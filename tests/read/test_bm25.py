import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Recollect
from recollect.read.bm25 import Bm25, coverage, held_terms, saturation, scores, support
from recollect.recipes.recipe import Depth, Lexical, Recipe, Scaled, ScoreSum
from recollect.text.analyze import analyze
from recollect.types import FIELDS, Block, Corpus, Posting, Postings
from recollect.types.bm25 import idf


def test_idf_is_the_printed_formula():
    assert idf(4000, 15) == pytest.approx(math.log((4000 - 15 + 0.5) / 15.5 + 1))
    assert idf(10, 10) == pytest.approx(math.log(0.5 / 10.5 + 1))
    assert idf(10, 10) > 0


def test_saturation_gives_a_tenth_occurrence_little_and_never_passes_k1_plus_one():
    gains = [saturation(f, 10, 10, 1.2, 0.75) for f in range(1, 12)]
    assert gains[0] == pytest.approx(1.0)
    assert gains[9] - gains[8] < 0.05
    assert max(gains) < 2.2


def test_a_hand_computed_score():
    corpus = Corpus(documents=3, lengths={"text": 12}, document_frequencies={"pool": 1, "mode": 2})
    posting = Posting(
        memory_id="m",
        tenant="t",
        granularity="memory",
        frequencies={"text": {"pool": 2, "mode": 1}},
        lengths={"text": 6},
    )
    # N 3, mean length 4, |D| 6: the length part is 1.2 * (0.25 + 0.75 * 1.5) = 1.65
    pool = math.log(2.5 / 1.5 + 1) * 2 * 2.2 / (2 + 1.65)
    mode = math.log(1.5 / 2.5 + 1) * 1 * 2.2 / (1 + 1.65)
    score = Bm25(corpus, {"pool": 1.0, "mode": 1.0, "absent": 1.0}, {"text": 1.0}, 1.2, 0.75).score(posting)
    assert score.value == pytest.approx(pool + mode, abs=1e-12)
    assert score.recompute() == pytest.approx(score.value, abs=1e-12)
    assert [part.note for part in score.parts] == ["pool", "mode"]


def test_a_gist_counts_ten_times_the_text():
    corpus = Corpus(documents=2, lengths={"gist": 2, "text": 2}, document_frequencies={"a": 1})
    in_gist, in_text = (
        Posting(
            memory_id="m",
            tenant="t",
            granularity="memory",
            frequencies={field: {"a": 1}},
            lengths={"gist": 1, "text": 1},
        )
        for field in ("gist", "text")
    )
    weights = {"gist": 10.0, "text": 1.0}
    bm25 = Bm25(corpus, {"a": 1.0}, weights, 1.2, 0.75)
    titled, plain = bm25.score(in_gist).value, bm25.score(in_text).value
    assert titled == pytest.approx(idf(2, 1) * 10 * 2.2 / (10 + 1.2))
    assert plain == pytest.approx(idf(2, 1) * 1 * 2.2 / (1 + 1.2))


def test_coverage_weighs_rare_words_more():
    corpus = Corpus(documents=100, lengths={"text": 100}, document_frequencies={"rare": 1, "common": 90})
    assert coverage(corpus, ("rare", "common")).of({"rare"}) > 0.9
    assert coverage(corpus, ()).of({"rare"}) == 0.0


def test_a_word_that_nobody_wrote_down_counts_against_coverage_and_not_against_support():
    # 用户是什么血型: 血型 occurs nowhere, and neither does 户爱, which lies across 用户 and 爱好
    corpus = Corpus(documents=3, lengths={"text": 30}, document_frequencies={"用户": 2, "爱好": 1})
    unknown, user = idf(3, 0), idf(3, 2)
    assert coverage(corpus, ("用户", "血型")).of({"用户"}) == pytest.approx(user / (user + unknown))
    assert support(corpus, ("用户", "血型")).of({"用户"}) == 1.0
    both = user / (user + idf(3, 1))
    assert coverage(corpus, ("用户", "户爱", "爱好")).of({"用户"}) == pytest.approx(both)
    assert support(corpus, ("用户", "户爱", "爱好")).of({"用户"}) == pytest.approx(both)


def test_many_postings_in_columns_have_the_scores_and_terms_of_each():
    chosen = random.Random(5)
    terms = ["a", "b", "c", "d"]
    counts = np.array([[[chosen.choice([0, 0, 1, 3]) for _ in range(40)] for _ in terms] for _ in FIELDS], np.uint32)
    lengths = np.array([[chosen.randrange(30) for _ in range(40)] for _ in FIELDS])
    ids = [f"m{n}" for n in range(40)]
    block = Block(tenant="t", granularity="memory", ids=ids, terms=terms, counts=counts, lengths=lengths)
    corpus = Corpus(documents=90, lengths=dict.fromkeys(FIELDS, 800), document_frequencies={"d": 2, "a": 9, "b": 80})
    asked, fields = {"b": 1.0, "x": 1.0, "a": 0.4, "d": 0.4}, {"text": 0.3, "gist": 1.7, "tags": 0.0}
    columns, pair = Postings([block]), {("t", "memory"): corpus}
    one_by_one = scores(list(columns), pair, asked, fields, 1.2, 0.6)
    at_once = scores(columns, pair, asked, fields, 1.2, 0.6)
    assert {id: score.to_dict() for id, score in at_once.items()} == {
        id: score.to_dict() for id, score in one_by_one.items()
    }
    assert all(score.recompute() == pytest.approx(score.value, abs=1e-12) for score in at_once.values())
    apart, together = held_terms(list(columns)), held_terms(columns)
    assert {id: (where, set(held)) for id, (where, held) in together.items()} == apart


WORDS = "red green blue pool mode transaction timeout export import retry billing error tea coffee".split()


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12), min_size=1, max_size=20))
def test_scores_through_the_store_equal_an_independent_bm25(documents):
    texts = [f"{' '.join(words)} n{n}" for n, words in enumerate(documents)]
    recipe = Recipe(
        name="plain",
        cite="",
        routes=(Lexical(fields={"text": 1.0}, depth=Depth(times=1, least=100)),),
        fuse=ScoreSum(routes={"lexical": Scaled(scale="raw")}),
    )
    with Recollect(":memory:", embedder="hashing") as mind:
        mind.remember_many([{"text": text, "dedup": False} for text in texts])
        found = mind.recall("billing retry timeout", recipe=recipe, limit=100, track=False)
    expected = independent_bm25(texts, analyze("billing retry timeout"))
    assert {hit.memory.text: hit.score for hit in found.hits} == pytest.approx(expected, abs=1e-6)


def independent_bm25(texts, query, k1=1.2, b=0.75):
    """Straight from the article's text, sharing no code with the product."""
    bags = [Counter(analyze(text)) for text in texts]
    mean = sum(bag.total() for bag in bags) / len(bags)
    scores = {}
    for text, bag in zip(texts, bags, strict=True):
        score = 0.0
        for term in query:
            n = sum(term in other for other in bags)
            rarity = math.log((len(bags) - n + 0.5) / (n + 0.5) + 1)
            score += rarity * bag[term] * (k1 + 1) / (bag[term] + k1 * (1 - b + b * bag.total() / mean))
        if any(term in bag for term in query):
            scores[text] = score
    return scores


def test_a_query_can_be_restricted_to_one_field():
    only_gist = Recipe(
        name="titles",
        cite="",
        routes=(Lexical(fields={"gist": 1.0}),),
        fuse=ScoreSum(routes={"lexical": Scaled(scale="raw")}),
    )
    with Recollect(":memory:", embedder="hashing") as mind:
        titled = mind.remember("Use transaction mode.", gist="PgBouncer pooling")
        mind.remember("PgBouncer is mentioned in this body only.")
        found = mind.recall("PgBouncer", recipe=only_gist)
    assert [hit.memory.id for hit in found.hits] == [titled.id]
