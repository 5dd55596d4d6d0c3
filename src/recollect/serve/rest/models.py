"""Loads the embedding model in the background, and what a first recall reads."""

from __future__ import annotations

import logging
import threading
from typing import Literal

from ...errors import EmbedderUnavailable, RecollectError
from ...recollect import Recollect

State = Literal["loading", "ready", "words only"]
JOIN_SECONDS = 5.0
logger = logging.getLogger("recollect")


class Model:
    def __init__(self, mind: Recollect) -> None:
        self._mind = mind
        self._thread = threading.Thread(target=self._load, name="recollect-model", daemon=True)
        self.state: State = "loading"

    def load_in_background(self) -> None:
        self._thread.start()

    def join(self) -> None:
        """Waits some seconds for the thread, which reads the store."""
        self._thread.join(JOIN_SECONDS)

    def _load(self) -> None:
        found: State = "words only"
        try:
            self._mind.embedder.embed(["ready?"])
            found = "ready"
        except EmbedderUnavailable:
            pass  # the first request that needs the model gets this error
        finally:
            self.state = found
        if found == "ready" and not self._mind.embedder.name.startswith("openai:"):
            self._ask()

    def _ask(self) -> None:
        """So that nobody's first question waits for sketches, posting lists and the reader."""
        try:
            self._mind.recall("ready?", track=False)
        except RecollectError as error:
            logger.warning("%s", error)
