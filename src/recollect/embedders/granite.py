"""IBM granite-embedding-30m-english: the default, English, on this machine's processor."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..errors import EmbedderUnavailable

if TYPE_CHECKING:
    from .granite_run import Encoder
    from .protocol import Vectors

_LOADING = threading.Lock()


class Granite:
    name = "granite"
    # The revision is the model's; the last number counts changes to how we run it.
    fingerprint = "granite-embedding-30m-english@9b5b0964-int8-1"
    dim = 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dim), np.float32)
        with _LOADING:
            encoder = _encoder()
        return encoder.embed(texts)


@cache
def _encoder() -> Encoder:
    """One for the process, however many stores use it."""
    try:
        from . import granite_pack, granite_run
    except ImportError as error:
        raise EmbedderUnavailable(
            f"granite can't run ({error}); run: pip install --force-reinstall numpy onnxruntime tokenizers"
        ) from error
    return granite_run.Encoder(granite_pack.read())
