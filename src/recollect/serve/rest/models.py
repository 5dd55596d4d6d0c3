"""Loads the embedding model in the background. Requests that need it earlier wait for it."""

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

    def load_in_background(self) -> None:
        threading.Thread(target=self._load, name="recollect-model", daemon=True).start()

    def _load(self) -> None:
        found: State = "words only"
        try:
            self._mind.embedder.embed(["ready?"])
            found = "ready"
        except EmbedderUnavailable:
            pass  # the first request that needs the model gets this error
        finally:
            self.state = found
