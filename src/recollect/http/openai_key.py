"""Which API key is sent to a server with an OpenAI-compatible API?"""

from __future__ import annotations

import os

from .request import Unanswered

OPENAI = "https://api.openai.com/v1"


def authorization(base: str) -> dict[str, str]:
    """The header with the key for the server at `base`; empty if no key is set.

    OPENAI_API_KEY is sent only to OpenAI. RECOLLECT_OPENAI_KEY is sent to any server.
    """
    key = os.environ.get("RECOLLECT_OPENAI_KEY", "")
    if not key and base == OPENAI:
        key = os.environ.get("OPENAI_API_KEY", "")
        if not key:
            raise Unanswered(f"{base} needs a key: set OPENAI_API_KEY or RECOLLECT_OPENAI_KEY")
    return {"Authorization": f"Bearer {key}"} if key else {}
