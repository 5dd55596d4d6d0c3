"""An adapter whose package is missing says what to install."""

import pytest
from inspect_store import python

ADAPTERS = [("langgraph", "langgraph", "langgraph")]
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
    line = f"recollect.adapters.{module} needs the package {package}: run: pip install 'recollect[{module}]'\n"
    assert python(MISSING, module, imported) == line
