"""OpenMem's suite: scenario files, and what is said when an answer differs from the document."""

from datetime import UTC, datetime

import pytest

from recollect.bench.openmem import study
from recollect.bench.openmem.play import play
from recollect.bench.openmem.scenario import load, scenario_files
from recollect.errors import InvalidInput

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def tiny():
    return {
        "name": "tiny",
        "about": "Two memories and a link.",
        "memories": [
            {"id": "a", "text": "The kiln is hot.", "days_ago": 10, "strength": 0.5, "confidence": 0.8},
            {"id": "b", "text": "Gloves are on the hook."},
        ],
        "links": [{"from": "a", "to": "b", "kind": "related", "weight": 0.6}],
        "questions": [
            {
                "q": "kiln",
                "first": "a",
                "found": ["b"],
                "hits": 2,
                "above": [["a", "b"]],
                "scores": {
                    "a": "0.5 * 1 + 0.2 * exp(-0.05 * 10) + 0.2 * 0.5 + 0.1 * 0.8",
                    "b": "0.5 * (1 * 0.6 * 0.5) + 0.2 + 0.2 + 0.1",
                },
            }
        ],
    }


@pytest.mark.parametrize("path", scenario_files(), ids=lambda path: path.stem)
def test_the_scenarios_of_the_package_come_out_as_the_document_says(path):
    checks = play(load(path), AT).checks
    assert checks and [(check.what, check.wanted, check.got) for check in checks if not check.right] == []


def test_the_suite_has_links_dates_status_and_entities():
    every = [load(path) for path in scenario_files()]
    assert len(every) >= 8
    assert any(one.edges for one in every) and any(one.supersedes for one in every)
    memories = [memory for one in every for memory in one.memories]
    assert any(memory.days_ago for memory in memories) and any("status" in memory.later for memory in memories)
    assert any("entities" in memory.fields for memory in memories)


def test_scores_worked_out_by_hand(file, tiny):
    checks = {check.what: check for check in play(load(file("tiny.json", tiny)), AT).checks}
    assert all(check.right for check in checks.values())
    assert checks["score of a"].got == "0.8013"  # 0.5 + 0.2 × 0.60653 + 0.1 + 0.08
    assert checks["score of b"].got == "0.6500"  # 0.5 × 0.3 + 0.5


def test_a_wrong_expectation_is_shown_with_both_values(file, tiny):
    asked = tiny["questions"][0]
    asked |= {"first": "b", "found": [], "absent": ["b"], "hits": 1, "above": [["b", "a"]], "scores": {"a": "0.9"}}
    checks = {
        check.what: (check.wanted, check.got, check.right) for check in play(load(file("t.json", tiny)), AT).checks
    }
    assert checks == {
        "first hit": ("b", "a", False),
        "order": ("b, a", "a, b", False),
        "number of hits": ("1", "2", False),
        "b is found": ("no", "yes", False),
        "score of a": ("0.9000", "0.8013", False),
    }


def test_the_constants_are_the_documents():
    table = study._constants(AT)
    assert {row[-1] for row in table.rows} == {"yes"} and len(table.rows) == 18


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"first": "c"}, "names 'c', which no memory has"),
        ({"scores": {"a": "open('x')"}}, "must be arithmetic"),
        ({"above": [["a"]]}, "must be two ids"),
    ],
)
def test_a_scenario_with_a_mistake_is_refused_in_one_line(file, tiny, change, reason):
    tiny["questions"][0] |= change
    with pytest.raises(InvalidInput, match=reason):
        load(file("tiny.json", tiny))


def test_a_weight_must_be_a_number(file, tiny):
    tiny["links"][0]["weight"] = "much"
    with pytest.raises(InvalidInput, match=r"links\[0\]\.weight must be a number"):
        load(file("tiny.json", tiny))
