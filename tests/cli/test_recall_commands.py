"""recall and compare, and how an explanation is drawn."""

import json
import re

import pytest
from factories import hit, recall

from recollect import Recollect
from recollect.cli import show
from recollect.explanation import Explanation


@pytest.fixture
def year(shell, add):
    add("Ada prefers dark mode", "--kind", "preference", "--tag", "ui", "--at", "2026-01-05")
    add("Ada sails on Tuesdays", "--at", "2026-02-05", "--metadata", '{"boat": "Tern"}')
    add("Bob bakes sourdough bread", "--at", "2026-03-05")
    return shell


def test_a_hit_shows_rank_score_text_kind_day_and_whole_id(year):
    shown = year.done("recall", "dark mode", "--limit", "1")
    id = year.json("recall", "dark mode", "--no-track")["hits"][0]["memory"]["id"]
    assert re.match(r" 1\. \S+ +Ada prefers dark mode\n +preference · 2026-01-05 · " + id + " #ui", shown)


def test_the_query_may_come_from_stdin(year):
    assert year.json("recall", "-", stdin="dark mode\n")["query"] == "dark mode"


def test_json_is_the_whole_recall(year):
    recall = year.json("recall", "dark mode")
    assert {"id", "hits", "rejected", "confidence", "trace", "recipe"} <= recall.keys()
    assert recall["hits"][0]["explanation"]["value"] == recall["hits"][0]["score"]


def test_filters_reach_the_search(year):
    def texts(*filters):
        return [hit["memory"]["text"] for hit in year.json("recall", "Ada", "--recipe", "bm25", *filters)["hits"]]

    assert len(texts()) == 2
    assert texts("--kind", "preference") == texts("--tag", "ui") == ["Ada prefers dark mode"]
    assert texts("--where", '{"boat": "Tern"}') == texts("--since", "2026-02-01") == ["Ada sails on Tuesdays"]
    assert texts("--until", "2026-02-01") == ["Ada prefers dark mode"]
    assert len(texts("--limit", "1")) == 1


def test_also_searches_another_namespace(year):
    year.done("add", "Ada paints", "--namespace", "beside")
    asked = ("recall", "Ada", "--recipe", "bm25", "--no-track")
    assert len(year.json(*asked)["hits"]) == 2
    assert len(year.json(*asked, "--also", "beside")["hits"]) == 3


def test_what_was_superseded_is_found_when_asked_for(year, add):
    old, new = add("Ada lives in Porto", "--at", "2025-01-01"), add("Ada moved to Trieste", "--at", "2026-06-27")
    year.done("supersede", old, new)
    asked = ("recall", "Porto", "--recipe", "bm25", "--no-track")
    year.refused(1, *asked)
    assert year.json(*asked, "--as-of", "2026-01-01")["hits"][0]["memory"]["id"] == old
    assert year.json(*asked, "--include", "superseded")["hits"][0]["memory"]["id"] == old


def test_no_track_leaves_no_trace(year):
    id = year.json("recall", "dark mode", "--no-track")["hits"][0]["memory"]["id"]
    assert year.json("stats")["recalls"] == 0
    year.done("recall", "dark mode")
    assert year.json("stats")["recalls"] == 1
    assert year.json("get", id)["retrieval_count"] == 1


def test_what_is_not_in_memory_is_said_on_stderr_with_exit_1(year):
    assert "not in memory" in year.refused(1, "recall", "zebra quantum")
    result = year("recall", "zebra quantum", "--json")
    assert result.exit_code == 1 and '"rejected": "' in result.stdout


UNKNOWN = "does Ada prefer MODE-E208?"


def test_what_is_refused_is_followed_by_what_comes_nearest_with_its_score(year):
    result = year("recall", UNKNOWN)
    heading, first, about, *_ = result.stdout.splitlines()
    assert result.exit_code == 1 and heading == "probably not in memory; nearest:"
    assert re.match(r" 1\. [\d.]+ +Ada prefers dark mode", first) and "2026-01-05" in about
    assert result.stderr == "not in memory: MODE-E208 occurs in no memory\n"
    data = json.loads(year("recall", UNKNOWN, "--json").stdout)
    assert data["hits"] == [] and data["nearest"][0]["memory"]["text"] == "Ada prefers dark mode"
    assert "└──" in year("recall", UNKNOWN, "--explain").stdout


def test_the_published_recipes_show_nothing_beside_their_hits(year):
    assert year("recall", "zebra quantum", "--recipe", "memx").stdout == ""


