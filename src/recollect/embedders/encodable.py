"""What of a text does a tokenizer get to see?"""

from __future__ import annotations


def encodable(text: str, max_characters: int) -> str:
    """The start of the text; lone surrogates, which UTF-8 can't hold, become question marks."""
    return text[:max_characters].encode("utf-8", "replace").decode("utf-8")
