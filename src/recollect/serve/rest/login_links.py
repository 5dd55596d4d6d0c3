"""The first key, and links that open the page."""

from __future__ import annotations

from ...recollect import Recollect
from ..keys import Key, Keys
from .options import Options
from .sessions import Tickets, now

OWNER = "owner"


def first_key(mind: Recollect) -> tuple[Key, str] | None:
    """The owner's key, where no key opens anything yet."""
    keys = Keys(mind)
    if any(key.is_live(now()) for key in keys.list()):
        return None
    return keys.add(OWNER, namespace=mind.namespace, role="admin", trust="user")


def page_key(mind: Recollect) -> Key | None:
    """The key that a link to the page stands for: the owner's, or else the oldest that may do everything here."""
    live = [key for key in Keys(mind).list() if key.is_live(now()) and key.role == "admin"]
    fit = [key for key in live if key.caller().scope.admits(mind.namespace)]
    return min(fit, key=lambda key: (key.name != OWNER, key.created_at), default=None)


def link(mind: Recollect, options: Options, at: str) -> str | None:
    """A link that opens the page once; None where no key could stand behind it."""
    key = page_key(mind)
    return None if key is None else f"{at}/open?ticket={Tickets(mind, options.ticket_seconds).make(key)}"
