"""Long-term memory for AI agents that you own."""

from . import errors
from .explanation import Explanation
from .recipes import Recipe
from .recollect import Recollect
from .types import Event, Hit, Link, Memory, Recall

__version__ = "0.1.0"
__all__ = ["Event", "Explanation", "Hit", "Link", "Memory", "Recall", "Recipe", "Recollect", "__version__", "errors"]
