"""The arguments that all writing functions share."""

from __future__ import annotations

from typing import TypedDict

from ..embedders.optional import OptionalEmbedder
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from .stamp import Stamp


class Tools(TypedDict):
    store: Store
    embedder: OptionalEmbedder
    rules: WriteRules
    stamp: Stamp
