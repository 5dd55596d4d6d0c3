"""What holds for the call that runs now: whether a replica may answer it, and which namespace it is limited to.

A store on database servers reads this when it takes a connection. Other stores don't need it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from ..errors import StoreUnreachable

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
_is_reading: ContextVar[bool] = ContextVar("is_reading", default=False)
_scope: ContextVar[str | None] = ContextVar("scope", default=None)


def replicas_may_answer() -> bool:
    return _is_reading.get()


def scope() -> str | None:
    """The namespace that this call is limited to, with all below it; None without a limit."""
    return _scope.get()


def reads(call: Callable[P, R]) -> Callable[P, R]:
    """Marks a call that only reads. A replica may answer it. If a server is lost meanwhile, another one is asked."""

    @wraps(call)
    def read(*args: P.args, **kwargs: P.kwargs) -> R:
        before = _is_reading.set(True)
        try:
            try:
                return call(*args, **kwargs)
            except StoreUnreachable:
                return call(*args, **kwargs)
        finally:
            _is_reading.reset(before)

    return read


def answered_by_replicas(*names: str) -> Callable[[type[T]], type[T]]:
    """Marks methods of a class with `reads`."""

    def mark(cls: type[T]) -> type[T]:
        for name in names:
            setattr(cls, name, reads(getattr(cls, name)))
        return cls

    return mark


@contextmanager
def limited_to(namespace: str | None) -> Iterator[None]:
    """Limits what happens inside to a namespace, where the database has row security. None lifts the limit: for what
    the program itself has to know, such as whether an id belongs to somebody else."""
    before = _scope.set(namespace)
    try:
        yield
    finally:
        _scope.reset(before)


def limited_lines(namespace: str | None, lines: Iterator[str]) -> Iterator[str]:
    """Reads each line within `limited_to`: a generator runs after the call that made it."""
    line: str | None = ""
    while line is not None:
        with limited_to(namespace):
            line = next(lines, None)
        if line is not None:
            yield line
