"""Reserves standard input and output for the protocol. All other output, also of C libraries, goes to stderr."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Pipes:
    """The file descriptors of the client's two pipes."""

    incoming: int
    outgoing: int


def claim() -> Pipes:
    """Takes over descriptors 0 and 1. Afterwards 1 is stderr, and 0 is empty."""
    sys.stdout.flush()
    pipes = Pipes(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # started without stderr
        os.dup2(nothing, 1)
    os.close(nothing)
    return pipes
