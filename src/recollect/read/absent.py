"""Why a recall found nothing, if the namespace is empty or has no memory of the kinds that were asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

from ..types import Filter

_MOST_NAMED = 8
_PLAIN_KIND = re.compile(r"\w[\w-]{0,31}")
"""A writer can choose any text as a kind. One that is not a plain word is not repeated to the caller."""


def why(asked: Filter, is_empty: bool, kinds: Mapping[str, int]) -> str | None:
    """The reason, with the kinds that there are and how many memories have each. None if it is another reason."""
    if is_empty:
        return f"nothing is stored in {' or '.join(map(repr, asked.namespaces))}"
    if not asked.kinds or any(kind in kinds for kind in asked.kinds):
        return None
    return _other_kinds(asked.kinds[0], kinds)


def _other_kinds(kind: str, counts: Mapping[str, int]) -> str:
    plain = {name: number for name, number in counts.items() if _PLAIN_KIND.fullmatch(name)}
    often = sorted(plain.items(), key=lambda each: (-each[1], each[0]))[:_MOST_NAMED]
    near = get_close_matches(kind, plain, n=1)
    suggested = f"did you mean {near[0]!r}? " if near else ""
    known = ", ".join(f"{name} ({number:,})" for name, number in often) or "others"
    return f"no memory has the kind {kind!r}: {suggested}there are {known}"
