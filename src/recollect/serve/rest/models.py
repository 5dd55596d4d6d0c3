"""Whether the embedding model is there yet. It is loaded beside the first requests, which wait for it if they must."""

from __future__ import annotations

import threading
from typing import Literal

from ...errors import EmbedderUnavailable
from ...recollect import Recollect

State = Literal["loading", "ready", "words only"]


class Model:
    def __init__(self, mind: Recollect) -> None:
        self._mind = mind
        self.state: State = "loading"

    def load_beside(self) -> None:
        threading.Thread(target=self._load, name="recollect-model", daemon=True).start()

    def _load(self) -> None:
        found: State = "words only"
        try:
            self._mind.embedder.embed(["ready?"])
            found = "ready"
        except EmbedderUnavailable:
            pass  # the first request that needs it says so
        finally:
            self.state = found
