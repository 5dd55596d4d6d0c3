"""Where a list goes on: opaque to clients, and signed, so that nobody can ask what lies after another's id."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

from .problems import Refused

_TAG_BYTES = 16


class Cursors:
    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def make(self, of: str, after: str) -> str:
        """A cursor of a list (its name, with whatever it must not be used across) that goes on after an id."""
        return urlsafe_b64encode(self._tag(of, after.encode()) + after.encode()).decode().rstrip("=")

    def read(self, of: str, cursor: str | None) -> str | None:
        if cursor is None:
            return None
        try:
            found = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except ValueError:
            found = b""
        tag, after = found[:_TAG_BYTES], found[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(of, after)):
            raise Refused(400, "the cursor is none of this list's: pass on what `next` said, or none to begin anew")
        return after.decode()

    def _tag(self, of: str, after: bytes) -> bytes:
        return hmac.digest(self._secret, of.encode() + b"\0" + after, sha256)[:_TAG_BYTES]
