from hypothesis import given
from hypothesis import strategies as st

from recollect.text.sentences import LONGEST_SENTENCE, sentences


def parts(text):
    return [sentence.strip() for _, sentence in sentences(text)]


def test_sentences_end_at_their_marks_in_both_languages():
    assert parts("I came. You left! Why? Because.") == ["I came.", "You left!", "Why?", "Because."]
    assert parts("我来了。你走了！为什么？") == ["我来了。", "你走了！", "为什么？"]


def test_abbreviations_decimals_and_initials_do_not_end_a_sentence():
    for text in ("Dr. Smith came.", "Sept. 9 was hot.", "It is 3.14 now.", "J. Smith came."):
        assert parts(text) == [text]


def test_a_line_break_ends_a_sentence():
    assert [part for part in parts("- one\n- two") if part] == ["- one", "- two"]


@given(st.text(max_size=1000))
def test_sentences_together_are_the_text(text):
    found = list(sentences(text))
    assert "".join(sentence for _, sentence in found) == text
    assert all(text.startswith(sentence, start) for start, sentence in found)
    assert all(len(sentence) <= LONGEST_SENTENCE for _, sentence in found)
