"""docs/server.md lists all operations, statuses and limits."""

import re
from pathlib import Path

from recollect.serve.rest import answers
from recollect.serve.rest.options import Options
from recollect.serve.rest.problems import TITLES

PAGE = (Path(__file__).parents[3] / "docs/server.md").read_text(encoding="utf-8")


def rows(heading):
    section = PAGE.split(f"\n{heading}\n")[1].split("\n##")[0]
    return [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| ")]


def routes():
    for cell in rows("## REST"):
        method = ""
        for words in re.findall(r"`([^`]+)`", cell):
            method, path = words.split() if " " in words else (method, words)
            yield f"{method} {path}"


def test_the_page_lists_exactly_the_operations_of_the_document(server):
    paths = server.ask("GET", "/openapi.json", key=None).json["paths"]
    there = {f"{method.upper()} {path}" for path, operations in paths.items() for method in operations}
    assert set(routes()) == there


def test_the_page_explains_every_status():
    assert {int(cell.strip("| ")) for cell in rows("### Errors")[1:]} == TITLES.keys()


def test_the_page_states_the_limits_in_force():
    limits, text = Options(), " ".join(PAGE.split())
    assert f"at most {limits.most_body_bytes // 2**20} MiB" in text
    assert f"nested more than {limits.deepest_json} deep" in text
    assert f"{limits.requests_per_second:g} requests a second, and {limits.request_burst} at once" in text
    assert f"{limits.header_seconds:g} s to send the head" in text and f"{limits.body_seconds:g} s for its body" in text
    assert f"{limits.most_connections} connections" in text
    assert f"up to {limits.shutdown_seconds} s" in text


def test_a_recall_has_the_documented_form_and_shows_what_comes_nearest(server):
    server.ask("POST", "/v1/memories", {"text": "FERRY-E209 means that the ramp is stuck"})
    for question in ("what is FERRY-E209?", "what is FERRY-E208?"):
        found = answers.Recall.model_validate(server.ask("POST", "/v1/recall", {"query": question}).json)
        assert bool(found.hits) != bool(found.nearest)
    assert found.rejected == "FERRY-E208 occurs in no memory" and found.signals.unknown_codes == ["FERRY-E208"]
    assert found.nearest[0].memory.text.startswith("FERRY-E209") and found.nearest[0].earlier_than is None
    compared = server.ask("POST", "/v1/compare", {"query": "what is FERRY-E208?", "recipes": ["default"]}).json
    assert answers.Comparison.model_validate(compared).recalls["default"].nearest


def test_the_document_describes_what_comes_nearest(server):
    schemas = server.ask("GET", "/openapi.json", key=None).json["components"]["schemas"]
    recall = schemas["Recall-Output"]
    assert "nearest" in recall["required"] and "refused" in recall["properties"]["nearest"]["description"]
    assert "newer" in schemas["Hit"]["properties"]["earlier_than"]["description"]
