"""IBM granite-embedding-30m-english on this machine's processor, as it comes and as `recollect-30m`, the default."""

from __future__ import annotations

import os
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
        return _loaded(self.name).embed(texts)


class Recollect30M(Granite):
    """Granite with our adapter in its weights: the same cost, made for questions about memories.

    Chinese is put into English words first, and read with an adapter of its own.
    """

    name = "recollect-30m"
    fingerprint = f"{Granite.fingerprint}+recollect-30m@0013d1bf+chinese@d8bd5cc0+glosses@50086513"

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        from ..text.chinese_to_english import translate_chinese

        read = [translate_chinese(text) for text in texts]
        chinese = [n for n, text in enumerate(texts) if read[n] is not text]
        if not chinese:
            return super().embed(read)
        rows = np.empty((len(texts), self.dim), np.float32)
        rows[chinese] = _loaded(f"{self.name}-chinese").embed([read[n] for n in chinese])
        others = [n for n, text in enumerate(texts) if read[n] is text]
        rows[others] = super().embed([read[n] for n in others])
        return rows


def _loaded(name: str) -> Encoder:
    with _LOADING:
        return _encoder(name)


@cache
def _encoder(name: str) -> Encoder:
    """One for the process, however many stores use it."""
    _keep_runtime_silent()
    try:
        from . import adapter, granite_pack, granite_run
    except ImportError as error:
        raise EmbedderUnavailable(
            f"granite can't run ({error}); run: pip install --force-reinstall numpy onnxruntime tokenizers"
        ) from error
    pack = granite_pack.read()
    return granite_run.Encoder(pack if name == Granite.name else adapter.adapted(pack, f"{name}.npz"))


def _keep_runtime_silent() -> None:
    """New releases of onnxruntime report each process to Microsoft, unless this is set before they are imported."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
