"""No piece that a text has is missed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.pieces import EDGE, Pieces

letters = st.text("ab 's\n", max_size=12)
pieces = st.lists(letters.filter(str.strip), max_size=8)


@given(pieces, st.lists(letters, max_size=4))
def test_every_piece_that_a_text_has_is_found(pieces, texts):
    known = Pieces(pieces)
    for text in texts:
        for piece in pieces:
            if piece in text:
                assert known.found(text) & known.bits[piece], (piece, text)


@pytest.mark.parametrize(
    ("piece", "has", "has_not"),
    [
        ("live", "olives", "love"),
        (" live", "we lived", "olives"),
        ("live ", "olive trees", "we lived"),
        (" live ", "we live here", "lived olive"),
        ("moved to", "I Moved to Porto", "I moved away to Porto"),
        (f"{EDGE}as of{EDGE}", "as of May", "as part of it"),
        (f"{EDGE}if{EDGE}", "what (if, then)", "a difference"),
        (f"{EDGE}plan", "my plans", "an airplane"),
        (f"n't{EDGE}", "he can't", "hunters"),
    ],
)
def test_a_piece_is_looked_for_by_its_longest_word_and_then_whole(piece, has, has_not):
    known = Pieces([piece])
    assert known.found(has) & known.bits[piece]
    assert not known.found(has_not) & known.bits[piece]


def test_a_larger_set_keeps_the_bits_of_a_smaller_one():
    some = Pieces(["not", "no longer"])
    more = Pieces([*some.bits, "never"])
    assert some.bits.items() <= more.bits.items()


def test_texts_beyond_the_number_that_is_kept_are_looked_up_again():
    known = Pieces(["seven"])
    found = [bool(known.found(f"seven {n}" if n % 7 == 0 else str(n)) & known.bits["seven"]) for n in range(1_000)]
    assert found == [n % 7 == 0 for n in range(1_000)]
