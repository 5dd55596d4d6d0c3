"""The part of a long text that a reader looks at."""

from __future__ import annotations

from collections.abc import Collection

from recollect.text.analyze import analyze
from recollect.text.sentences import sentences


def excerpt(text: str, words: Collection[str], most_chars: int) -> str:
    """The run of whole sentences, at most `most_chars` long, that holds the most of these words.

    A text that is short enough stays as it is. Of several such runs, the first is taken.
    """
    if len(text) <= most_chars:
        return text
    parts = list(sentences(text))
    held = [frozenset(analyze(part)).intersection(words) for _, part in parts]
    best, most = (0, most_chars), -1
    for first, (start, _) in enumerate(parts):
        last = _last(parts, first, most_chars)
        found = len(frozenset().union(*held[first : last + 1]))
        if found > most:
            best, most = (start, parts[last][0] + len(parts[last][1])), found
    return text[best[0] : min(best[1], best[0] + most_chars)].strip()


def _last(parts: list[tuple[int, str]], first: int, most_chars: int) -> int:
    """The number of the last sentence that fits into a run that begins with sentence `first`."""
    last = first
    while last + 1 < len(parts) and parts[last + 1][0] + len(parts[last + 1][1]) - parts[first][0] <= most_chars:
        last += 1
    return last


def pieces(text: str, most_chars: int) -> list[str]:
    """The text in runs of whole sentences of at most `most_chars`. A longer sentence is a piece of its own."""
    found: list[str] = []
    for _, sentence in sentences(text):
        if found and len(found[-1]) + len(sentence) <= most_chars:
            found[-1] += sentence
        else:
            found.append(sentence)
    return [piece.strip() for piece in found if piece.strip()] or [text]
