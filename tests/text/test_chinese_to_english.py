import hashlib
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.embedders import load
from recollect.text.chinese_to_english import translate_chinese

DATA = files("recollect.text")


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("猫喝牛奶", "cat drink milk"),
        ("貓喝牛奶", "cat drink milk"),
        ("這個電腦壞了，要修。", "this computer bad/broken , want/need repair ."),
        ("他的电脑，蓝色。", "he computer , blue ."),
        ("研究生命起源", "research life origin"),  # not 研究生 "graduate student", 命
        ("用tokio-console看", "use tokio-console look/watch"),
        ("他爱吃醋", "he love jealous"),  # an idiom in its meaning, not "eat vinegar"
    ],
)
def test_each_word_becomes_what_mostly_stands_for_it(chinese, english):
    assert translate_chinese(chinese) == english


@pytest.mark.parametrize("text", ["", "no Chinese, “café”", "東京タワーに行った", "한국어", "  two  spaces "])
def test_what_is_not_chinese_stays(text):
    assert translate_chinese(text) == text


def test_characters_of_no_list_stay():
    assert translate_chinese("㐀㐁") == "㐀 㐁"


def test_a_book_of_one_word_takes_no_time():
    assert len(translate_chinese("长" * 5_000_000)) < 50_000


@given(st.text(alphabet="我你的猫研究生命题目一二三ab ，。\n"))
def test_nothing_of_another_script_is_lost(text):
    for letters in ("a", "b"):
        assert translate_chinese(text).count(letters) >= text.count(letters)


def test_the_list_has_each_word_once_with_english_of_a_few_words():
    lines = DATA.joinpath("glosses.tsv").read_text(encoding="utf-8").splitlines()
    words, glosses = zip(*(line.split("\t") for line in lines), strict=True)
    assert len(set(words)) == len(words) > 30_000
    assert all(word and not word.isascii() and len(word) <= 8 for word in words)
    assert all(gloss.isascii() and 1 <= len(gloss.replace("/", " ").split()) <= 8 for gloss in glosses)


def test_traditional_characters_become_simplified_ones_that_stay():
    pairs = dict(line.split("\t") for line in DATA.joinpath("traditional.tsv").read_text("utf-8").splitlines())
    assert len(pairs) > 2_000
    assert not set(pairs) & set(pairs.values())
    assert all(len(side) == 1 for pair in pairs.items() for side in pair)


def test_the_fingerprint_names_the_lists_that_vectors_depend_on():
    lists = b"".join(DATA.joinpath(name).read_bytes() for name in ("glosses.tsv", "traditional.tsv"))
    assert load("recollect-30m").fingerprint.endswith(f"+glosses@{hashlib.sha256(lists).hexdigest()[:8]}")


def test_recollect_30m_knows_a_paraphrase_in_chinese():
    notes = ["陈医生让我每天走半小时", "电脑密码写在蓝色本子里", "周五和小李去看电影"]
    rows = load("recollect-30m").embed(["大夫叫我怎么锻炼？", "我的登录口令在哪儿？", "周末看片约了谁？", *notes])
    assert (rows[:3] @ rows[3:].T).argmax(axis=1).tolist() == [0, 1, 2]


def test_recollect_30m_reads_chinese_like_its_english_whatever_it_stands_beside():
    embedder = load("recollect-30m")
    rows = embedder.embed(["dogs in the park", "猫喝牛奶", "a cat drinks milk"])
    assert rows[1] == pytest.approx(embedder.embed(["猫喝牛奶"])[0], abs=1e-6)
    assert rows[0] == pytest.approx(embedder.embed(["dogs in the park"])[0], abs=1e-6)
    assert np.dot(rows[1], rows[2]) > 0.85 > np.dot(rows[0], rows[1]) + 0.2
