"""An adapter whose package is missing says what to install."""

import tomllib
from pathlib import Path

import pytest
from inspect_store import python

from recollect.extras import install_command

ROOT = Path(__file__).parents[2]
ADAPTERS = [
    ("crewai", "crewai", "crewai"),
    ("langchain", "langchain_core", "langchain-core"),
    ("langgraph", "langgraph", "langgraph"),
    ("llama_index", "llama_index", "llama-index-core"),
    ("openai", "openai", "openai"),
    ("openai_agents", "agents", "openai-agents"),
    ("pydantic_ai", "pydantic_ai", "pydantic-ai-slim"),
]
MISSING = """
import sys
sys.modules[sys.argv[2]] = None
try:
    __import__("recollect.adapters." + sys.argv[1])
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(("module", "imported", "package"), ADAPTERS)
def test_a_missing_extra_gives_one_line_with_the_command(module, imported, package):
    said = python(MISSING, module, imported)
    extra = module.replace("_", "-")
    assert said == f"recollect.adapters.{module} needs the package {package}: run: {install_command(extra)}\n"


@pytest.mark.parametrize("module", [module for module, *_ in ADAPTERS])
def test_the_extra_that_is_named_exists(module):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert module.replace("_", "-") in extras
