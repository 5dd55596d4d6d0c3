"""Which embedder turns text into vectors?

`load` is cheap: no model, and not even numpy, is imported before the first `embed`.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import UnknownName
from .protocol import Embedder

__all__ = ["DEFAULT", "MULTILINGUAL", "Embedder", "load", "names"]

DEFAULT = "recollect-30m"
MULTILINGUAL = "recollect-multilingual"
"""Used if many memories are in languages that the default does not read."""


def load(name: str) -> Embedder:
    """The embedder of that name; `openai:MODEL@URL` names one behind a server."""
    kind, colon, _ = name.partition(":")
    if colon and kind == "openai":
        return _openai(name)
    if name not in _BUILT_IN:
        raise UnknownName("embedder", name, names())
    return _BUILT_IN[name]()


def names() -> tuple[str, ...]:
    """Every name `load` takes; the last is a pattern."""
    return (*_BUILT_IN, "openai:MODEL@URL")


def _granite() -> Embedder:
    from .granite import Granite

    return Granite()


def _recollect_30m() -> Embedder:
    from .granite import Recollect30M

    return Recollect30M()


def _hashing() -> Embedder:
    from .hashing import Hashing

    return Hashing()


def _multilingual() -> Embedder:
    from .multilingual import Multilingual

    return Multilingual()


def _recollect_multilingual() -> Embedder:
    from .recollect_multilingual import RecollectMultilingual

    return RecollectMultilingual()


def _openai(spec: str) -> Embedder:
    from .openai import from_spec

    return from_spec(spec)


_BUILT_IN: dict[str, Callable[[], Embedder]] = {
    "recollect-30m": _recollect_30m,
    "granite": _granite,
    "hashing": _hashing,
    "multilingual": _multilingual,
    MULTILINGUAL: _recollect_multilingual,
}
