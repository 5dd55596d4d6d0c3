"""Cursors: opaque marks of where the next page of a list begins. They are signed, so that nobody can forge one."""

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
        """A cursor that continues after an id. It is valid only for the list that `of` names."""
        return urlsafe_b64encode(self._tag(of, after.encode()) + after.encode()).decode().rstrip("=")

    def read(self, of: str, cursor: str | None) -> str | None:
        """The id that a cursor continues after; None without a cursor."""
        if cursor is None:
            return None
        try:
            found = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except ValueError:
            found = b""
        tag, after = found[:_TAG_BYTES], found[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(of, after)):
            raise Refused(
                400,
                "this cursor belongs to another list: send the `next` of the page before, or no cursor to start again",
            )
        return after.decode()

    def _tag(self, of: str, after: bytes) -> bytes:
        return hmac.digest(self._secret, of.encode() + b"\0" + after, sha256)[:_TAG_BYTES]
