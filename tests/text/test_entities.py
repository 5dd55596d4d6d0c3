import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.entities import MOST_ENTITIES, entities


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("Ada Lovelace moved to New York.", ("Ada Lovelace", "New York")),
        ("New York is big", ("New York",)),
        ("Ada likes tea", ("Ada",)),
        ("My sister Emma likes tea", ("Emma",)),
        ("Yesterday Bob called.", ("Bob",)),
        ("Remember the milk", ()),
        ("Running is fun. Great!", ()),
        ("I'm from the US and I don't know Ann's aunt", ("US", "Ann")),
        ("He studied at the University of Oslo", ("University of Oslo",)),
        ("Ada and Bob met Carl", ("Ada", "Bob", "Carl")),
        ("We saw Søren in Århus", ("Søren", "Århus")),
        ("THIS IS ALL SHOUTED TEXT", ()),
        ("on Monday in March", ("March",)),
        ("It was 20 May 2023, then 2023-06-01", ("20 May 2023", "2023-06-01")),
        ("I paid $1,200 for 5 km and 30%", ("$1,200", "5 km", "30%")),
        ("E0427 from POST /v2/exports", ("E0427", "POST", "/v2/exports")),
        ("set `pool_mode` via foo.bar() or --dry-run", ("pool_mode", "foo.bar()", "--dry-run")),
        ("see https://example.com/a?b=1.", ("https://example.com/a?b=1",)),
        ("mail ada@example.com, v1.2.3, 10.0.0.1", ("ada@example.com", "v1.2.3", "10.0.0.1")),
        ("fixed TICKET-123 in 3f2a9c1b with getUserName", ("TICKET-123", "3f2a9c1b", "getUserName")),
        ("我叫王小明，住在杭州", ("王小明", "杭州")),
        ("张伟喜欢喝茶", ("张伟",)),
        ("李老师在复旦大学工作", ("李老师", "复旦大学")),
        ("我看了《三体》，花了30元", ("三体", "30元")),
        ("周末马上去爬山很高兴", ()),
        ("tea, tea and more tea", ()),
        ("Ben saw Ben and BEN", ("Ben",)),
        ("", ()),
    ],
)
def test_what_a_text_mentions_is_found_in_order(text, mentioned):
    assert entities(text) == mentioned


def test_a_word_that_opens_a_sentence_counts_when_it_is_capitalised_elsewhere_too():
    assert "Kafka" in entities("Kafka for everything! We love Kafka.")
    assert "Kafka" not in entities("Kafka for everything!")


def test_a_long_list_is_cut_at_the_limit():
    assert len(entities(" and ".join(f"code_{number}" for number in range(100)))) == MOST_ENTITIES


@pytest.mark.parametrize("piece", ["12", "in-", "a.", "New ", "/x", "一", "_a", "a@", "Ab"])
def test_endless_repetition_is_read_in_linear_time(piece):
    assert len(entities(piece * 20_000)) <= MOST_ENTITIES


@given(st.text())
def test_entities_are_distinct_parts_of_the_text(text):
    found = entities(text)
    assert len(found) <= MOST_ENTITIES
    assert len({name.casefold() for name in found}) == len(found)
    assert all(name and name in text for name in found)
    assert entities(text) == found
