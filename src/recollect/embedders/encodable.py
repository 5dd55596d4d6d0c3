"""Prepares a text for a tokenizer."""

from __future__ import annotations


def encodable(text: str, max_characters: int) -> str:
    """The first `max_characters` of a text. Lone surrogates, which UTF-8 can't encode, become question marks."""
    return text[:max_characters].encode("utf-8", "replace").decode("utf-8")
