"""Keyword search alone, as the article on BM25 describes it.

Known pitfalls:
- Finds nothing if the question and the memory share no word: paraphrases, other languages.
- A word that is in nearly every memory counts almost nothing. In a store of three memories this holds for most words,
  so all scores are low.
"""

from .recipe import STORED_AS_GIVEN, Depth, Lexical, Recipe, Scaled, ScoreSum

RECIPE = Recipe(
    name="bm25",
    cite="'BM25: The keyword search algorithm that powers agent memory retrieval': IDF and saturation as printed, "
    "k1 1.2, b 0.75, title ten times the body and the tags, FTS5's tokenizer `porter unicode61`. Our gist stands for "
    "the title.",
    routes=(
        Lexical(
            fields={"gist": 10.0, "text": 1.0, "tags": 1.0},
            analyzer="porter unicode61",
            stopwords_match=True,
            k1=1.2,
            b=0.75,
            depth=Depth(times=2, least=10),
        ),
    ),
    fuse=ScoreSum(routes={"lexical": Scaled(scale="raw")}, keep=Depth(times=1)),
    write=STORED_AS_GIVEN,
)
