"""The first key, and one-time links that sign a browser in.

A link is kept in the store, hashed, so that `recollect serve --link` can make one for a server that is running. It
holds the id of its key, so it stops working when that key is revoked.
"""

from __future__ import annotations

import secrets
from datetime import timedelta

from ...errors import Unauthorized
from ...recollect import Recollect
from ..keys import Key, Keys
from ..records import LoginLink
from ..storage import ServerStorage
from .options import Options
from .sessions import digest_of, now

OWNER = "owner"


class LoginLinks:
    """One-time links, each valid for some minutes."""

    def __init__(self, storage: ServerStorage, seconds: int) -> None:
        self._storage, self._seconds = storage, seconds

    def make(self, key: Key) -> str:
        """The token of a new link that signs in with this key."""
        token, at = secrets.token_urlsafe(32), now()
        link = LoginLink(key.id, at + timedelta(seconds=self._seconds))
        self._storage.put_login_link(digest_of(token), link, at)
        return token

    def redeem(self, token: str) -> str:
        """The id of the key the link was made for. The link can't be used again."""
        found = self._storage.take_login_link(digest_of(token), now())
        if found is None:
            raise Unauthorized("this link was used before or has expired: `recollect serve --link` makes a new one")
        return found.key_id


def first_key(mind: Recollect) -> tuple[Key, str] | None:
    """Makes the owner's key and returns it with its token; None if a valid key exists already."""
    keys = Keys(mind)
    if any(key.is_live(now()) for key in keys.list()):
        return None
    return keys.add(OWNER, namespace=mind.namespace, role="admin", trust="user")


def page_key(mind: Recollect) -> Key | None:
    """The key for links to the page: the owner's, else the oldest admin key for this namespace."""
    live = [key for key in Keys(mind).list() if key.is_live(now()) and key.role == "admin"]
    fit = [key for key in live if key.caller().scope.admits(mind.namespace)]
    return min(fit, key=lambda key: (key.name != OWNER, key.created_at), default=None)


def link(mind: Recollect, options: Options, at: str) -> str | None:
    """A link that opens the page once, for the server at that address; None if there is no key for it."""
    key = page_key(mind)
    if key is None:
        return None
    return f"{at}/open?ticket={LoginLinks(ServerStorage(mind), options.login_link_seconds).make(key)}"
