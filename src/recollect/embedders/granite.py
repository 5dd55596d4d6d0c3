"""IBM granite-embedding-30m-english on the CPU: unchanged, and with our adapter as `recollect-30m`, the default."""

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
    # The model's revision. The last number changes when we change how the model runs.
    fingerprint = "granite-embedding-30m-english@9b5b0964-int8-1"
    dim = 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dim), np.float32)
        return _loaded(self.name).embed(texts)


class Recollect30M(Granite):
    """Granite with our adapter in its weights: the same cost, trained for questions about memories.

    Chinese is first translated to English word by word, and then read with a second adapter.
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
        return _encoder(name, os.getpid())


@cache
def _encoder(name: str, _process: int) -> Encoder:
    """Loaded once per process and shared by all stores. A forked child does not have the threads of its parent's."""
    disable_telemetry()
    try:
        from . import adapter, granite_pack, granite_run
    except ImportError as error:
        raise EmbedderUnavailable(
            f"granite can't run ({error}); run: pip install --force-reinstall numpy onnxruntime tokenizers"
        ) from error
    pack = granite_pack.read()
    return granite_run.Encoder(pack if name == Granite.name else adapter.adapted(pack, f"{name}.npz"))


def disable_telemetry() -> None:
    """New releases of onnxruntime send telemetry to Microsoft, unless this is set before the import."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
