"""Paths such as `acme/agents/ada`: what lies below what, and any text as one part of a path."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, unquote


def is_within(path: str, above: str) -> bool:
    """Whether a namespace is that one or below it."""
    return f"{path}/".startswith(f"{above}/")


def common(paths: Iterable[str]) -> str:
    """The nearest namespace that all of these are in; the first of them where even their tenants differ."""
    listed = list(paths)
    shared = listed[0].split("/")
    for path in listed[1:]:
        parts = path.split("/")
        agreeing = (one == other for one, other in zip(shared, parts, strict=False))
        shared = shared[: next((n for n, same in enumerate(agreeing) if not same), min(len(shared), len(parts)))]
    return "/".join(shared) or listed[0]


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
