"""Forgetting is reversible, by id and by filter, and can be looked at first."""

import pytest
from inspect_store import everything, texts

from recollect.errors import InvalidInput


@pytest.fixture
def told(mind):
    return mind.remember_many(
        [
            {"text": "Ada prefers dark mode", "kind": "preference", "tags": ["ui"]},
            {"text": "Bob prefers light mode", "kind": "preference", "namespace": "default/bob"},
            {"text": "The deploy runs on Tuesdays", "kind": "event"},
        ]
    )


def test_what_is_forgotten_is_not_recalled_listed_or_counted(mind, told):
    mind.forget(told[0].id)
    assert texts(mind.recall("dark mode", recipe="bm25")) == [told[1].text]
    assert told[0].text not in texts(mind.list())
    assert mind.namespaces() == {"default": 1, "default/bob": 1}
    assert mind.get(told[0].id).status == "forgotten"
    assert texts(mind.list(statuses=["forgotten"])) == [told[0].text]


def test_restoring_brings_it_back(mind, told):
    mind.forget(told[0].id)
    assert mind.restore(told[0].id) == told[0]
    assert told[0].text in texts(mind.recall("dark mode", recipe="bm25"))


def test_restoring_gives_the_status_it_had(mind, told):
    mind.supersede(told[0].id, told[1].id)
    mind.forget(told[0].id)
    assert mind.restore(told[0].id).status == "superseded"


def test_a_forgotten_near_duplicate_is_restored_as_a_duplicate(mind):
    mind.remember("Ada really prefers the dark mode in her editor at work")
    near = mind.remember("Ada really prefers the dark mode in her editor, at work!")
    mind.undo(mind.history(near.id)[0].id)
    assert mind.get(near.id).status == "forgotten"
    assert mind.restore(near.id).status == "consolidated"


def test_only_what_is_forgotten_can_be_restored(mind, told):
    with pytest.raises(InvalidInput, match="active"):
        mind.restore(told[0].id)


def test_forgetting_twice_is_forgetting_once(mind, told, path):
    mind.forget(told[0].id)
    before = everything(path)
    assert mind.forget(told[0].id) == []
    assert everything(path) == before


@pytest.mark.parametrize("call", ["forget", "purge"])
def test_a_preview_says_which_and_changes_nothing(mind, told, path, call):
    before = everything(path)
    assert set(texts(getattr(mind, call)(kinds=["preference"], preview=True))) == {told[0].text, told[1].text}
    assert texts(getattr(mind, call)(told[2].id, preview=True)) == [told[2].text]
    assert everything(path) == before


@pytest.mark.parametrize("call", ["forget", "purge"])
def test_a_filter_chooses_which(mind, told, call):
    chosen = getattr(mind, call)(kinds=["preference"], namespace="default/bob")
    assert texts(chosen) == [told[1].text]
    assert set(texts(mind.list())) == {told[0].text, told[2].text}
    assert getattr(mind, call)(tags=["no such tag"]) == []
    assert mind.check() == []


def test_forgetting_by_namespace_never_reaches_beside_it(mind, told):
    kept = mind.remember("beside", namespace="default2")
    assert len(mind.forget(namespace="default")) == 3
    assert mind.list(namespace="default2") == [kept]
