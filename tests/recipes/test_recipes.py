"""Every recipe as a whole, through the façade."""

import math
from pathlib import Path

import pytest
from factories import NOW, days_ago, memory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import Recollect, errors, recipes
from recollect.read.rank import recency
from recollect.recipes import names, toml
from recollect.recipes.recipe import Lexical, Recency

NAMES = ("aingram bm25 braindb braindb-keyword braindb-semantic memsense memweave memx openmem siestai vector").split()
NEED_VECTORS = {"braindb-semantic", "siestai", "vector"}


def mind(**arguments):
    return Recollect(":memory:", **{"embedder": "hashing", **arguments})


def test_all_recipes_are_there_ours_first():
    assert names() == ("default", "default-fast", *NAMES)


@pytest.mark.parametrize("name", names())
def test_every_recipe_answers_on_an_empty_store(name):
    with mind() as empty:
        found = empty.recall("anything at all", recipe=name)
    assert found.hits == ()
    assert found.rejected == "nothing is stored in 'default'"
    assert found.confidence == 0.0


@pytest.mark.parametrize("name", names())
def test_every_recipe_finds_the_only_memory(name):
    with mind() as one:
        stored = one.remember("Ada prefers dark mode in every editor", at=days_ago(1))
        found = one.recall("Ada prefers dark mode in every editor", recipe=name, at=NOW)
    assert [hit.memory.id for hit in found.hits] == [stored.id]
    assert found.hits[0].explanation.recompute() == pytest.approx(found.hits[0].score)


@pytest.mark.parametrize("name", names())
def test_every_recipe_works_by_words_when_there_are_no_vectors(name, without_model):
    with pytest.warns(UserWarning, match="words only"):
        without_model.remember("Ada prefers dark mode")
    found = without_model.recall("dark mode", recipe=name)
    if name in NEED_VECTORS:
        assert found.hits == ()
        assert "no embedder" in found.rejected
    elif name == "memweave":
        assert found.hits == ()  # its threshold drops what only words found
    else:
        assert len(found.hits) == 1


@pytest.fixture
def without_model():
    class Missing:
        name, fingerprint, dim = "missing", "missing/1", 8

        def embed(self, texts):
            raise errors.EmbedderUnavailable("the model is not installed")

    with mind(embedder=Missing()) as made:
        yield made


@pytest.mark.parametrize("name", names())
def test_every_recipe_understands_a_question_in_chinese(name):
    with mind() as chinese:
        chinese.remember("婆婆对花生过敏，做菜不要放花生酱")
        chinese.remember("The deployment window opens on Thursday evening")
        found = chinese.recall("婆婆对花生过敏", recipe=name)
    assert found.hits[0].memory.text.startswith("婆婆")


@pytest.fixture(scope="module")
def ten_thousand():
    with mind() as big:
        big.remember_many(
            [
                {"text": f"note {n} about {'pooling' if n % 2 else 'billing'} case {n * 7919}", "dedup": False}
                for n in range(10_000)
            ]
        )
        yield big


@pytest.mark.parametrize("name", names())
def test_every_recipe_answers_over_ten_thousand_memories(name, ten_thousand):
    found = ten_thousand.recall("note 4711 about pooling case 37306409", recipe=name, limit=5, track=False)
    assert found.hits[0].memory.text.startswith("note 4711 ")


TEXTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from("tea coffee pool mode export billing retry 茶 咖啡".split()), min_size=1, max_size=6),
        st.floats(0, 1),
        st.sampled_from(["active", "superseded", "contradicted"]),
        st.integers(0, 90),
    ),
    min_size=1,
    max_size=10,
)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.floats(0, 1)), max_size=6))
def test_explanations_recombine_to_the_score_for_every_recipe_on_random_stores(texts, edges):
    with mind() as store:
        stored = store.remember_many(
            [
                {"text": f"{' '.join(words)} {n}", "importance": importance, "at": days_ago(age), "dedup": False}
                for n, (words, importance, _, age) in enumerate(texts)
            ]
        )
        for memory, (_, _, status, _) in zip(stored, texts, strict=True):
            if status != "active":
                store.update(memory.id, status=status)
        for a, b, weight in edges:
            if a != b and max(a, b) < len(stored):
                kind = "contradicts" if weight > 0.5 else "related"
                store.link(stored[a].id, stored[b].id, kind, weight)
        for name in names():
            for hit in store.recall("tea pool 咖啡 billing", recipe=name, at=NOW, limit=10, track=False).hits:
                for node in hit.explanation.walk():
                    assert node.recompute() == pytest.approx(node.value, abs=1e-9), (name, node)


