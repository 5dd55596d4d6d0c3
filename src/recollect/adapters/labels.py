"""Any text as one part of a namespace's path, and back."""

from __future__ import annotations

from urllib.parse import quote, unquote


def encoded(label: str) -> str:
    """A label as a part of a path. What a path can't have becomes `%` and hexadecimal digits; nothing becomes `%`."""
    inner = "".join(c if c.isprintable() and c not in "/%" else _percent(c) for c in label)
    if inner in (".", ".."):
        return inner.replace(".", "%2E")
    begin, end = len(inner) - len(inner.lstrip(" ")), len(inner.rstrip(" "))
    return "%20" * begin + inner[begin:end] + "%20" * (len(inner) - max(begin, end)) or "%"


def decoded(part: str) -> str:
    return "" if part == "%" else unquote(part, errors="surrogatepass")


def _percent(character: str) -> str:
    return quote(character, safe="", errors="surrogatepass")
