import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.statement_marks import statement_marks

DIFFERENT = [
    ("limit is 100", "limit is 200"),
    ("limit is one", "limit is two"),
    ("Ada likes tea", "Bob likes tea"),
    ("ada likes tea", "bob likes tea"),
    ("I met Ada", "I met Bob"),
    ("he does smoke", "he does not smoke"),
    ("he smokes", "he never smokes"),
    ("I like tea, not coffee", "I like coffee, not tea"),
    ("I prefer tea to coffee", "I prefer coffee to tea"),
    ("Ada manages Bob", "Bob manages Ada"),
    ("A costs 5 and B costs 7", "A costs 7 and B costs 5"),
    ("my brother likes tea", "my sister likes tea"),
    ("I like tea", "she likes tea"),
    ("I love cilantro", "I hate cilantro"),
    ("the flag is enabled", "the flag is disabled"),
    ("meet on Monday", "meet on Tuesday"),
    ("rent is due in May", "rent is due in June"),
    ("100 requests per minute", "100 requests per hour"),
    ("ran 5 km", "ran 5 miles"),
    ("call /v2/exports", "call /v2/imports"),
    ("error E0427", "error E0428"),
    ("upgrade to v1.2.3", "upgrade to v1.2.4"),
    ("backup before migrating", "backup after migrating"),
    ("张伟喜欢喝茶", "李娜喜欢喝茶"),
    ("我喜欢茶", "我不喜欢茶"),
    ("我喜欢茶", "我讨厌茶"),
    ("限制是100", "限制是200"),
    ("我有两只猫", "我有三只猫"),
    ("周二开会", "周三开会"),
    ("我妈妈住在上海", "我爸爸住在上海"),
    ("我住在上海", "我住在北京"),
    ("茶比咖啡好", "咖啡比茶好"),
]
SAME = [
    ("Ada likes tea.", "Ada likes tea!"),
    ("I really like tea", "I like tea very much"),
    ("The rate limit is 1,000", "the rate limit is 1000"),
    ("I don't like coffee", "I do not like coffee"),
    ("I have two cats", "I have 2 cats"),
    ("I love hiking", "I enjoy hiking"),
    ("The theme is dark mode", "Theme: dark mode"),
    ("我有两只猫", "我有2只猫"),
    ("我喜欢喝茶", "我很喜欢喝茶"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_statements_that_differ_in_what_matters_have_different_marks(one, other):
    assert statement_marks(one) != statement_marks(other)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_rewording_keeps_the_statement_marks(one, other):
    assert statement_marks(one) == statement_marks(other)


@given(st.text(max_size=60), st.integers(0, 10**6), st.integers(0, 10**6))
def test_another_number_is_another_statement_marks(text, one, other):
    same = statement_marks(f"{text} {one}") == statement_marks(f"{text} {other}")
    assert not same or one == other or str(one) in text or str(other) in text


@given(st.text())
def test_marks_depend_on_nothing_but_the_text(text):
    assert statement_marks(text) == statement_marks(text)
