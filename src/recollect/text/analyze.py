"""The one analyzer: it gives the index terms of a text and the search terms of a question, for every store.

Words are folded and stemmed (words.py). Runs of Chinese, Japanese and Korean become bigrams (cjk.py), and
Chinese words are also translated to English (chinese_to_english.py). Identifiers are kept whole and in
parts. An emoji is a term. Scripts without spaces that need a dictionary, such as Thai, are indexed by the
written run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from recollect.text import cjk
from recollect.text.stopwords import CHINESE_CHARACTERS, ENGLISH, RARE_IN_ANSWERS, REQUEST
from recollect.text.words import token_terms, url_terms

LONGEST_TERM = 64
# Distinct words of a large corpus. A full cache is emptied, which costs a few ms.
_CACHED_CHUNKS = 200_000

# Vowel signs and joiners are part of a word, but Python's \w does not match them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711-\u07fd"
    "\u0816-\u08ff\u0900-\u0903\u093a-\u094f\u0955-\u0957\u0962\u0963\u0981-\u0d83\u0dca-\u0df3"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18-\u0f84\u102b-\u109d\u135d-\u135f\u17b4-\u17d3"
    "\u1ab0-\u1aff\u1dc0-\u1dff\ua8e0-\ua8f1\u3099\u309a"
)
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‘": "'"})
# Soft hyphen, joiners, variation selectors, byte-order mark: they change how a word is drawn, not the word.
_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]")
_REQUEST = re.compile(REQUEST, re.IGNORECASE)
_THOUSANDS_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_EMOJI = _FLAG + "|[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff]"
# The length of the scheme is bounded, so that the search stays linear for every text.
_URL = r"(?P<url>[A-Za-z][A-Za-z0-9+.\-]{0,19}://[!#-;=?-\[\]_a-z~]+)"


def _token(word: str) -> str:
    """The pattern of a word, or of words that are joined to a path, flag, name, version or address."""
    before = r"(?:(?<!\w)(?:--|~?/|\.{1,2}/))?"
    between = r"(?:::|:\\|[._\-/\\:@&+#~'])"
    after = r"(?:(?<=[A-Za-z])(?:\+\+|\#)(?!\w))?"
    return f"(?P<token>{before}{word}(?:{between}{word})*{after})"


_ASCII_TOKENS = re.compile(f"{_URL}|{_token('[A-Za-z0-9_]+')}")


@cache
def _unicode_tokens() -> re.Pattern[str]:
    """Compiled at first use: it takes longer than the rest of this module's import."""
    word = f"(?:[^\\W{cjk.CJK_CLASS}]|[{_MARKS}])+"
    return re.compile(f"(?P<cjk>[{cjk.CJK_CLASS}]+)|{_URL}|{_token(word)}|(?P<emoji>{_EMOJI})")


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The distinct terms of a question, in order, with function words kept separate."""

    content: tuple[str, ...]
    stop: tuple[str, ...]


_known: dict[str, tuple[str, ...]] = {}


def analyze(text: str) -> list[str]:
    """The index terms of `text`, in order.

    A term is in lower case, has at most 64 characters, and holds no white space, double quote or NUL.
    """
    terms: list[str] = []
    for chunk in text.split():
        terms += _known.get(chunk) or _chunk_terms(chunk)
    return terms


def analyze_query(text: str) -> QueryTerms:
    """The terms to search for. If the text has only function words, `content` is empty."""
    content: dict[str, None] = {}
    stop: dict[str, None] = {}
    for chunk in text.split():
        for term, marked in _query_chunk(chunk):
            (stop if marked else content)[term] = None
    return QueryTerms(tuple(content), tuple(term for term in stop if term not in content))


def answer_terms(terms: Sequence[str]) -> tuple[str, ...]:
    """The content words of a question that its answer would contain too; all of them if none is left."""
    return tuple(term for term in terms if term not in _rare_in_answers()) or tuple(terms)


def words_outside_requests(text: str) -> frozenset[str]:
    """A question's words without its requests. "Can you suggest a book?" is not about "you"."""
    return frozenset(analyze(_REQUEST.sub(" ", text)))


@cache
def _rare_in_answers() -> frozenset[str]:
    return frozenset(term for word in RARE_IN_ANSWERS for term in analyze(word))


def is_stop(term: str) -> bool:
    """Whether an index term is a function word."""
    return term in _STOP_TERMS


def _chunk_terms(chunk: str) -> tuple[str, ...]:
    terms = tuple(term for token in _tokens(chunk) for term in _terms_of(token))
    if len(chunk) <= LONGEST_TERM:
        if len(_known) >= _CACHED_CHUNKS:
            _known.clear()
        _known[chunk] = terms
    return terms


def _tokens(chunk: str) -> Iterator[re.Match[str]]:
    """The tokens of a text without white space, in any Unicode form."""
    pattern = _ASCII_TOKENS
    if not chunk.isascii():
        pattern = _unicode_tokens()
        chunk = _INVISIBLE.sub("", unicodedata.normalize("NFKC", chunk)).translate(_APOSTROPHES)
    if "," in chunk:
        chunk = _THOUSANDS_COMMA.sub("", chunk)
    return pattern.finditer(chunk)


def _terms_of(token: re.Match[str]) -> list[str]:
    match token.lastgroup:
        case "cjk":
            return cjk.index_terms(token[0])
        case "url":
            terms = url_terms(token[0])
        case "token":
            terms = token_terms(token[0])
        case _:
            return [token[0]]
    return [term[:LONGEST_TERM] for term in terms if term]


def _query_chunk(chunk: str) -> Iterator[tuple[str, bool]]:
    for token in _tokens(chunk):
        if token.lastgroup == "cjk":
            yield from cjk.query_terms(token[0])
        else:
            yield from ((term, term in _STOP_TERMS) for term in _terms_of(token))


_STOP_TERMS = frozenset(term for word in ENGLISH for term in analyze(word)) | CHINESE_CHARACTERS
