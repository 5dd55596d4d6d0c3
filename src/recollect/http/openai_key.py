"""Which key goes to which server that speaks OpenAI's protocol?"""

from __future__ import annotations

import os

from .request import Unanswered

OPENAI = "https://api.openai.com/v1"


def authorization(base: str) -> dict[str, str]:
    """The header with the key for the server at `base`; none where no key is set.

    OPENAI_API_KEY is for OpenAI alone; RECOLLECT_OPENAI_KEY goes to whichever server is named.
    """
    key = os.environ.get("RECOLLECT_OPENAI_KEY", "")
    if not key and base == OPENAI:
        key = os.environ.get("OPENAI_API_KEY", "")
        if not key:
            raise Unanswered(f"{base} needs a key: set OPENAI_API_KEY or RECOLLECT_OPENAI_KEY")
    return {"Authorization": f"Bearer {key}"} if key else {}
