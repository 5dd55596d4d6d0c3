"""The keywords of `list`, `forget`, `purge`, `archive` and `update`."""

from inspect import signature

import pytest
from inspect_store import texts

from recollect.checks.keywords import Fields, Filters
from recollect.errors import UnknownName
from recollect.read.question import filter_from
from recollect.write.changes.revise import PARSERS


def test_the_typed_keywords_are_those_that_are_taken():
    assert set(Filters.__annotations__) == {"namespace", *signature(filter_from).parameters}
    assert set(Fields.__annotations__) == set(PARSERS)


@pytest.fixture
def held(mind):
    return mind.remember_many(
        [
            {"text": "Ada prefers dark mode", "kind": "preference", "tags": ["ui", "ada"]},
            {"text": "Bob drinks tea at four", "kind": "habit", "tags": ["tea"]},
        ]
    )


@pytest.mark.parametrize("chosen", [{"kinds": "preference"}, {"tags": "ui"}, {"tags": ["ui", "ada"]}])
def test_one_string_is_a_list_of_one(mind, held, chosen):
    assert texts(mind.list(**chosen)) == texts(mind.recall("Ada or Bob", recipe="bm25", **chosen)) == [held[0].text]
    assert texts(mind.archive(**chosen)) == [held[0].text]
    assert texts(mind.list(tiers="archived")) == [held[0].text]
    assert texts(mind.recall("Ada", recipe="bm25", include="archived")) == [held[0].text]
    assert texts(mind.forget(**chosen)) == [held[0].text]
    assert texts(mind.purge(statuses="forgotten")) == [held[0].text]


def test_none_empties_a_field_and_what_is_not_given_stays(mind, held):
    changed = mind.update(held[0].id, expires_at="2030-01-01", source="a letter")
    after = mind.update(held[0].id, expires_at=None, tags=None)
    assert (after.expires_at, after.tags, after.source, after.kind) == (None, (), "a letter", changed.kind)


def test_an_unknown_keyword_is_named_with_a_better_one(mind, held):
    for call in (mind.list, mind.forget, mind.purge, mind.archive):
        with pytest.raises(UnknownName, match="'kinds'"):
            call(kind="fact")
    with pytest.raises(UnknownName, match="'importance'"):
        mind.update(held[0].id, importanc=0.3)
