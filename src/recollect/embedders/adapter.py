"""The adapter that turns granite into `recollect-30m`: low-rank corrections (LoRA) trained on questions about memories.

A file holds two float16 factors for each adapted matrix. Their product is added to the weights when the model is
loaded, so running the model costs nothing extra. docs/model-card.md describes the training.
"""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import EmbedderUnavailable
from ..extras import reinstall_command
from .granite_pack import Floats, Pack, checked

FILES = {
    "recollect-30m.npz": "0013d1bffa49839db768810053b11e373d3746b9e902f3443992e118689b8cbd",
    "recollect-30m-chinese.npz": "d8bd5cc0057af216692809b9ccbf9eb7cf416a155df6abdfa13ebfdb0edcc66d",
}
"""File → its SHA-256. The second is for Chinese that was translated word by word."""
FOLDER = Path(__file__).parent


def adapted(pack: Pack, name: str = "recollect-30m.npz", folder: Path = FOLDER) -> Pack:
    """The pack with the corrections added to its weights."""
    factors = np.load(io.BytesIO(checked(folder / name, FILES[name], _unavailable)))
    names = (name.removesuffix(".up") for name in factors.files if name.endswith(".up"))
    corrected = {_weight(name): _product(factors[f"{name}.up"], factors[f"{name}.down"]) for name in names}
    return replace(pack, weights=pack.weights | {name: pack.weights[name] + corrected[name] for name in corrected})


def _weight(name: str) -> str:
    """`l0_qkv` corrects `l0.qkv.w`."""
    return f"{name.replace('_', '.')}.w"


def _product(up: Floats, down: Floats) -> Floats:
    return up.astype(np.float32) @ down.astype(np.float32)


def _unavailable(what: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(f"the adapter of recollect-30m {what}; run: {reinstall_command()}")
