"""Do two texts state the same? Only if they have the same words in the same order, apart from fillers.

Vectors can't decide this: an embedder gives "my belt is orange" and "my belt is green" almost the same vector. Nor can
lists of antonyms: there is always another word. So nothing is taken as the same that could be something else: another
colour, room, number, name, tense, preposition or direction (who to whom) makes another statement. Case, punctuation,
contractions, number words and fillers make no difference.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b

from recollect.text.numbers import NUMBER_WORDS, with_digits

_WORD = re.compile(r"[㐀-鿿぀-ヿ가-힯]|[^\W_㐀-鿿぀-ヿ가-힯]+|[%$€£¥°+]")
"""A word or number, one character of a language written without spaces, or a sign that changes a number."""
_ASCII_WORD = re.compile(r"[a-z0-9]+|[%$+]")
"""The same in ASCII, which takes half the time."""
_BETWEEN = "\x1f"
_CONTRACTIONS = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bshan't\b"), "shall not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"\b(he|she|it|that|there|what|who|where|here)'s\b"), r"\1 is"),
    (re.compile(r"\bo'clock\b"), ""),
)
_OPENINGS = re.compile(
    r"(?:^|(?<=[.!?] ))(?:(?:oh|ah|well|so|right|look|listen|hey|hi|hello|yes|yeah|ok|okay|also|hm+|um|uh|bueno|oye)"
    r"(?: there| yes| and)*[,!:.]+(?: and| so)? *)+"
)
"""Interjections at the start of a sentence, with the mark behind them: "right" alone is a direction."""
_PHRASES = re.compile(
    r"\b(?:by the way|just so you know|for your information|in case you (?:were wondering|wondered|forgot)|"
    r"you (?:know|see)|(?:as|like) i (?:said|mentioned)|to be honest|for the record|as a matter of fact|in fact|"
    r"of course|(?:please |kindly )?(?:note|remember)(?: that|:)|"
    r"i (?:just )?(?:wanted|want) to (?:say|mention|tell you)(?: that)?|"
    r"i should (?:say|mention|add)(?: that)?|(?:just )?a? ?(?:quick )?(?:note|reminder|heads-up)(?: to self)?:|"
    r"let me tell you|i(?: a|')m telling you|the thing is|(?:and )?one more thing|you should know(?: that)?|"
    r"believe it or not|incidentally|"
    r"nur so nebenbei|nebenbei bemerkt|nur damit du es weisst|um ehrlich zu sein|wie gesagt|ehrlich gesagt|"
    r"bitte merk dir|"
    r"por cierto|la verdad es que|la verdad,|que sepas que|para que lo sepas|como te dije|a decir verdad|"
    r"au fait|pour info|à vrai dire|comme je l'ai dit)(?!\w)"
    r"|,? *(?:thanks|thank you|danke|gracias|merci)[.! ]*$"
    r"|顺便说一下|顺便提一下|顺便一提|对了|说起来|其实呢?|老实说|说实话|跟你说|告诉你|真的|话说|请记住"
)
_FILLERS = frozenset(
    "a an the that really just actually btw fyi please kindly simply basically honestly literally anyway "
    "übrigens wirklich eigentlich echt realmente vraiment".split()
)
"""Words that a statement can lose without stating anything else."""
_OPENING_WORDS = frozenset("oh ah well so right look listen hey hi hello yes yeah ok okay also um uh bueno oye".split())
_PHRASE_WORDS = frozenset(
    "way know information case you said mentioned honest record fact course note remember want wanted should reminder "
    "heads telling thing believe incidentally nebenbei damit ehrlich gesagt merk cierto verdad sepas dije fait info "
    "comme".split()
)
_NUMBERS = frozenset(NUMBER_WORDS)
_REWRITTEN = _OPENING_WORDS | _PHRASE_WORDS | _NUMBERS | {"cannot"}
"""Every ASCII text that the patterns above change has one of these words, an apostrophe, or one of the following."""
_THANKS = ("thanks", "thank you", "danke", "gracias", "merci")
_OTHER_DIGITS = re.compile(r"[0-9][,.][0-9]")
_LEADING_ZERO = re.compile(r"0[0-9]")


def is_same(one: str, other: str) -> bool:
    """Whether the two texts state the same."""
    return _words(one) == _words(other)


@lru_cache(maxsize=4096)
def statement_key(text: str) -> int:
    """Equal for texts that state the same. Stores keep it: if the words change that state something, a migration must
    make the keys again."""
    words = _words(text).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(words, digest_size=8).digest(), signed=True)


def contains(text: str, part: str) -> bool:
    """Whether the text holds all that the part states, word for word: the part adds nothing to it."""
    return stated(part) in stated(text)


def stated(text: str) -> str:
    """What a text states, as one string. It is part of that of another text if it adds nothing to that text. For
    callers that compare many texts: each is analysed once."""
    return f"{_BETWEEN}{_words(text)}{_BETWEEN}"


def stating_words(text: str) -> list[str]:
    """The words that state something, in order, in lower case and with numbers in digits."""
    return _words(text).split(_BETWEEN)


@lru_cache(maxsize=4096)
def _words(text: str) -> str:
    """The words that state something, in order. A text of fillers alone keeps them."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    words = _split(plain)
    if not _is_as_it_is(plain, words):
        words = _rewritten(plain)
    kept = [word for word in words if word not in _FILLERS]
    return _BETWEEN.join(kept or words)


def _split(plain: str) -> list[str]:
    return (_ASCII_WORD if plain.isascii() else _WORD).findall(plain)


def _rewritten(plain: str) -> list[str]:
    """The words without contractions, openings and phrases, with numbers in digits. Only the patterns that may change
    the text are tried."""
    if not plain.isascii():
        return _split(with_digits(_PHRASES.sub(" ", _OPENINGS.sub("", _uncontracted(plain)))))
    if "'" in plain or "cannot" in plain:
        plain = _uncontracted(plain)
    words = _split(plain)
    if "hm" in plain or not _OPENING_WORDS.isdisjoint(words):
        plain = _OPENINGS.sub("", plain)
    if not _PHRASE_WORDS.isdisjoint(words) or _gives_thanks(plain):
        plain = _PHRASES.sub(" ", plain)
    words = _split(plain)
    return _split(with_digits(plain)) if _has_other_digits(plain) or not _NUMBERS.isdisjoint(words) else words


def _uncontracted(plain: str) -> str:
    for pattern, whole in _CONTRACTIONS:
        plain = pattern.sub(whole, plain)
    return plain


def _is_as_it_is(plain: str, words: list[str]) -> bool:
    """Whether no pattern changes the text. Most statements are such, and the patterns take most of the time."""
    if not plain.isascii() or "'" in plain or "hm" in plain or not _REWRITTEN.isdisjoint(words):
        return False
    return not (_has_other_digits(plain) or _gives_thanks(plain))


def _has_other_digits(plain: str) -> bool:
    """Whether a number may be written in another way too."""
    return _OTHER_DIGITS.search(plain) is not None or _LEADING_ZERO.search(plain) is not None


def _gives_thanks(plain: str) -> bool:
    return plain.rstrip(".! \n").endswith(_THANKS)