@settings(deadline=None, max_examples=20)
@given(st.sampled_from(["R1", "R2", "R3", "R4", "R5", "confidence"]), st.integers(1, 30), st.floats(0.1, 0.9))
def test_rejecting_never_depends_on_the_limit(rule, limit, tau):
    base = recipes.load("default" if rule == "confidence" else "memx")
    recipe = toml.from_dict(toml.to_dict(base) | {"reject": {"rule": rule, "tau": tau}})
    outcomes = set()
    for asked in (1, limit):
        found = SHARED.recall("who drinks coffee at the harbour", recipe=recipe, limit=asked, at=NOW, track=False)
        outcomes.add(found.rejected)
    assert len(outcomes) == 1


SHARED = mind()
SHARED.remember_many(
    [
        {"text": f"{who} drinks {what} at {where}"}
        for who in ("Ada", "Bob", "Chen")
        for what in ("coffee", "tea", "water")
        for where in ("home", "the harbour", "work")
    ]
)


# The published systems, by hand ---------------------------------------------------------------------


def test_openmem_s_whole_sum_by_hand():
    with mind(recipe="openmem") as store:
        hit = store.remember("pgbouncer pool", at=days_ago(14), confidence=0.8)
        linked = store.remember("nightly export stalls", at=days_ago(0))
        store.link(hit.id, linked.id, "related", 0.6)
        found = store.recall("pgbouncer", at=NOW, track=False)
    scores = {h.memory.id: h.score for h in found.hits}
    assert scores[hit.id] == pytest.approx(0.5 * 1 + 0.2 * math.exp(-0.7) + 0.2 * 1 + 0.1 * 0.8)
    assert scores[linked.id] == pytest.approx(0.5 * (1 * 0.6 * 0.5) + 0.2 * 1 + 0.2 * 1 + 0.1 * 1)


def test_openmem_shows_superseded_and_contradicted_memories_with_their_multipliers():
    with mind(recipe="openmem") as store:
        old = store.remember("Ada lives in Porto", at=days_ago(9))
        new = store.remember("Ada lives in Trieste", at=days_ago(1))
        wrong = store.remember("Ada lives in Oslo", at=days_ago(5))
        store.supersede(old.id, new.id)
        store.update(wrong.id, status="contradicted")
        found = {h.memory.id: h for h in store.recall("where Ada lives", at=NOW).hits}
    assert found[old.id].explanation.find("status").value == 0.5
    assert found[wrong.id].explanation.find("status").value == 0.3
    assert max(found.values(), key=lambda hit: hit.score).memory.id == new.id


def test_openmem_counts_a_recall_as_an_access_and_memx_as_a_retrieval():
    with mind() as store:
        stored = store.remember("Ada prefers dark mode")
        store.recall("dark mode", recipe="openmem")
        store.recall("dark mode", recipe="memx")
        (after,) = store.list()
    assert stored.id == after.id
    assert (after.access_count, after.retrieval_count) == (1, 1)


def test_openmem_reinforces_to_one_and_decays_once_for_one_moment():
    with mind(recipe="openmem") as store:
        stored = store.remember("Ada prefers dark mode", at=days_ago(10))
        assert store.decay(at=NOW) == 1
        assert store.decay(at=NOW) == 0
        (faded,) = store.list()
        assert faded.strength == pytest.approx(math.exp(-0.01 * 10))
        for _ in range(3):
            store.reinforce(stored.id)
        assert store.list()[0].strength == 1.0


