import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.analyze import analyze, analyze_query, is_stop, words_outside_requests

ANY_TEXT = st.text(alphabet=st.characters(), max_size=200)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running", "run"),
        ("authentication", "authenticate"),
        ("Ada's", "ADA"),
        ("Ada’s", "ada"),
        ("students'", "student"),
        ("Café", "cafe"),
        ("naïve", "NAIVE"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("Søren", "soren"),
        ("Ёлка", "елка"),
        ("ＡＢＣ１２３", "abc123"),
        ("ﾊﾝｶｸ", "ハンカク"),
        ("1,000", "1000"),
        ("1,234,567.50", "1234567.50"),
        ("U.S.A.", "usa"),
        ("URLs", "url"),
        ("iPhones", "iPhone"),
        ("co\u00adoperate", "cooperate"),
        ("مُحَمَّد", "محمد"),
        ("don't", "do not"),
        ("won't", "will not"),
        ("can’t", "can not"),
        ("I'm", "i am"),
        ("we've", "we have"),
        ("(hello)", "hello"),
        ("well-known", "well known"),
        ("and/or", "and or"),
        ("end.", "end"),
        ("“quoted”", "quoted"),
        ("first…second—third", "first second third"),
    ],
)
def test_two_ways_of_writing_give_the_same_terms(one, other):
    assert analyze(one) == analyze(other)


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("E0427", ["e0427", "0427"]),
        ("POST /v2/exports", ["post", "/v2/exports", "v2", "export"]),
        ("/v2/imports/", ["/v2/imports", "v2", "import"]),
        ("pool_mode", ["pool_mode", "pool", "mode"]),
        ("foo.bar()", ["foo.bar", "foo", "bar"]),
        ("camelCase", ["camelcas", "camel", "case"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("user@example.com", ["user@example.com", "user", "exampl", "com"]),
        (
            "(https://example.com/docs?id=3).",
            ["https://example.com/docs?id=3", "example.com", "exampl", "com", "doc", "id", "3"],
        ),
        ("--dry-run", ["--dry-run", "dry", "run"]),
        ("TICKET-123", ["ticket-123", "ticket", "123"]),
        ("10.0.0.1", ["10.0.0.1", "10", "0", "0", "1"]),
        ("2023-05-20", ["2023-05-20", "2023", "05", "20"]),
        ("3.14", ["3.14"]),
        ("5kg", ["5kg", "5", "kg"]),
        ("20th", ["20th", "20"]),
        ("std::vec", ["std::vec", "std", "vec"]),
        (r"C:\Users\ada", [r"c:\users\ada", "c", "user", "ada"]),
        ("src/recollect/text", ["src/recollect/text", "src", "recollect", "text"]),
        ("C++ and C#", ["c++", "c", "and", "c#", "c"]),
        ("pool_mode=transaction", ["pool_mode", "pool", "mode", "transact"]),
        ("3f2a9c1b", ["3f2a9c1b"]),
        ("O'Brien", ["obrien", "brien"]),
    ],
)
def test_identifiers_are_kept_whole_and_in_parts(written, terms):
    assert analyze(written) == terms


def test_two_paths_stay_apart_by_their_whole_term():
    exports, imports = set(analyze("POST /v2/exports")), set(analyze("POST /v2/imports"))
    assert "/v2/exports" in exports - imports
    assert "/v2/imports" in imports - exports


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("我的猫", ["我", "我的", "的", "的猫", "猫", "cat"]),
        ("猫", ["猫", "cat"]),
        ("用Python写", ["用", "us", "python", "写", "write"]),
        ("한국", ["한", "한국", "국"]),
        ("が", ["が"]),
        ("ねこ", ["ねこ"]),
        ("猫、犬。", ["猫", "cat", "犬", "dog"]),
        ("ภาษาไทย", ["ภาษาไทย"]),
        ("हिन्दी", ["हिन्दी"]),
        ("🍕👍🏽", ["🍕", "👍"]),
        ("I ❤️ 🇳🇴", ["i", "❤", "🇳🇴"]),
    ],
)
def test_scripts_without_spaces_and_emoji_become_terms(written, terms):
    assert analyze(written) == terms


