"""Standard input and output for the protocol alone. Whatever else prints, in whatever language, prints to stderr."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Pipes:
    """The two descriptors that the client holds the other ends of."""

    incoming: int
    outgoing: int


def claim() -> Pipes:
    """Takes them over: from here on descriptor 1 is stderr, and 0 is empty."""
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
