"""The tests that LangGraph's and LangChain's packages publish for their own stores and for retrievers, on ours.

LangGraph's are in its source packages, which `make test-adapters` downloads. They run as they are, with our store in
the place of theirs. docs/langgraph.md says why some can't pass.
"""

import os
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

PACKAGES = Path(sys.prefix) / "published"
OURS = Path(__file__).parent / "published"
SCORES = "asks for the cosines of a test embedder"
STORES = {
    "langgraph_checkpoint-4.3.2": (
        "from langgraph.store.memory import InMemoryStore",
        {
            "test_vector_search_with_filters": SCORES,
            "test_async_vector_search_with_filters": SCORES,
            "test_embed_with_path": SCORES,
        },
    ),
    "langgraph_checkpoint_sqlite-3.1.2": (
        "from langgraph.store.sqlite import SqliteStore",
        {
            "test_vector_search_with_filters": SCORES,
            "test_embed_with_path": SCORES,
            "test_embed_with_path_operation_config": SCORES,
            "test_scores": SCORES,
            "test_vector_store_initialization": "looks at the settings of a test embedder",
            "test_filter_keys_with_hyphens_and_digits": "a dot in a filter's key is a path there",
            "test_sql_injection_vulnerability": "a key with quotes is an error there, and a key that no item has here",
        },
    ),
}


def results(folder, file):
    """Test → whether it passed. They run apart: they need plugins and settings of their own."""
    (folder / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        "pytest.ini",
        "-q",
        "-p",
        "no:cacheprovider",
        "--junitxml=found.xml",
        str(file),
    ]
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(OURS), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    cases = ElementTree.parse(folder / "found.xml").iter("testcase")
    return {case.get("name"): case.find("failure") is None and case.find("error") is None for case in cases}


@pytest.mark.parametrize("package", STORES)
def test_the_store_passes_the_published_tests_but_those_that_the_guide_names(tmp_path, package):
    archive = PACKAGES / f"{package}.tar.gz"
    if not archive.exists():
        pytest.skip("needs LangGraph's source packages: make test-adapters")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    theirs, different = STORES[package]
    folder = tmp_path / package
    tests = (folder / "tests" / "test_store.py").read_text(encoding="utf-8")
    assert tests.count(theirs) == 1
    ours = f"from stores import {theirs.rpartition(' ')[2]}"
    (folder / "tests" / "test_store.py").write_text(tests.replace(theirs, ours), encoding="utf-8")
    found = results(folder, "tests/test_store.py")
    assert len(found) > 100
    assert {name.partition("[")[0] for name, passed in found.items() if not passed} == different.keys()


@pytest.mark.skipif(find_spec("langchain_tests") is None, reason="needs langchain-tests: make test-adapters")
def test_the_retriever_passes_langchains_standard_tests(tmp_path):
    found = results(tmp_path, OURS / "retriever_suite.py")
    assert len(found) > 4 and all(found.values())
