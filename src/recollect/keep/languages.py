"""Notices that a new store is in a language that its embedder does not read, and changes to one that does.

Only a store whose embedder nobody chose is changed, and only among its first hundred memories: later, `doctor` advises.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from ..embedders import DEFAULT, MULTILINGUAL, load
from ..embedders.recollect_multilingual import is_installed
from ..embedders.slot import EmbedderSlot
from ..extras import install_command
from ..store.protocol import Store
from ..store.settings import set_embedder, set_setting, setting
from ..store.values import Batch
from ..text.languages import languages
from ..types import VISIBLE, Filter, Memory
from ..write.build.put import write
from ..write.build.views import rebuild
from .reembed import Strict

FIRST = 100
"""How many memories a store may have to be changed without being asked."""
LEAST_COUNT, LEAST_SHARE = 3, 0.1
"""So many memories, and so large a part of them, must be in languages that the embedder does not read."""
READS = {DEFAULT: ("English", "Chinese"), "granite": ("English",)}
"""Embedder → the languages that it reads. Multilingual embedders are not listed."""
SETTING = "languages"
"""The store's setting that says how the question was settled."""
T = TypeVar("T")


class UnreadLanguage(UserWarning):
    """The embedder does not read the language of the memories; they are found mainly by their words."""


def noticed(store: Store, slot: EmbedderSlot, items: Iterable[T]) -> Iterable[T]:
    """The items, unchanged. Looks at the first of them, before any is stored, and at what the store holds.

    Costs one small read per call until the question is settled."""
    if slot.settled or not slot.automatic or slot.current.name != DEFAULT or store.read_only:
        return items
    if isinstance(items, Iterator):
        items = list(items)
    first = items[:FIRST] if isinstance(items, list | tuple) else []
    _notice(store, slot, [text for item in first for text in _texts(item)][:FIRST])
    return items


def _texts(item: object) -> list[str]:
    """The texts of a memory or conversation that is to be stored. It was not checked yet, so it may be anything."""
    if not isinstance(item, Mapping):
        return []
    messages = item.get("messages")
    held = [item, *(messages if isinstance(messages, list | tuple) else ())]
    found = [one.get(name) for one in held if isinstance(one, Mapping) for name in ("text", "content")]
    return [text for text in found if isinstance(text, str)]


def _notice(store: Store, slot: EmbedderSlot, upcoming: Sequence[str]) -> None:
    if setting(store, SETTING) is not None:
        slot.settled = True
        return
    stored = store.scan(Filter(), order="id", limit=FIRST + 1)
    texts = [*(memory.text for memory in stored if memory.status in VISIBLE), *upcoming]
    unread = unread_languages(texts, DEFAULT)
    count = sum(unread.values())
    if count >= LEAST_COUNT and count >= LEAST_SHARE * len(texts):
        _change(store, slot, stored, next(iter(unread)))
    elif len(stored) > FIRST:
        _settle(store, slot, "read")


def unread_languages(texts: Iterable[str], embedder: str) -> dict[str, int]:
    """Languages that the embedder does not read → how many of the texts are in them, the commonest first."""
    found = languages(texts)
    return {name: count for name, count in found.items() if name not in READS.get(embedder, found)}


def advice() -> str:
    """What to do about an embedder that does not read the language."""
    install = "" if is_installed() else f"{install_command('multilingual')}, then "
    return f"{install}recollect reembed --embedder {MULTILINGUAL}"


def _change(store: Store, slot: EmbedderSlot, stored: Sequence[Memory], language: str) -> None:
    if len(stored) > FIRST or not is_installed():
        what = f"many memories are in {language}, which {DEFAULT} does not read; they are found mainly by their words"
        warnings.warn(f"{what}. Run: {advice()}", UnreadLanguage, stacklevel=4)
        _settle(store, slot, "told")
        return
    embedder = Strict(load(MULTILINGUAL))
    puts = rebuild(store, embedder, stored)  # embedding takes seconds, so it comes before the lock
    if puts:
        with store.transaction():
            held = store.get([memory.id for memory in stored])
            store.drop_vectors()
            set_embedder(store, embedder.embedder.name, embedder.embedder.fingerprint)
            write(store, embedder, Batch(puts=[put for put in puts if held.get(put.memory.id) == put.memory]))
    slot.replace(embedder.embedder)


def _settle(store: Store, slot: EmbedderSlot, how: str) -> None:
    set_setting(store, SETTING, how)
    slot.settled = True
