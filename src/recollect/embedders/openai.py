"""Any server that speaks OpenAI's `/v1/embeddings`: OpenAI, Ollama, LM Studio, vLLM, TEI.

`openai:MODEL` asks api.openai.com, `openai:MODEL@http://host:port/v1` another server, and
`openai:MODEL@http://host:port/v1#1024` states the length of its vectors. Without it, one request is
needed to learn the length.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..errors import EmbedderUnavailable, InvalidInput
from ..http.openai_key import OPENAI, authorization
from ..http.request import ATTEMPTS, Busy, Server, Sleep, Unanswered, given_up, retried
from .encodable import encodable

if TYPE_CHECKING:
    from .protocol import Vectors

TIMEOUT_SECONDS = 60.0
BATCH = 128  # OpenAI accepts 2048 and TEI 32 by default; most local servers accept this
MAX_CHARACTERS = 32_768  # about OpenAI's 8192 tokens; a longer input would be refused
PROBE = "dimension"

_SPEC = re.compile(r"openai:(?P<model>[^#]+?)(@(?P<base>https?://[^#]+))?(#(?P<dim>[1-9]\d*))?")


def from_spec(spec: str) -> OpenAI:
    match = _SPEC.fullmatch(spec)
    if not match:
        raise InvalidInput(
            f"can't read the embedder {spec!r}: write openai:MODEL, openai:MODEL@http://host:port/v1 "
            "or openai:MODEL@http://host:port/v1#DIMENSION"
        )
    dim = int(match["dim"]) if match["dim"] else None
    return OpenAI(match["model"], match["base"] or OPENAI, dim)


class OpenAI:
    def __init__(
        self,
        model: str,
        base: str = OPENAI,
        dim: int | None = None,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        sleep: Sleep = time.sleep,
    ) -> None:
        self.model = model
        self.base = base.rstrip("/")
        self._stated_dim = dim
        self._dim = dim
        self._learning_dim = threading.Lock()
        self._timeout_seconds = timeout_seconds
        self._sleep = sleep

    @property
    def name(self) -> str:
        return f"openai:{self.model}@{self.base}{self._stated()}"

    @property
    def fingerprint(self) -> str:
        """Without the address: the same model on another server gives the same vectors."""
        return f"openai:{self.model}{self._stated()}"

    @property
    def dim(self) -> int:
        if self._dim is None:
            self.embed([PROBE])
        assert self._dim is not None  # embed sets it or raises
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dim), np.float32)
        batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
        return np.concatenate([self._embed_batch(batch) for batch in batches])

    def _embed_batch(self, texts: Sequence[str]) -> Vectors:
        payload = {"model": self.model, "input": [_sendable(text) for text in texts]}
        rows = self._unit_rows(self._vectors(self._post(payload), len(texts)))
        self._check_dim(rows.shape[1])
        return rows

    def _post(self, payload: object) -> bytes:
        try:
            headers = authorization(self.base)
            return retried(lambda _: self._server.post(payload, headers), ATTEMPTS, self._sleep)
        except Busy as error:
            raise EmbedderUnavailable(given_up(self._url, ATTEMPTS, error)) from error
        except Unanswered as error:
            raise EmbedderUnavailable(str(error)) from error

    @cached_property
    def _server(self) -> Server:
        return Server(self._url, self._timeout_seconds)

    @property
    def _url(self) -> str:
        return f"{self.base}/embeddings"

    def _vectors(self, body: bytes, count: int) -> list[list[float]]:
        """One vector per text, in the order of the texts. The reply may have another order."""
        try:
            by_index = {entry["index"]: entry["embedding"] for entry in json.loads(body)["data"]}
            return [by_index.pop(index) for index in range(count)]
        except (ValueError, KeyError, TypeError) as error:
            raise self._bad_reply(f"a reply without {count} numbered embeddings") from error

    def _unit_rows(self, vectors: list[list[float]]) -> Vectors:
        import numpy as np

        try:
            rows = np.array(vectors, np.float64)
        except (ValueError, TypeError) as error:
            raise self._bad_reply("vectors of different lengths, or not of numbers") from error
        if rows.ndim != 2 or not rows.size:
            raise self._bad_reply("embeddings that are not vectors")
        with np.errstate(over="ignore"):  # an overflow gives infinity, which is refused below
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise self._bad_reply("a vector without a direction")
        unit: Vectors = (rows / lengths).astype(np.float32)
        return unit

    def _check_dim(self, dim: int) -> None:
        with self._learning_dim:
            if self._dim is None:
                self._dim = dim
        if dim != self._dim:
            raise self._bad_reply(f"{dim} dimensions instead of {self._dim}")

    def _bad_reply(self, what: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"{self._url} gave {what} for the model {self.model!r}; "
            "check that the model makes embeddings and that the address is right"
        )

    def _stated(self) -> str:
        return f"#{self._stated_dim}" if self._stated_dim else ""


def _sendable(text: str) -> str:
    """OpenAI refuses an empty input, so an empty text is sent as a space."""
    return encodable(text, MAX_CHARACTERS) or " "
