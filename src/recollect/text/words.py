"""The index terms of one written word or identifier.

A plain word gives its stem. An identifier (`pool_mode`, `/v2/exports`, `E0427`, `camelCase`,
`user@example.com`) gives the whole identifier, unstemmed, and then its stemmed parts.
"""

from __future__ import annotations

import re
import unicodedata

import Stemmer

# The stemmer's own cache is off: it is not thread-safe, and analyze has a cache of its own.
_stem_ascii = Stemmer.Stemmer("porter", 0).stemWord
# Porter's own program does not stem words of one or two letters ("us", "is").
_SHORTEST_STEMMED = 3

# Accents, and the optional vowel signs of Hebrew and Arabic. In other scripts such marks are letters.
_OPTIONAL_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
# Letters with a stroke and joined letters, which Unicode does not decompose.
_UNDECOMPOSED = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th", "ħ": "h"}
)

_CONNECTOR = re.compile(r"::|[._\-/\\:@&+#~]")
# Connectors that are also used between plain words: well-known, and/or, note:this.
_PROSE_CONNECTORS = frozenset("-/:")
_DECIMAL = re.compile(r"\d+\.\d+")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
_SEGMENT = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+")
_ACRONYM_PLURAL = re.compile(r"[A-Z]{2,}s")
# A word that changes more often between letters and digits is a hash; its pieces mean nothing.
_MOST_SEGMENTS = 4
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})

_CONTRACTED = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_IRREGULAR_NEGATIONS = {"won't": "will", "can't": "can", "shan't": "shall", "ain't": "be"}


def fold(word: str) -> str:
    """Lower case, without accents, in one Unicode form: É → e, Ｆ → f; 한 and が do not change."""
    if word.isascii():
        return word.lower()
    bare = _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFKD", word.casefold()))
    return unicodedata.normalize("NFKC", bare.casefold().translate(_UNDECOMPOSED))


def stem(folded: str) -> str:
    """The Porter stem of an English-looking word; any other word unchanged."""
    if len(folded) >= _SHORTEST_STEMMED and folded.isascii() and folded.isalpha():
        return str(_stem_ascii(folded))
    return folded


def url_terms(url: str) -> list[str]:
    """The whole address, then the terms of its host, path and parameters."""
    address = url.rstrip(".,;:!?)]'")
    rest = address.partition("://")[2]
    terms = [address.lower()]
    for piece in re.split(r"[/?&=#%;,()\[\]!$*':+]+", rest):
        if piece:
            terms += token_terms(piece)
    return terms


def token_terms(token: str) -> list[str]:
    """The terms of a word, or of words that connectors join to one token."""
    pieces = [piece for piece in _CONNECTOR.split(token) if piece]
    if len(pieces) == 1 and pieces[0] == token:
        return _word_terms(token)
    if _DECIMAL.fullmatch(token):
        return [token]
    if _INITIALS.fullmatch(token):
        return [fold(token.replace(".", ""))]
    terms = [] if _is_prose(token, pieces) else [fold(token)]
    for piece in pieces:
        terms += _word_terms(piece)
    return terms


def _is_prose(token: str, pieces: list[str]) -> bool:
    """Whether the joined words are ordinary prose, not an identifier."""
    connectors = _CONNECTOR.findall(token)
    return (
        all(piece.replace("'", "").isalpha() for piece in pieces)
        and _PROSE_CONNECTORS.issuperset(connectors)
        and connectors.count("/") <= 1
        and len(connectors) < len(pieces)
    )


def _word_terms(word: str) -> list[str]:
    if "'" in word:
        return _apostrophe_terms(fold(word))
    if word.islower() and word.isalpha():
        return [stem(fold(word))]
    segments = _SEGMENT.findall(word)
    if len(segments) == 1 or _ACRONYM_PLURAL.fullmatch(word) or not word.isascii():
        return [stem(fold(word))]
    return _segmented_terms(word.lower(), [segment.lower() for segment in segments])


def _segmented_terms(word: str, segments: list[str]) -> list[str]:
    """camelCase, E0427, 5kg, 20th: the word, and the parts that mean something on their own."""
    has_digits = not word.isalpha()
    if has_digits and len(segments) > _MOST_SEGMENTS:
        return [word]
    terms = [stem(word)]
    for position, segment in enumerate(segments):
        leads_with_number = position == 0 and segment.isdigit()
        if (len(segment) > 1 or leads_with_number) and segment not in _ORDINAL_ENDINGS:
            terms.append(stem(segment))
    return terms


def _apostrophe_terms(word: str) -> list[str]:
    head, _, tail = word.rpartition("'")
    if tail == "s":
        return [stem(head.replace("'", ""))]
    if word.endswith("n't"):
        return [stem(_IRREGULAR_NEGATIONS.get(word, word[:-3])), "not"]
    if tail in _CONTRACTED:
        return [stem(head.replace("'", "")), _CONTRACTED[tail]]
    parts = [stem(part) for part in word.split("'") if len(part) > 1]
    return [stem(word.replace("'", "")), *parts]
