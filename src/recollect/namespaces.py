"""Paths such as `acme/agents/ada`: what lies below what."""

from __future__ import annotations

from collections.abc import Iterable


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