def test_what_is_nearest_is_dim_where_there_is_colour(year, monkeypatch, capsys):
    monkeypatch.setattr(show, "styled", lambda text, colour=None, bold=False, dim=False: f"<{dim:d}>{text}")
    with Recollect(year.db) as mind:
        show.hits(mind.recall(UNKNOWN, track=False))
        show.hits(mind.recall("dark mode", limit=1, track=False))
    heading, near, _, *_, found, _ = capsys.readouterr().out.splitlines()
    assert heading == "<1>probably not in memory; nearest:" and near.startswith("<1> 1. ")
    assert found.startswith("<0> 1. ")


def test_an_earlier_value_says_which_hit_is_newer(capsys):
    newer, older = hit("new", text="I moved to Lyon"), hit("old", text="I live in Nantes", earlier_than="new")
    show.hits(recall(hits=(older, newer)))
    assert "fact · earlier, hit 2 is newer · " in capsys.readouterr().out.splitlines()[1]
    show.hits(recall(hits=(older,)))
    assert "fact · earlier, new is newer · " in capsys.readouterr().out.splitlines()[1]


def test_a_rejected_recall_still_explains_its_stages(year):
    result = year("recall", "zebra quantum", "--explain")
    assert result.exit_code == 1 and "route lexical" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("recall", ""), "empty"),
        (("recall", "x", "--limit", "0"), "at least 1"),
        (("recall", "x", "--recipe", "memxx"), "did you mean 'memx'"),
        (("recall", "x", "--recipe", "missing.toml"), "missing.toml"),
        (("recall", "x", "--where", "boat=Tern"), "--where is not JSON"),
        (("recall", "x", "--include", "gone"), "gone"),
        (("recall", "x", "--since", "2026-02-01", "--until", "2026-01-01"), "before"),
        (("compare", "x", "--recipe", "memxx"), "did you mean 'memx'"),
    ],
)
def test_bad_questions_are_refused_with_2(year, arguments, hint):
    assert hint in year.refused(2, *arguments)


@pytest.mark.parametrize("query", ['"', "*", "NEAR", "a AND -b", "the of", "!?", "🙂"])
def test_odd_questions_never_break(year, query):
    assert year("recall", query).exit_code in (0, 1)


def test_explain_draws_the_tree_with_bars_and_the_stages(year):
    shown = year.done("recall", "dark mode", "--explain", "--limit", "1")
    assert "└──" in shown and "█" in shown and "= lexical + vector" in shown
    assert "term_1" in shown and "dark" in shown
    assert "route lexical" in shown and "confidence" in shown


def test_a_recipe_file_is_used_by_its_path(year, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(year.done("recipes", "show", "bm25").replace('name = "bm25"', 'name = "mine"'), encoding="utf-8")
    assert year.json("recall", "dark mode", "--recipe", str(mine))["recipe"] == "mine"


def test_compare_has_a_column_per_recipe_and_says_what_differs(year):
    shown = year.done("compare", "dark mode", "--recipe", "bm25", "--recipe", "vector")
    assert re.search(r"memory +bm25 +vector", shown) and "bm25 and vector share" in shown
    assert set(year.json("compare", "dark mode")["recipes"]) >= {"default", "memx", "bm25", "vector"}
    assert year.json("stats")["recalls"] == 0


def test_compare_shows_what_comes_nearest_to_a_recipe_that_refuses(year):
    shown = year.done("compare", UNKNOWN, "--recipe", "bm25", "--recipe", "default").splitlines()
    at = shown.index("default: probably not in memory; nearest:")
    assert shown[at - 1] == "default: MODE-E208 occurs in no memory"
    assert re.match(r"  [\d.]+ +Ada prefers dark mode", shown[at + 1])
    refused = year.json("compare", UNKNOWN)["recipes"]
    assert refused["default"]["nearest"][0]["text"] == "Ada prefers dark mode" and refused["bm25"]["nearest"] == []
    assert year("compare", UNKNOWN, "--recipe", "default").exit_code == 1


def test_compare_names_its_columns_by_letters_where_there_is_no_room(year):
    shown = year.done("compare", "dark mode")
    assert "a default · b " in shown and all(len(line) <= 80 for line in shown.splitlines())


def test_bars_are_shares_of_the_score():
    from recollect.cli.draw import bar, shares_of

    parts = (Explanation("lexical", 3.0), Explanation("vector", 1.0), Explanation("best", 2.0))
    node = Explanation("score", 2.0, "(lexical + vector) / best", parts)
    assert shares_of(node) == {"lexical": 0.75, "vector": 0.25, "best": 0.0}
    assert (bar(1.0), bar(0.5), bar(0.0), bar(0.5, ascii_only=True)) == ("█" * 12, "█" * 6, "", "######")
