"""The tokenizers of FTS5, SQLite's full-text search. SQLite itself runs them, so their tokens are exactly FTS5's."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import TYPE_CHECKING, Literal, TypeAlias

from .analyze import QueryTerms, analyze, is_stop

if TYPE_CHECKING:
    import apsw

Tokenizer: TypeAlias = Literal["porter unicode61", "unicode61"]

_own = threading.local()


def tokens(text: str, tokenizer: Tokenizer) -> list[str]:
    """The tokens of a text, in order, as an FTS5 table with this `tokenize` option has them."""
    run, reason = _loaded(tokenizer)
    found = run(text.encode("utf-8", "replace"), reason, None, include_offsets=False, include_colocated=False)
    return found  # type: ignore[return-value]  # without offsets, they are strings


def query_terms(text: str, tokenizer: Tokenizer) -> QueryTerms:
    """The distinct tokens of a question, in order. FTS5 has no stop-words: a token is one if our terms of it are."""
    found = dict.fromkeys(tokens(text, tokenizer))
    stop = tuple(token for token in found if (terms := analyze(token)) and all(map(is_stop, terms)))
    return QueryTerms(tuple(token for token in found if token not in stop), stop)


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
