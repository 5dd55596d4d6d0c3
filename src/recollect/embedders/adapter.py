"""What makes granite `recollect-30m`: low-rank corrections of its weights, trained on memory questions.

The file holds for each adapted matrix two float16 factors; their product is added to the weight when the model is
loaded, so that running it costs nothing more. How it was trained: docs/model-card.md.
"""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import EmbedderUnavailable
from .granite_pack import Floats, Pack, checked

FILE = Path(__file__).with_name("recollect-30m.npz")
SHA256 = "bdd58acf153f19077cd5b0cec74353caccf244b1ecfc64a3858739395c1e797e"


def adapted(pack: Pack, path: Path = FILE) -> Pack:
    """The pack with the corrections in its weights."""
    factors = np.load(io.BytesIO(checked(path, SHA256, _unavailable)))
    names = (name.removesuffix(".up") for name in factors.files if name.endswith(".up"))
    corrected = {_weight(name): _product(factors[f"{name}.up"], factors[f"{name}.down"]) for name in names}
    return replace(pack, weights=pack.weights | {name: pack.weights[name] + corrected[name] for name in corrected})


def _weight(name: str) -> str:
    """`l0_qkv` corrects `l0.qkv.w`."""
    return f"{name.replace('_', '.')}.w"


def _product(up: Floats, down: Floats) -> Floats:
    return up.astype(np.float32) @ down.astype(np.float32)


def _unavailable(what: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(
        f"the adapter of recollect-30m {what}; run: pip install --force-reinstall --no-deps recollect"
    )