def test_siestai_s_sum_is_half_cosine_three_tenths_importance_two_tenths_recency():
    with mind(recipe="siestai") as store:
        store.remember("the team deploys on Thursdays", importance=0.9, at=days_ago(7))
        question = "when does the team deploy"
        vectors = store.embedder.embed(["the team deploys on Thursdays", question])
        (hit,) = store.recall(question, at=NOW, track=False).hits
    cosine = float(vectors[0] @ vectors[1])
    assert hit.score == pytest.approx(0.5 * cosine + 0.3 * 0.9 + 0.2 * math.exp(-0.35), abs=1e-3)


def test_siestai_asks_agent_and_team_together_and_no_other_agent():
    with mind(recipe="siestai", namespace="acme/agents/ada") as store:
        store.remember("deploys happen on Thursday", namespace="acme/team")
        store.remember("deploys need two reviewers")
        store.remember("deploys are secret", namespace="acme/agents/bob")
        found = store.recall("deploys", namespaces=["acme/agents/ada", "acme/team"])
    assert {hit.memory.namespace for hit in found.hits} == {"acme/agents/ada", "acme/team"}


def test_memx_rejects_a_far_off_question_and_names_the_rule():
    with mind(recipe="memx") as store:
        store.remember("Ada drinks her coffee without sugar")
        found = store.recall("Which medieval king granted Magna Carta?")
    assert found.hits == ()
    assert found.rejected.startswith(("R1: ", "nothing found"))


def test_memx_accepts_a_keyword_match_however_low_the_similarity():
    with mind(recipe="memx") as store:
        store.remember("the retry failure of the billing run gives error code E0427 since the switch of vendors")
        found = store.recall("E0427")
    assert found.signals.keyword_match
    assert len(found.hits) == 1


def test_memsense_sizes_its_pools_as_printed():
    recipe = recipes.load("memsense")
    assert {route.depth.of(4) for route in recipe.routes} == {64}
    assert recipe.fuse.keep.of(4) == 32
    assert {route.depth.of(20) for route in recipe.routes} == {160}
    assert len(recipe.routes) == 8


def test_memsense_adds_a_tenth_of_the_memory_score_and_brings_neighbouring_turns():
    turns = ["my sister Maya visits in May", "she loves the botanical garden", "we booked the night train"]
    with mind(recipe="memsense") as store:
        store.remember_many(
            [
                {"text": text, "session_id": "s1", "turn": n, "granularity": "turn", "importance": 0.5}
                for n, text in enumerate(turns)
            ]
        )
        found = store.recall("botanical garden", limit=1)
    (hit,) = found.hits
    relevance = hit.explanation.find("relevance").value
    assert relevance == pytest.approx(2 / 16)  # first of the lexical and of the full-text route
    assert hit.score == pytest.approx(relevance + 0.1 * 0.5)
    assert [m.text for m in hit.neighbours] == [turns[0], turns[2]]


def test_memweave_multiplies_the_merge_by_its_half_life():
    with mind(recipe="memweave") as store:
        store.remember("the billing export stalls at night", at=days_ago(30))
        (hit,) = store.recall("the billing export stalls at night", at=NOW).hits
    merged = hit.explanation.find("relevance").value
    assert hit.score == pytest.approx(merged * 0.5)


def test_aingram_reaches_a_memory_only_the_entity_graph_knows():
    with mind(recipe="aingram") as store:
        named = store.remember("the launch slipped", entities=["Harbour Atlas"])
        cause = store.remember("connectors corroded in sea water")
        store.link(named.id, cause.id, "caused_by", 0.9)
        for n in range(40):
            store.remember(f"unrelated remark number {n} on gardening and soup")
        found = store.recall("Harbour Atlas", limit=5, at=NOW)
    assert {hit.memory.id for hit in found.hits if "graph" in hit.routes} == {named.id, cause.id}


def test_braindb_s_other_modes_have_one_route_each_and_its_own_score():
    """Finding F12."""
    keyword, semantic = recipes.load("braindb-keyword"), recipes.load("braindb-semantic")
    assert [type(route) for route in keyword.routes] == [Lexical]
    assert keyword.factors == semantic.factors == recipes.load("braindb").factors
    with mind() as store:
        store.remember("ship on Fridays", kind="decision", at=NOW)
        words, meaning = (store.recall("ship Fridays", recipe=recipe, at=NOW).hits[0] for recipe in (keyword, semantic))
    assert words.explanation.find("raw").value * 1.3 == pytest.approx(words.score)
    assert meaning.explanation.find("raw").note == "cosine"
    assert meaning.explanation.find("raw").value * 1.3 == pytest.approx(meaning.score)


