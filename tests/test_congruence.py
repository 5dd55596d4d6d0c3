"""Both stores give the same answers: the same ids in the same order, whatever is asked, in every recipe."""

import os
import random
from itertools import cycle

import pytest
from inspect_store import texts

from recollect import Recollect, recipes
from recollect.store.copying import copy
from recollect.types import LINK_KINDS

pytest_plugins = ["server_fixtures", "partition_fixtures"]
PLACES = ["database", "spread_database"] if os.environ.get("RECOLLECT_TEST_PARTITIONS") == "whole" else ["database"]
"""On one server, and on three when asked for: that takes some minutes."""

NOW = "2026-11-01T12:00:00Z"
QUESTIONS = 300
SCORE = 1e-4
TIE = 1e-7
"""Float arithmetic in another order: nearer than this, two scores are the same."""

_made = random.Random(3)


def _words(known, syllables):
    """Some words that mean something, and many more of the same sort."""
    more = {"".join(_made.choices(syllables.split(), k=_made.randint(2, 3))) for _ in range(150)}
    return [*known.split(), *sorted(more)]


LANGUAGES = (
    _words("Ada Berlin deploy E0427 pool_mode coffee dark mode prefers likes moved", "ta re lin mo der ca sti por n"),
    _words("Größe Straße Überweisung Büro Kaffee mag zieht Schlüssel Prüfung", "grö ße über schlü mä ken ler dorf t"),
    _words("他喜欢咖啡 数据库 延迟 备份 会议 星期二 客户 付款 上海 搬家", "错 误 缓 存 审 查 密 钥 部 署 服 务 器"),
)
NAMES = [word.title() for word in _words("Ada Grete Bo Li Ömer", "da ri jo ma ne lu ki sa ö")][:80]
PATHS = ("acme", "acme/agents/ada", "acme/agents/bob", "acme/team", "other/x")
TAGS = ("ui", "ops", "größe", "票")
KINDS = ("fact", "preference", "event", "procedure")
QUESTION_WORDS = ("what is", "who", "when did", "why does the", "", "wo ist", "什么")


def _text(chosen):
    words = chosen.choices(chosen.choice(LANGUAGES), k=chosen.randint(3, 12))
    return " ".join([*words, str(chosen.randint(1, 60))])


def _item(chosen):
    return {
        "text": _text(chosen),
        "kind": chosen.choice(KINDS),
        "tags": chosen.sample(TAGS, k=chosen.randint(0, 2)),
        "gist": _text(chosen) if chosen.random() < 0.2 else None,
        "entities": chosen.sample(NAMES, k=chosen.randint(0, 2)),
        "importance": round(chosen.random(), 2),
        "metadata": {"team": chosen.choice(["core", "Core", 3]), "n": chosen.randint(0, 9)},
        "namespace": chosen.choice(PATHS),
        "session_id": chosen.choice([None, "s1", "s2"]),
        "at": f"2026-{chosen.randint(1, 9):02d}-{chosen.randint(1, 28):02d}T08:00:00Z",
        "expires_at": "2026-10-01" if chosen.random() < 0.05 else None,
    }


def _filled(mind, chosen):
    """A memory that has lived: links, repetitions, updates, forgetting, conversations."""
    made = mind.remember_many(_item(chosen) for _ in range(700))
    ids = [memory.id for memory in made if memory.merged_into is None]
    for _ in range(200):
        a, b = chosen.sample(ids, k=2)
        mind.link(a, b, chosen.choice(LINK_KINDS), round(chosen.random(), 2))
    for old, new in zip(ids[:20], ids[20:40], strict=True):
        mind.supersede(old, new)
    for id in ids[40:50]:
        mind.forget(id)
    for id in ids[50:60]:
        mind.update(id, text=_text(chosen))
    mind.ingest(
        [{"role": role, "content": _text(chosen)} for role in ("user", "assistant") * 10],
        session_id="talk",
        at="2026-09-01",
        namespace="acme/agents/ada",
    )
    for _ in range(20):
        mind.recall(_text(chosen), namespace="acme")


def _question(chosen):
    words = chosen.choices(chosen.choice(LANGUAGES), k=chosen.randint(1, 5))
    if chosen.random() < 0.3:
        words.append(chosen.choice(NAMES))
    query = " ".join([chosen.choice(QUESTION_WORDS), *words]).strip()
    if chosen.random() < 0.2:
        one, other = (" ".join(chosen.sample(chosen.choice(LANGUAGES), k=3)) for _ in range(2))
        query = f"Which came first, the {one} or the {other}?"
    more = [
        {},
        {"kinds": chosen.sample(KINDS, k=2)},
        {"tags": [chosen.choice(TAGS)]},
        {"where": {"team": "core"}},
        {"where": {"n": {"gte": chosen.randint(0, 9)}, "team": {"icontains": "CORE"}}},
        {"since": "2026-03-01", "until": "2026-08-01"},
        {"as_of": "2026-05-01"},
        {"include": ["archived", "superseded"]},
        {"session_id": "s1"},
        {"granularity": "session"},
    ]
    return {
        "query": query,
        "namespaces": chosen.sample(PATHS, k=chosen.randint(1, 3)),
        "limit": chosen.choice([1, 5, 20]),
        "at": NOW,
        "track": False,
        **chosen.choice(more),
    }


@pytest.fixture(params=PLACES)
def both(request, path):
    with (
        Recollect(request.getfixturevalue(request.param), embedder="hashing") as there,
        Recollect(path, embedder="hashing") as here,
    ):
        _filled(there, random.Random(7))
        copy(there._store, here._store, lambda count: None)
        yield there, here


def _only_ties_swapped(one, other):
    assert len(one.hits) == len(other.hits)
    for a, b in zip(one.hits, other.hits, strict=True):
        assert abs(a.score - b.score) <= SCORE
        if a.memory.id != b.memory.id:
            tied = {hit.memory.id for hit in other.hits if abs(hit.score - a.score) <= TIE}
            # what ties with the last may have been cut off
            assert a.memory.id in tied or abs(a.score - one.hits[-1].score) <= TIE
    return [hit.memory.id for hit in one.hits] == [hit.memory.id for hit in other.hits]


def test_both_stores_give_the_same_answers_in_every_recipe(both):
    there, here = both
    chosen = random.Random(11)
    same = found = compared = 0
    for recipe, _ in zip(cycle(recipes.names()), range(QUESTIONS), strict=False):
        asked = _question(chosen)
        one, other = (mind.recall(recipe=recipe, **asked) for mind in both)
        assert one.rejected == other.rejected, (recipe, asked)
        assert abs(one.confidence - other.confidence) <= SCORE, (recipe, asked)
        same += _only_ties_swapped(one, other)
        found += len(one.hits)
        compared += any(step.stage == "side" for step in one.trace)
        assert [h.neighbours for h in one.hits] == [h.neighbours for h in other.hits] or texts(one) != texts(other)
    assert same >= QUESTIONS - 3 and found > 3 * QUESTIONS and compared > 3
    assert there.check() == here.check() == []
