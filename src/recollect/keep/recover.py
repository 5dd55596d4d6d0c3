"""Saves everything that can be read of a damaged SQLite file into a new one. The damaged file is never changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar

from ..embedders import load, names
from ..embedders.optional import OptionalEmbedder
from ..embedders.protocol import Embedder
from ..errors import InvalidInput, NotFound, RecollectError, StoreDamaged
from ..progress import progress
from ..store import chain, open_store
from ..store.files import new_file
from ..store.protocol import Store
from ..store.settings import FINGERPRINT, held_embedder, set_embedder, setting
from ..store.sqlite.file import WAL, beside, check_path
from ..store.sqlite.salvage.rows import Salvaged, salvage
from ..store.values import Batch, Put
from ..types import Filter
from ..write.build.embed import FULL
from ..write.build.put import ALTERED, without_vectors
from . import salvaged
from .reembed import reembed
from .salvaged_chain import saved_chain

T = TypeVar("T")
_PAGE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Rows that could not be saved."""

    table: str
    keys: tuple[str, ...] = ()
    """What identifies each row, such as the id of a memory."""
    pages: tuple[int, ...] = ()
    """Pages of the table that can't be read completely."""
    rows: tuple[tuple[int | None, int | None], ...] = ()
    """The first and last number of the rows that were on such pages, as far as it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What `recover` saved, and what it could not save."""

    source: str
    target: str
    saved: dict[str, int]
    """Kind → number of rows."""
    lost: tuple[Lost, ...]
    altered: tuple[str, ...]
    """The ids of memories whose row was damaged but could be read. They are in quarantine."""
    embedded: int
    """The number of memories whose vectors were made again."""
    without_vector: int
    """The number of memories without a vector; `recollect reembed` makes them."""
    chain: Literal["off", "kept", "begun anew"]
    """The hash chain of the event log. It is kept if every event of it is saved."""

    @property
    def complete(self) -> bool:
        return not (self.lost or self.altered or self.chain == "begun anew")

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "complete": self.complete}


def recover(
    source: str | Path, target: str | Path, *, embedder: str | Embedder | None = None, show: bool = False
) -> Recovered:
    """Saves what can be read of SOURCE into TARGET, which must not exist. `embedder` is needed only if the store's own
    can't be loaded by its name."""
    old, new = _checked(str(source), Path(target))
    with TemporaryDirectory(prefix=".recover-", dir=new.parent) as folder:
        found = salvage(_copied(old, Path(folder)))
    if not found.rows:
        raise StoreDamaged(f"{old} holds no row of a recollect store that can be read: restore a backup")
    with new_file(new) as beside:
        store = open_store(str(beside), synchronous="full")
        try:
            return _Saving(found, store, embedder, show).done(str(old), str(new))
        finally:
            store.close()


def _checked(source: str, target: Path) -> tuple[Path, Path]:
    if "://" in source:
        raise InvalidInput("recover reads SQLite files only: restore a PostgreSQL database from its own backup")
    old = Path(source)
    check_path(source)
    check_path(str(target))
    if not old.is_file():
        raise NotFound(f"there is no file at {old}")
    if target.exists():
        raise InvalidInput(f"{target} exists already: recover writes a new file, choose another name")
    return old, target


def _copied(source: Path, folder: Path) -> Path:
    """A private copy. Others may change the file while it is read."""
    for ending in ("", WAL):
        if Path(beside(source, ending)).exists():
            shutil.copyfile(beside(source, ending), folder / f"store.db{ending}")
    return folder / "store.db"