def test_half_lives_may_differ_by_kind():
    how = Recency(since="created", half_life_days=30.0, half_life_days_by_kind={"decision": 90.0})
    held = memory(kind="decision", created_at=days_ago(90)), memory(created_at=days_ago(90))
    assert [recency(each, how, NOW).value for each in held] == [0.5, 0.125]
    with pytest.raises(errors.InvalidRecipe, match="half_life_days_by_kind needs half_life_days"):
        Recency(since="created", rate_per_day=0.1, half_life_days_by_kind={"decision": 90.0})


# Recipes as data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", names())
def test_a_recipe_survives_toml(name):
    assert toml.loads(toml.dumps(recipes.load(name))) == recipes.load(name)


def test_a_changed_recipe_is_used_from_a_file(tmp_path):
    changed = tmp_path / "mine.toml"
    changed.write_text(toml.dumps(recipes.load("openmem")).replace('name = "openmem"', 'name = "mine"'))
    with mind() as store:
        store.remember("Ada prefers dark mode")
        assert store.recall("dark mode", recipe=changed).recipe == "mine"
        assert store.recall("dark mode", recipe=str(changed)).recipe == "mine"


def spoilt(change):
    data = toml.to_dict(recipes.load("memx"))
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda d: d.update(fues={}), "fues"),
        (lambda d: d["fuse"].update(k=-1), "recipe.fuse: k must be between 0"),
        (lambda d: d["fuse"].update(k="sixty"), "recipe.fuse.k must be a float"),
        (lambda d: d["routes"][0].update(b=1.5), "b must be between 0 and 1"),
        (lambda d: d["routes"][0]["fields"].update(titel=1.0), "titel"),
        (lambda d: d["routes"][0].update(type="lexikal"), "did you mean 'lexical'"),
        (lambda d: d["routes"].clear(), "at least one"),
        (lambda d: d["factors"]["add"][1].pop("half_life_days"), "exactly one of"),
        (lambda d: d["reject"].update(rule="R9"), "rule must be one of"),
        (lambda d: d.pop("name"), "recipe.name is missing"),
        (lambda d: d.update(routes="lexical"), "must be a list"),
        (lambda d: d["fuse"].update(weights={"nobody": 1.0}), "nobody"),
    ],
)
def test_a_bad_recipe_is_refused_with_the_field_named(change, named):
    with pytest.raises(errors.InvalidRecipe, match=named):
        toml.from_dict(spoilt(change))


def test_a_file_that_is_not_toml_or_not_there_is_refused_with_its_name(tmp_path):
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    wide = tmp_path / "wide.toml"
    wide.write_text(toml.dumps(recipes.load("default")), encoding="utf-16")
    for path in (broken, wide, tmp_path / "absent.toml"):
        with pytest.raises(errors.InvalidRecipe, match=path.name):
            recipes.load(path)


def test_a_byte_order_mark_is_passed_over(tmp_path):
    path = tmp_path / "marked.toml"
    path.write_text(toml.dumps(recipes.load("default")), encoding="utf-8-sig")
    assert recipes.load(path) == recipes.load("default")


def test_an_unknown_recipe_is_refused_with_the_nearest_name():
    with pytest.raises(errors.UnknownName, match="did you mean 'memx'"):
        recipes.load("memex")


def test_another_recipe_takes_one_short_file_and_no_change_elsewhere(monkeypatch):
    folder = Path(__file__).parent / "extra"
    assert len((folder / "freshest.py").read_text().splitlines()) < 80
    monkeypatch.setattr(recipes, "__path__", [*recipes.__path__, str(folder)])
    assert "freshest" in recipes.names()
    with mind() as store:
        store.remember("the export runs at nine", at=days_ago(9))
        newest = store.remember("the export runs at ten", at=days_ago(1))
        found = store.recall("the export runs at", recipe="freshest", at=NOW)
        assert "freshest" in store.compare("export").recalls
    assert found.hits[0].memory.id == newest.id
