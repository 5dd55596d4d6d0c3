"""The codes in a question: order numbers, tickets, versions, error codes."""

from __future__ import annotations

from recollect.text.analyze import analyze
from recollect.text.identifiers import find_identifiers
from recollect.text.names import find_names


def code_terms(question: str) -> tuple[str, ...]:
    """The search term of each code as a whole.

    FERRY-E209 says nothing about FERRY-E208, although they share a part.
    """
    written = [text for _, text in (*find_names(question), *find_identifiers(question)) if any(map(str.isdigit, text))]
    return tuple(dict.fromkeys(term for text in written for term in analyze(text)[:1]))
