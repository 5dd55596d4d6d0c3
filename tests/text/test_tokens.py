from recollect.text.tokens import estimate_tokens


def test_four_characters_make_one_token_rounded_up():
    assert [estimate_tokens("x" * n) for n in (0, 1, 4, 5, 8, 9)] == [0, 1, 1, 2, 2, 3]
