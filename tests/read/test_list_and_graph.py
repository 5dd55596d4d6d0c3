"""Lists of memories in both orders, and who is named together."""

import pytest

from recollect.errors import InvalidInput, UnknownName


@pytest.fixture
def days(mind):
    return [mind.remember(f"Ada rowed on day {day}", at=f"2026-03-0{day}", dedup=False).text for day in range(1, 8)]


def test_a_list_is_newest_first_or_oldest_first(mind, days):
    assert [memory.text for memory in mind.list()] == days[::-1]
    assert [memory.text for memory in mind.list(order="oldest")] == days


def test_a_list_continues_in_its_order(mind, days):
    first = mind.list(order="oldest", limit=3)
    rest = mind.list(order="oldest", after=first[-1].id)
    assert [memory.text for memory in (*first, *rest)] == days


@pytest.mark.parametrize("order", ["id", "", None, 3])
def test_another_order_is_refused(mind, order):
    with pytest.raises((InvalidInput, UnknownName)):
        mind.list(order=order)


def test_an_amount_is_no_name_in_the_graph(mind):
    mind.remember("Folake offered £425,000 to Tunde", entities=["Folake", "Tunde", "£425,000", "2026"])
    assert [node.name for node in mind.graph("Folake").nodes] == ["Tunde"]


def test_a_code_with_letters_stays_in_the_graph(mind):
    mind.remember("Folake reported BRK-2291", entities=["Folake", "BRK-2291"])
    assert [node.name for node in mind.graph("Folake").nodes] == ["BRK-2291"]
