"""Checks a store and its embedder, and tells how to repair faults."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from ..config import Settings, files
from ..embedders.protocol import Embedder
from ..errors import EmbedderUnavailable
from ..store.protocol import Store
from ..types import Filter

_SAMPLE = 500
_FOREIGN_SHARE = 0.3
"""If the embedder does not know the language of this share of memories, another embedder is advised."""
_READS = {"granite": re.compile("[\u0000-\u024f]"), "recollect-30m": re.compile("[\u0000-\u024f\u3400-\u9fff]")}
"""Embedder → the letters of the languages it knows. Multilingual embedders are not listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One line of the doctor's report."""

    state: Literal["ok", "warn", "fail"]
    what: str
    do: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"state": self.state, "what": self.what, "do": self.do}


def examine(store: Store, embedder: Embedder, settings: Settings) -> list[Advice]:
    counts = store.counts(())
    advice = [
        Advice(state="ok", what=f"store {store.url}: {counts.memories:,} memories, {counts.bytes / 1e6:.1f} MB"),
        Advice(state="ok", what=f"settings from {_settings_files()}; namespace {settings.namespace}"),
        Advice(state="ok", what=f"versions: {_versions()}"),
        _model(embedder),
    ]
    if store.read_only:
        advice.append(Advice(state="warn", what="the store is read-only", do="make the file and its folder writable"))
    if counts.without_vector and counts.memories:
        what = f"{counts.without_vector:,} memories have no vector and are found by words only"
        advice.append(Advice(state="warn", what=what, do="run `recollect reembed`"))
    advice += _language(store, embedder)
    findings = store.check()
    for finding in findings:
        advice.append(Advice(state="fail", what=f"{finding.what} ({finding.count})", do=finding.mend))
    if not findings:
        advice.append(Advice(state="ok", what="rows, words, vectors and links agree"))
    return advice


def _settings_files() -> str:
    return ", ".join(str(path) for path in files() if path.is_file()) or "no file"


def _versions() -> str:
    packages = ("recollect", "apsw", "numpy", "onnxruntime", "tokenizers")
    return f"Python {platform.python_version()}, " + ", ".join(f"{name} {_version(name)}" for name in packages)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _model(embedder: Embedder) -> Advice:
    try:
        dim = embedder.embed(["hello", "你好"]).shape[1]  # Chinese may use separate weights
    except EmbedderUnavailable as error:
        return Advice(state="fail", what=f"embedder {embedder.name} does not work", do=str(error))
    return Advice(state="ok", what=f"embedder {embedder.name} works, {dim} dimensions")


def _language(store: Store, embedder: Embedder) -> Sequence[Advice]:
    if (readable := _READS.get(embedder.name)) is None:
        return ()
    sample = store.scan(Filter(statuses=("active",)), limit=_SAMPLE)
    foreign = sum(_mostly_unread(memory.text, readable) for memory in sample)
    if not sample or foreign / len(sample) < _FOREIGN_SHARE:
        return ()
    what = f"{foreign / len(sample):.0%} of the latest memories are in a language that {embedder.name} does not know"
    do = "`pip install 'recollect[multilingual]'`, then `recollect reembed --embedder multilingual`"
    return [Advice(state="warn", what=what, do=do)]


def _mostly_unread(text: str, readable: re.Pattern[str]) -> bool:
    letters = [c for c in text if c.isalpha()]
    return sum(readable.match(c) is None for c in letters) > len(letters) / 2
