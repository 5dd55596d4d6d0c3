"""Recipe files of the version before still load. `before/` holds the ten recipes as that version wrote them."""

from dataclasses import replace
from pathlib import Path

import pytest

from recollect import errors, recipes
from recollect.recipes import aliases, toml

BEFORE = Path(__file__).parent / "before"
DEFAULT = (BEFORE / "default.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(path.stem for path in BEFORE.glob("*.toml")))
def test_a_file_of_the_version_before_gives_todays_recipe(name):
    old, today = recipes.load(BEFORE / f"{name}.toml"), recipes.load(name)
    published = ("pack", "reject", "routes", "spread", "write")  # where they did not follow their documents
    changed: tuple[str, ...] = published
    if name == "default":
        changed = (
            "conflicts",
            "diversify",
            "factors",
            "fuse",
            "pack",
            "past_questions",
            "read",
            "reject",
            "search_archived",
            "split_topics",
            "write",
        )
    old = replace(old, **{field: getattr(today, field) for field in changed})
    assert replace(old, cite=today.cite) == today


def test_what_is_written_holds_no_old_name():
    written = toml.to_dict(recipes.load("default"))
    assert aliases.with_current_names(written) == written


def test_every_alias_leads_to_a_name_that_exists():
    parts = {**toml._choices(toml.hints(toml.Recipe)["fuse"]), "recipe": toml.Recipe}
    for field in ("routes", "spread"):
        parts |= toml._choices(toml.hints(toml.Recipe)[field].__args__[0])
    parts |= toml._choices(toml.hints(type(recipes.load("default").factors))["add"].__args__[0])
    assert set(aliases.TYPES.values()) <= parts.keys()
    for kind, renames in aliases.FIELDS_OF_TYPE.items():
        assert set(renames.values()) <= toml.hints(parts[kind]).keys()
        assert not renames.keys() & toml.hints(parts[kind]).keys()


def test_a_changed_value_under_an_old_name_is_used():
    changed = toml.loads(DEFAULT.replace("doubt = 0.5", "doubt = 0.25").replace("deeper = 3", "deeper = 2"))
    assert changed.fuse.routes["lexical"].coverage_exponent == 0.25
    assert changed.group.depth_multiplier == 2


def test_a_value_out_of_range_is_refused_under_its_new_name():
    with pytest.raises(errors.InvalidRecipe, match="coverage_exponent must be between 0 and 1"):
        toml.loads(DEFAULT.replace("doubt = 0.5", "doubt = 1.5"))


def test_an_old_and_a_new_name_of_one_setting_are_refused_together():
    with pytest.raises(errors.InvalidRecipe, match="deeper is the old name of depth_multiplier"):
        toml.loads(DEFAULT.replace("deeper = 3", "deeper = 3\ndepth_multiplier = 2"))


def test_a_route_or_an_embedder_may_be_called_by_an_old_name():
    data = toml.to_dict(recipes.load("vector"))
    data["routes"][0]["name"] = "then"
    data["fuse"] = {
        "type": "score_sum",
        "routes": {"then": {"scale": "raw"}},
        "by_embedder": {"flat": {"then": 2.0}},
        "flat": {"k": 0.1},
    }
    made = toml.from_dict(data)
    assert made.fuse.weight("then", "flat") == 2.0
    assert made.fuse.rank_fusion_below_range == {"k": 0.1}


def test_a_route_over_a_time_window_keeps_a_name_that_was_chosen():
    made = toml.loads(
        DEFAULT.replace('name = "then"', 'name = "then_and_there"').replace(
            "[fuse.routes.then]", "[fuse.routes.then_and_there]"
        )
    )
    assert [route.name for route in made.routes] == ["lexical", "vector", "then_and_there"]


@pytest.mark.parametrize("broken", [{"routes": 3}, {"fuse": "sum"}, {"factors": []}, {"spread": [1]}, {"group": 1}])
def test_what_is_not_shaped_like_a_recipe_is_refused_by_its_field(broken):
    with pytest.raises(errors.InvalidRecipe, match=f"recipe.{next(iter(broken))}"):
        toml.from_dict(toml.to_dict(recipes.load("bm25")) | broken)
