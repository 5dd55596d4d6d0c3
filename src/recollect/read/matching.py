"""Finds every memory that contains some words, for people who want to change or remove all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .. import checks
from ..errors import InvalidInput
from ..store.protocol import Store
from ..text.analyze import analyze_query
from ..types import FIELDS, VISIBLE, Memory
from .question import MOST_QUERY_CHARS, filter_of

MOST = 1_000
"""The most memories that one call returns."""


def matching(store: Store, own: str, words: str, filters: Mapping[str, Any], limit: int) -> list[Memory]:
    """The memories that contain all of these words, newest first. Forgotten ones only when `statuses` asks."""
    terms = analyze_query(checks.text(words, "words")[:MOST_QUERY_CHARS])
    within = filter_of(own, filters)
    within = within if within.statuses else replace(within, statuses=VISIBLE)
    if limit > MOST:
        raise InvalidInput(f"limit is at most {MOST:,}: narrow the words or the filters")
    wanted = terms.content or terms.stop
    if not wanted:
        raise InvalidInput("words has no letters or digits: give a word that the memories contain")
    found = store.search_text(wanted, (), within, match="all", fields=dict.fromkeys(FIELDS, 1.0), limit=limit)
    held = store.get([posting.memory_id for posting in found.postings], within)
    return sorted(held.values(), key=lambda memory: (memory.created_at, memory.id), reverse=True)[:limit]
