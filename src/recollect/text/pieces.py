"""Which pieces of text, such as "no longer", may a text have? One lookup for each of its words answers for all pieces.

A piece is looked for by its longest word; one of several words is then looked for in the text. What is known of a word
is kept. So a text costs about as many lookups as it has words, however many pieces there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from itertools import pairwise
from operator import or_
from typing import NamedTuple

EDGE = "\0"
"""In a piece: here a word of letters and digits begins or ends."""
ALWAYS = 1
"""The bit that every text has."""
_MOST_WORDS, _LONGEST_WORD = 1 << 15, 40
_MOST_TEXTS, _LONGEST_TEXT = 2_048, 1_000
"""More texts than a batch has: each is looked up when it is built, and again when the batch is related to others."""


class Part(NamedTuple):
    """The longest word of a piece, and what must be beside it in a text: a blank, `EDGE`, or anything."""

    word: str
    before: str
    after: str

    def is_in(self, word: str) -> bool:
        at = word.find(self.word)
        while at >= 0:
            if _fits(self.before, word[:at][-1:]) and _fits(self.after, word[at + len(self.word) :][:1]):
                return True
            at = word.find(self.word, at + 1)
        return False


def _fits(wanted: str, beside: str) -> bool:
    """`beside`: the character beside the part; empty at the end of a word of the text."""
    return not (wanted and beside) or (wanted == EDGE and not _is_of_a_word(beside))


def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def part_of(piece: str) -> Part:
    """For a piece in lower case, with at least one word."""
    words = piece.split()
    at = max(range(len(words)), key=lambda n: len(words[n].strip(EDGE)))
    word = words[at].replace(EDGE, "")
    before = _beside(words[at][0], word[0], at > 0 or piece[0].isspace())
    return Part(word, before, _beside(words[at][-1], word[-1], at < len(words) - 1 or piece[-1].isspace()))


def _beside(mark: str, end: str, is_blank: bool) -> str:
    """What must be beside this end of the part."""
    return " " if is_blank else EDGE if mark == EDGE and _is_of_a_word(end) else ""


class Pieces:
    """Some pieces, one bit each. It never changes: with more pieces, a new one takes its place."""

    def __init__(self, pieces: Iterable[str] = ()) -> None:
        self.bits: dict[str, int] = {}
        self._parts: dict[tuple[Part, str], int] = {}
        self._of_several = 0
        """The bits of the pieces of several words."""
        self._strings: dict[int, str] = {}
        """These bits → the pieces."""
        self._beginning: defaultdict[tuple[str, str], list[tuple[Part, int]]] = defaultdict(list)
        """Two characters → the parts that begin with them, and their bits."""
        self._short: list[tuple[Part, int]] = []
        """Those of one character."""
        self._words = _Words(self._of_word)
        self._known = lru_cache(_MOST_TEXTS)(self._looked_up)
        for piece in pieces:
            self._add(piece)

    def _add(self, piece: str) -> None:
        part, string = part_of(piece), piece.replace(EDGE, "")
        key = part, string if len(piece.split()) > 1 else ""
        if key not in self._parts:
            self._parts[key] = bit = ALWAYS << (len(self._parts) + 1)
            beginning = self._short if len(part.word) == 1 else self._beginning[part.word[0], part.word[1]]
            beginning.append((part, bit))
            if key[1]:
                self._strings[bit] = string
                self._of_several |= bit
        self.bits[piece] = self._parts[key]

    def found(self, text: str) -> int:
        """The bits of the pieces that an ASCII text may have. All that it has are among them."""
        return self._known(text) if len(text) <= _LONGEST_TEXT else self._looked_up(text)

    def _looked_up(self, text: str) -> int:
        lowered = text.lower()
        found = reduce(or_, map(self._words.__getitem__, lowered.split()), ALWAYS)
        several = found & self._of_several
        while several:
            bit = several & -several
            several ^= bit
            if self._strings[bit] not in lowered:
                found ^= bit
        return found

    def _of_word(self, word: str) -> int:
        found = 0
        for parts in (self._short, *filter(None, map(self._beginning.get, pairwise(word)))):
            for part, bit in parts:
                if part.word in word and part.is_in(word):  # mostly it is not there
                    found |= bit
        return found


class _Words(dict[str, int]):
    """What is known of words. Others are looked up."""

    def __init__(self, look_up: Callable[[str], int]) -> None:
        super().__init__()
        self._look_up = look_up

    def __missing__(self, word: str) -> int:
        found = self._look_up(word)
        if len(word) <= _LONGEST_WORD:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = found
        return found
