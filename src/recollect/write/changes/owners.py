"""What another writer may do with memories of the owner, and who a changed memory is from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import Forbidden
from ...types import Memory
from ..screening.quarantine import OWNER, SAID
from ..stamp import Stamp
from .surroundings import ABSENT

if TYPE_CHECKING:
    from .leaving import Leaving


def check_pinned(memories: Iterable[Memory], stamp: Stamp) -> None:
    """Refuses changes of the owner's pinned memories by others: these are part of every prompt."""
    for memory in memories:
        if is_protected(memory, stamp):
            raise Forbidden(
                f"{memory.id} is pinned by the owner: only the owner can change it. Store a new memory instead, "
                "or ask the owner to unpin it"
            )


def check_leaving(plan: Leaving, stamp: Stamp) -> None:
    """Refuses what would also remove or hide a pinned memory of the owner. Its own date may let it expire."""
    if plan.verb != "expire":
        hidden = [before for before, after in plan.changed if after.status in ABSENT]
        check_pinned([*plan.going.values(), *hidden], stamp)


def is_protected(memory: Memory, stamp: Stamp) -> bool:
    """Whether the owner has pinned it and the writer is somebody else."""
    return stamp.trust != OWNER and memory.tier == "pinned" and memory.trust == OWNER


def restamped(before: Memory, after: Memory, stamp: Stamp) -> Memory:
    """The memory with the name and trust class of the writer who has changed what it says.

    A change beside the text lowers the trust and never raises it: nobody has vouched for the text.
    """
    if stamp.origin is None or not any(getattr(before, name) != getattr(after, name) for name in SAID):
        return after
    if stamp.trust == OWNER and before.trust != OWNER and before.text == after.text:
        return after
    return replace(after, origin=stamp.origin, trust=stamp.trust)
