"""Ids and digests."""

from __future__ import annotations

import os
import threading
import time
import unicodedata
from hashlib import blake2b

_lock = threading.Lock()
_last_ms = 0
_counter = 0


def new_id() -> str:
    """A UUIDv7 (RFC 9562): sorts by time, and within a millisecond of one process by order of making."""
    global _last_ms, _counter
    with _lock:
        now = time.time_ns() // 1_000_000
        if now > _last_ms:
            # start low, so that there is room to count up
            _last_ms, _counter = now, int.from_bytes(os.urandom(2)) & 0x07FF
        else:
            _counter += 1
            if _counter > 0x0FFF:
                _last_ms, _counter = _last_ms + 1, 0
        ms, counter = _last_ms, _counter
    random = int.from_bytes(os.urandom(8)) & ((1 << 62) - 1)
    digits = f"{(ms << 80) | (0x7 << 76) | (counter << 64) | (0b10 << 62) | random:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def digest(text: str) -> bytes:
    """Equal for texts that differ only in case, spacing and Unicode form."""
    same = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return blake2b(same.encode(), digest_size=16).digest()