def test_voiced_kana_are_not_folded_to_their_plain_form():
    assert analyze("がく") != analyze("かく")


def test_punctuation_and_nothing_give_no_terms():
    assert analyze("  … -- !? \x00 \ud800 ") == []
    assert analyze("") == []


def test_a_lone_surrogate_only_parts_the_words_around_it():
    assert analyze("ab\ud800cd") == ["ab", "cd"]


@pytest.mark.parametrize(
    ("query", "content", "stop"),
    [
        ("Which theme does Ada prefer, please?", ("theme", "ada", "prefer"), ("which", "doe", "pleas")),
        ("tea, TEA and teas", ("tea",), ("and",)),
        ("What is it?", (), ("what", "is", "it")),
        ("in May", ("mai",), ("in",)),
        ("什么", (), ("什么",)),
        ("上海", ("上海", "shanghai"), ()),
        ("我喜欢喝什么茶", ("喜欢", "欢喝", "茶", "drink", "tea"), ("我", "我喜", "喝什", "什么", "么茶")),
        ("我的猫", ("猫", "cat"), ("我的", "的猫")),
        ("?!", (), ()),
    ],
)
def test_function_words_of_a_query_are_marked_not_dropped(query, content, stop):
    terms = analyze_query(query)
    assert (terms.content, terms.stop) == (content, stop)


def test_a_one_character_question_matches_inside_a_run():
    assert set(analyze_query("茶").content) <= set(analyze("我每天喝茶"))


def test_chinese_words_that_mean_the_same_meet_in_english():
    asked = set(analyze_query("我想买电脑").content)
    assert {"bui", "comput"} <= asked & set(analyze("上周采购了两台计算机")) & set(analyze("buy a computer"))


def test_words_spared_from_cutting_stay_content():
    for word in ("目的", "了解", "吉他", "其他"):
        assert [term for term in analyze_query(word).content if not term.isascii()] == [word]
        assert analyze_query(word).stop == ()


def test_function_terms_are_known_as_such():
    assert is_stop("doe") and is_stop("的") and not is_stop("ada")


@given(ANY_TEXT)
def test_every_term_fits_what_the_stores_accept(text):
    for term in analyze(text):
        assert 0 < len(term) <= 64
        assert not any(character.isspace() or character in '"\x00' for character in term)
        assert not any("A" <= character <= "Z" for character in term)
        term.encode()


@given(ANY_TEXT)
def test_composed_and_decomposed_text_give_the_same_terms(text):
    assert analyze(unicodedata.normalize("NFC", text)) == analyze(unicodedata.normalize("NFD", text))


@given(ANY_TEXT, ANY_TEXT)
def test_terms_of_two_texts_are_the_terms_of_both_joined_by_a_space(first, second):
    assert analyze(f"{first} {second}") == analyze(first) + analyze(second)


@given(ANY_TEXT)
def test_a_query_asks_only_for_terms_its_own_text_is_indexed_under(text):
    terms = analyze_query(text)
    assert set(terms.content) | set(terms.stop) <= set(analyze(text))
    assert not set(terms.content) & set(terms.stop)


def test_terms_longer_than_the_limit_are_cut():
    assert analyze("x" * 100) == ["x" * 64]


def test_a_long_text_without_spaces_is_analyzed_in_linear_time():
    assert len(analyze("a.." * 200_000)) == 200_000


def test_importing_the_analyzer_loads_no_numpy():
    code = "import sys, recollect.text.analyze; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("question", "about_you"),
    [
        ("What did you recommend for the hall?", True),
        ("Can you remind me of the name?", True),
        ("Can you give me the link you mentioned?", True),
        ("I remember your advice on paint", True),
        ("Can you recommend a show for tonight?", False),
        ("Do you have any ideas?", False),
        ("COULD YOU list my trips in order?", False),
        ("What options would you suggest?", False),
        ("Do younger trees need water?", False),
    ],
)
def test_a_request_is_not_about_the_one_who_is_asked(question, about_you):
    assert bool({"you", "your"} & words_outside_requests(question)) is about_you
