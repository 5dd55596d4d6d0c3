"""What happens to open stores and loaded models when the process forks.

A child inherits connections that belong to its parent. SQLite's locks are not inherited, but SQLite in the child
believes that it holds them; a connection to PostgreSQL is a socket that both would write to. So a child gives up what
it inherited before it opens anything. Models have threads, which a child does not inherit, so it loads them again.
"""

from __future__ import annotations

import os
import threading
from typing import Any, Protocol
from weakref import WeakKeyDictionary, WeakSet

WAIT_SECONDS = 5.0


class Forked(Protocol):
    def disown(self) -> None:
        """Called in the child: gives up what belongs to the parent, without touching the file or the server."""


_open: WeakKeyDictionary[Forked, Any] = WeakKeyDictionary()
"""The open stores, each with the lock of its writer."""
_with_threads: WeakSet[object] = WeakSet()
_held = threading.local()
_pid = os.getpid()


def watch(opened: Forked, lock: Any = None) -> None:  # noqa: ANN401 - the type of a lock has no public name
    """Calls `disown` after a fork. A fork waits for the lock, so that no child inherits half a transaction."""
    _open[opened] = lock


def watch_threads(owner: object) -> None:
    """A child never collects this object: its destructor would wait for threads that the child does not have."""
    _with_threads.add(owner)


def notice() -> None:
    """Gives up what belongs to the parent, if this process is a child that has not done so. Called before each use,
    because a fork in C code calls no hook of Python's."""
    global _pid
    if _pid != os.getpid():
        _pid = os.getpid()
        for owner in list(_with_threads):
            abandon(owner)
        for opened in list(_open):
            opened.disown()


def abandon(thing: object) -> None:
    """Keeps an object of the parent for ever, so that its destructor never runs here, not even at the end."""
    import ctypes  # only a forked child needs it

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _before() -> None:
    # a lock that can't be had is left: the child then refuses to use that store
    locks = [lock for lock in list(_open.values()) if lock is not None]
    _held.locks = [lock for lock in locks if lock.acquire(timeout=WAIT_SECONDS)]


def _after_in_parent() -> None:
    for lock in _held.locks:
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=notice)