class _Saving:
    """Fills the new store."""

    def __init__(self, found: Salvaged, store: Store, embedder: str | Embedder | None, show: bool) -> None:
        self._found, self._store, self._show = found, store, show
        self._given = embedder
        self._left = salvaged.Left()
        self._altered: list[str] = []
        self._ids: set[str] = set()
        self._saved: dict[str, int] = {}
        self._chain: Literal["off", "kept", "begun anew"] = "off"

    def done(self, source: str, target: str) -> Recovered:
        self._write("settings", salvaged.small(self._found, self._left), lambda page: Batch(rows=page))
        embedder = self._embedder()
        self._memories(keep_vectors=embedder is not None or setting(self._store, FINGERPRINT) is not None)
        self._logs()
        embedded = self._embed(embedder)
        self._verify(source)
        return Recovered(
            source=source,
            target=target,
            saved=self._saved,
            lost=tuple(_lost(self._found, self._left)),
            altered=tuple(self._altered),
            embedded=embedded,
            without_vector=self._store.counts(()).without_vector,
            chain=self._chain,
        )

    def _memories(self, *, keep_vectors: bool) -> None:
        def noted() -> Iterator[Put]:
            for put in salvaged.puts(self._found, self._left):
                self._ids.add(put.memory.id)
                if ALTERED in put.memory.metadata.get("quarantine", ()):
                    self._altered.append(put.memory.id)
                yield put

        total = len(self._found.rows.get("memory", {}))
        with progress("saving", total, self._show) as advance:
            for page in _paged(noted()):
                self._store.write(Batch(puts=page if keep_vectors else [without_vectors(put) for put in page]))
                advance(len(page))
        self._saved["memories"] = len(self._ids)

    def _logs(self) -> None:
        found, left = self._found, self._left
        self._write("links", salvaged.links(found, left, self._ids), lambda page: Batch(links=page))
        self._events()
        self._write("recalls", salvaged.recalls(found, left), lambda page: Batch(recalls=page))

    def _events(self) -> None:
        """Writes the events. Those of the chain get their hashes as they arrive."""
        log = salvaged.events(self._found, self._left)
        held = saved_chain(self._found, log, {each.table for each in _lost(self._found, self._left)})
        events, start = [each.event for each in log], len(log) if held is None else held.start
        self._write("events", events[:start], lambda page: Batch(events=page))
        if held is not None:
            self._chain = "kept" if held.kept else "begun anew"
            chain.begin(self._store)
            self._write("events", events[start:], lambda page: Batch(events=page))

    def _write(self, kind: str, rows: Sequence[Any], batch: Callable[[Sequence[Any]], Batch]) -> None:
        for page in _paged(rows):
            self._store.write(batch(page))
        self._saved[kind] = self._saved.get(kind, 0) + len(rows)

    def _embedder(self) -> Embedder | None:
        """The embedder that made the vectors, if it is at hand."""
        name, fingerprint = held_embedder(self._store)
        wanted = self._given or name
        if fingerprint is None:  # the setting is lost: its vectors tell
            found = next(filter(self._has_made_the_vectors, _loaded([wanted] if wanted else names()[:-1])), None)
            if found is not None:
                set_embedder(self._store, found.name, found.fingerprint)
            return found
        return next((one for one in _loaded([wanted]) if one.fingerprint == fingerprint), None)

    def _has_made_the_vectors(self, embedder: Embedder) -> bool:
        """A vector's hash is that of the embedder, the tenant and the text; older ones are without a tenant."""
        hashes, texts = {row.values["hash"] for row in self._found.of("vector")}, OptionalEmbedder(embedder)
        told = ((row.values["text"], row.values["tenant"]) for row in self._found.of("memory"))
        return any(not hashes.isdisjoint((texts.hash(*each), texts.shared_hash(each[0]))) for each in told)

    def _embed(self, embedder: Embedder | None) -> int:
        if embedder is None or not self._store.scan(Filter(lacks_view=FULL), limit=1):
            return 0
        lacking = self._store.counts(()).without_vector
        try:
            with progress("embedding", lacking, self._show) as advance:
                return reembed(self._store, embedder, anew=False, advance=advance)
        except RecollectError:  # no model, or its server does not answer: the rows are saved without vectors
            return lacking - self._store.counts(()).without_vector

    def _verify(self, source: str) -> None:
        if findings := self._store.check():
            raise StoreDamaged(f"what was saved of {source} is not whole ({findings[0].what}): please report this")


def _loaded(wanted: Iterable[str | Embedder | None]) -> Iterator[Embedder]:
    """Those that can be loaded."""
    for one in wanted:
        with suppress(RecollectError):
            if one is not None:
                yield load(one) if isinstance(one, str) else one


def _paged(rows: Iterable[T]) -> Iterator[list[T]]:
    left = iter(rows)
    while page := list(islice(left, _PAGE)):
        yield page


def _lost(found: Salvaged, left: salvaged.Left) -> Iterator[Lost]:
    """One entry for each table that has lost rows, or has a page that can't be read."""
    if not found.lists_tables:  # so nobody knows which rows an index names
        yield Lost(table="sqlite_schema", pages=(1,))
    for table in salvaged.TABLES:
        keys = dict.fromkeys([*found.missing(table), *left.keys.get(table, {})])
        gaps = [gap for gap in found.gaps if gap.tree == table]
        if keys or gaps:
            spans = [(gap.after, gap.until) for gap in gaps if (gap.after, gap.until) != (None, None)]
            yield Lost(
                table=table,
                keys=tuple(" ".join(map(str, key)) for key in keys),
                pages=tuple(dict.fromkeys(gap.page for gap in gaps)),
                rows=tuple((None if after is None else after + 1, until) for after, until in spans),
            )
