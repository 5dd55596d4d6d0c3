"""Checks a store and its embedder, and tells how to repair faults."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from .. import config
from ..config import Settings
from ..embedders.protocol import Embedder
from ..errors import EmbedderUnavailable, StoreUnreachable
from ..store.operated import Operated
from ..store.protocol import Store
from ..store.values import Counts
from ..types import Filter
from .languages import LEAST_SHARE, advice, unread_languages

_SAMPLE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One line of the doctor's report."""

    state: Literal["ok", "warn", "fail"]
    what: str
    do: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"state": self.state, "what": self.what, "do": self.do}


def examine(store: Store, embedder: Embedder, settings: Settings) -> list[Advice]:
    advice = [
        Advice(state="ok", what=f"settings from {_settings_files()}; namespace {settings.namespace}"),
        Advice(state="ok", what=f"versions: {_versions()}"),
        _model(embedder),
        *_settings_not_trusted(),
    ]
    if store.read_only:
        advice.append(Advice(state="warn", what="the store is read-only", do="make the file and its folder writable"))
    if isinstance(store, Operated):
        advice += [Advice(state=each.state, what=each.what, do=each.do) for each in store.upkeep()]
    try:
        counts = store.counts(())
        return [_size(store.url, counts), *advice, *_contents(store, counts, embedder)]
    except StoreUnreachable as error:  # one of several servers
        return [Advice(state="fail", what=f"store {store.url} can't be read as a whole", do=str(error)), *advice]


def _size(url: str, counts: Counts) -> Advice:
    return Advice(state="ok", what=f"store {url}: {counts.memories:,} memories, {counts.bytes / 1e6:.1f} MB")


def _contents(store: Store, counts: Counts, embedder: Embedder) -> Iterator[Advice]:
    if counts.without_vector and counts.memories:
        what = f"{counts.without_vector:,} memories have no vector and are found by words only"
        yield Advice(state="warn", what=what, do="run `recollect reembed`")
    yield from _language(store, embedder)
    findings = store.check()
    for finding in findings:
        yield Advice(state="fail", what=f"{finding.what} ({finding.count})", do=finding.mend)
    if not findings:
        yield Advice(state="ok", what="rows, words, vectors and links agree")


def _settings_files() -> str:
    return ", ".join(str(path) for path in config.files() if path.is_file()) or "no file"


def _settings_not_trusted() -> list[Advice]:
    found = {path: names for path in config.files() if path.is_file() and (names := config.untrusted(path))}
    return [
        Advice(state="warn", what=f"{path} is not trusted: {', '.join(names)} ignored", do="run `recollect trust`")
        for path, names in found.items()
    ]


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
    sample = store.scan(Filter(statuses=("active",)), limit=_SAMPLE)
    unread = unread_languages((memory.text for memory in sample), embedder.name)
    share = sum(unread.values()) / max(1, len(sample))
    if share < LEAST_SHARE:
        return ()
    names = " and ".join(list(unread)[:2])
    what = f"{share:.0%} of the latest memories are in {names}, which {embedder.name} does not read"
    return [Advice(state="warn", what=what, do=f"run `{advice()}`")]
