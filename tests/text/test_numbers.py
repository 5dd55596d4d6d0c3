import pytest

from recollect.text.numbers import chinese_value, english_value, find_numbers, number_value


@pytest.mark.parametrize(
    ("words", "value"),
    [("zero", 0), ("seven", 7), ("Twenty-one", 21), ("ninety nine", 99), ("many", None), ("", None)],
)
def test_english_number_words_have_their_value(words, value):
    assert english_value(words) == value


@pytest.mark.parametrize(
    ("numeral", "value"),
    [("三", 3), ("两", 2), ("十", 10), ("十五", 15), ("三十五", 35), ("一百二十", 120), ("二〇二三", 2023)]
    + [("三千五百", 3500), ("两万", 20_000), ("猫", None), ("", None)],
)
def test_chinese_numerals_have_their_value(numeral, value):
    assert chinese_value(numeral) == value


def test_digits_and_words_give_the_same_number():
    assert number_value("12") == number_value("twelve") == number_value("十二") == 12


def test_numbers_are_listed_in_one_plain_form():
    said = find_numbers("1,000 users, seven cats, 3.50 euro, 05, 三十个, someone, 一下")
    assert said == ["1000", "7", "3.5", "5", "30"]
