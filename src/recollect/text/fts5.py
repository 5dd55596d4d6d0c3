"""The tokenizers of FTS5, SQLite's full-text search. SQLite itself runs them, so their tokens are exactly FTS5's."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import TYPE_CHECKING, Literal, TypeAlias

from .analyze import QueryTerms, analyze, is_stop
from .stopwords import ENGLISH

if TYPE_CHECKING:
    import apsw

Tokenizer: TypeAlias = Literal["porter unicode61", "unicode61"]

_CUT_FROM_CONTRACTIONS = frozenset("s t d ll m re ve don doesn didn isn aren wasn hasn haven couldn wouldn".split())
"""FTS5 cuts "what's" into "what" and "s"."""

_own = threading.local()


def tokens(text: str, tokenizer: Tokenizer) -> list[str]:
    """The tokens of a text, in order, as an FTS5 table with this `tokenize` option has them."""
    run, reason = _loaded(tokenizer)
    found = run(text.encode("utf-8", "replace"), reason, None, include_offsets=False, include_colocated=False)
    return found  # type: ignore[return-value]  # without offsets, they are strings


def query_terms(text: str, tokenizer: Tokenizer) -> QueryTerms:
    """The distinct tokens of a question, in order. FTS5 has no stop-words: a token is one if all words of the question
    that it stands for are function words as written. "Owns" is none, though it stems to "own"."""
    written = tokens(text, "unicode61")
    stop: dict[str, bool] = {}
    for token, word in zip(written if tokenizer == "unicode61" else stems(written), written, strict=True):
        stop[token] = stop.get(token, True) and _is_function_word(word)
    return QueryTerms(tuple(each for each in stop if not stop[each]), tuple(each for each in stop if stop[each]))


def _is_function_word(word: str) -> bool:
    if word.isascii():
        return word in ENGLISH or word in _CUT_FROM_CONTRACTIONS
    terms = analyze(word)
    return bool(terms) and all(map(is_stop, terms))


def stems(words: Collection[str]) -> list[str]:
    """The `porter` stem of each token of `unicode61`."""
    found = tokens(" ".join(words), "porter unicode61")
    if len(found) == len(words):
        return found
    return [next(iter(tokens(word, "porter unicode61")), word) for word in words]


def _loaded(tokenizer: Tokenizer) -> tuple[apsw.FTS5Tokenizer, int]:
    """The tokenizer and the reason to call it with. Loaded once per thread: threads can't share a connection."""
    loaded: dict[str, tuple[apsw.FTS5Tokenizer, int]] | None = getattr(_own, "tokenizers", None)
    if loaded is None:
        loaded = _own.tokenizers = {}
    if tokenizer not in loaded:
        import apsw  # only these recipes need it where the store is no SQLite file

        name, *arguments = tokenizer.split()
        _own.connection = getattr(_own, "connection", None) or apsw.Connection(":memory:")
        loaded[tokenizer] = _own.connection.fts5_tokenizer(name, arguments), apsw.FTS5_TOKENIZE_DOCUMENT
    return loaded[tokenizer]
