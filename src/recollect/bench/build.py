"""Builds the store for a benchmark, once for all recipes. After an interrupt, building continues."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from ..config import Settings
from ..embedders.protocol import Embedder
from ..recollect import Recollect
from ..types import Memory
from ..write.conversations.messages import turns
from .data import Dataset, Haystack, Record, Session, Unit
from .datasets.scenario import STORED_AT

Protocol = Literal["pooled", "own"]
PROTOCOLS: tuple[Protocol, ...] = ("pooled", "own")
RECORDS_AT_ONCE = 500
KEY = "bench_key"
"""The metadata field with a record's key. Metadata is not searched."""
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything that determines the content of the store."""

    dataset: Dataset
    protocol: Protocol
    granularity: str
    embedder: Embedder

    @property
    def digest(self) -> str:
        held = (haystack.name for haystack in self.dataset.haystacks)
        said = (self.dataset.digest, self.protocol, self.granularity, self.embedder.fingerprint, *held)
        return blake2b("\0".join(said).encode(), digest_size=8).hexdigest()

    @property
    def unit(self) -> Unit | Literal["round"]:
        """What counts as one hit. If only rounds or sessions are stored, a round or session."""
        if self.dataset.unit == "turn" and self.granularity in ("round", "session"):
            return self.granularity  # type: ignore[return-value]
        return self.dataset.unit

    def group_of(self, haystack: Haystack) -> str:
        return haystack.pool if self.protocol == "pooled" else haystack.name

    def namespace(self, haystack: Haystack) -> str:
        return f"h{blake2b(self.group_of(haystack).encode(), digest_size=6).hexdigest()}"

    def contents(self) -> Iterator[tuple[str, Session | Sequence[Record]]]:
        """(namespace, content to store there). Each session of a namespace is given once."""
        seen: set[tuple[str, str]] = set()
        for haystack in self.dataset.haystacks:
            place = self.namespace(haystack)
            for session in haystack.sessions:
                if (place, session.id) not in seen:
                    seen.add((place, session.id))
                    yield place, session
            for start in range(0, len(haystack.records), RECORDS_AT_ONCE):
                yield place, haystack.records[start : start + RECORDS_AT_ONCE]


def parts(setup: Setup) -> list[Setup]:
    """One setup for each pool or haystack, so that each has its own file. With several tenants in one file, the lexical
    index proposes candidates by the statistics of the whole file, which sometimes changes the result of a recipe that
    asks for few candidates."""
    groups: dict[str, list[Haystack]] = {}
    for haystack in setup.dataset.haystacks:
        groups.setdefault(setup.group_of(haystack), []).append(haystack)
    return [replace(setup, dataset=setup.dataset.of(group)) for group in groups.values()]


def opened(path: str, embedder: Embedder | None) -> Recollect:
    """A store that ignores the user's settings."""
    return Recollect(path, embedder=embedder, recipe="default", settings=Settings(log_queries=False))


def path_of(setup: Setup, folder: Path) -> Path:
    return folder / "stores" / f"{setup.digest}.db"


def build(setup: Setup, folder: Path, advance: Advance) -> None:
    """Fills the store. What an earlier run stored is skipped."""
    path = path_of(setup, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    log = path.with_suffix(".jsonl")
    done, contents = _done(log), list(setup.contents())
    advance(len(done))
    if len(done) == len(contents):
        return
    with opened(str(path), setup.embedder) as mind, log.open("a", encoding="utf-8") as noted:
        first = True
        for n, (place, content) in enumerate(contents):
            if n not in done:
                _put(mind, place, content, setup.granularity, may_be_stored=first)
                first = False
                noted.write(f"{n}\n")
                noted.flush()
                advance(1)


def reopened(setup: Setup, folder: Path) -> Recollect:
    """The filled store, with all memories restored."""
    mind = opened(str(path_of(setup, folder)), setup.embedder)
    _restore_forgotten(mind)
    return mind


def _done(log: Path) -> set[int]:
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {int(json.loads(line)) for line in lines if line.strip().isdigit()}


def _put(
    mind: Recollect, place: str, content: Session | Sequence[Record], granularity: str, *, may_be_stored: bool
) -> None:
    """`may_be_stored`: whether an interrupted run may have stored the records without noting it."""
    if isinstance(content, Session):
        messages = [one.to_message() for one in content.turns]
        mind.ingest(messages, session_id=content.id, at=content.at, namespace=place, granularity=granularity)
        return
    held = {memory.metadata.get(KEY) for memory in mind.list(namespace=place)} if may_be_stored else set()
    mind.remember_many(_item(record, place) for record in content if record.key not in held)


def _item(record: Record, place: str) -> dict[str, object]:
    return {
        "text": record.text,
        "kind": record.kind,
        "tags": record.tags,
        "importance": record.importance,
        "namespace": place,
        "metadata": {KEY: record.key},
        "at": STORED_AT,
        "dedup": False,  # scenarios contain near-duplicates on purpose
    }


def _restore_forgotten(mind: Recollect) -> None:
    """Restores gold that an interrupted run removed and did not put back."""
    for place in mind.namespaces():
        while left := mind.list(namespace=place, statuses=["forgotten"], limit=1):
            mind.restore(left[0].id)  # with its facts


# Keys: how hits and gold are counted --------------------------------------------------------------


def key_of(memory: Memory, unit: str, dataset: Dataset) -> str:
    """The key that a hit counts as. A fact counts as the turn that states it."""
    if unit == "topic":
        return dataset.topics[memory.metadata[KEY]]
    if unit == "session":
        return memory.session_id or memory.id
    return f"{memory.session_id}/{memory.metadata.get('round')}" if unit == "round" else turn_key(memory)


def turn_key(memory: Memory) -> str:
    return f"{memory.session_id}/{memory.turn}"


def gold_keys(gold: frozenset[str], setup: Setup, haystack: Haystack) -> frozenset[str]:
    """The gold keys in the granularity of the store: the rounds or sessions of the gold turns."""
    if setup.dataset.unit != "turn" or setup.unit == "turn":
        return gold
    if setup.unit == "session":
        return frozenset(key.rpartition("/")[0] for key in gold)
    sessions = {session.id: session for session in haystack.sessions}
    return frozenset(_round_key(key, sessions) for key in gold)


def _round_key(key: str, sessions: dict[str, Session]) -> str:
    session_id, _, number = key.rpartition("/")
    session = sessions[session_id]
    said = turns([one.to_message() for one in session.turns], at=session.at)
    return f"{session_id}/{said[int(number)].round}"
