"""Every verb that changes a store or writes a file. Each can be repeated after a kill and then has the same result."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from recollect.cli.restore_backup import replace_store
from recollect.errors import Conflict
from recollect.keep.migrate import migrate as migrate_store
from recollect.keep.recover import recover as recover_store
from recollect.keep.repair import repair as repair_store
from recollect.serve.keys import Keys

from .stores import AT, opened

Verb = Callable[[Path], None]


def remember(path: Path) -> None:
    with opened(path) as mind:
        mind.remember("A new parcel is here", at=AT)


def remember_many(path: Path) -> None:
    with opened(path) as mind:
        mind.remember_many([{"text": f"Letter {n} lies in box {n}", "at": AT} for n in range(30)])


def ingest(path: Path) -> None:
    with opened(path) as mind:
        mind.ingest([{"role": "user", "content": f"I own {n} boats."} for n in range(4)], session_id="boats", at=AT)


def update(path: Path) -> None:
    with opened(path) as mind:
        (one,) = [memory for memory in mind.list() if memory.text.startswith(("Parcel 5 ", "Parcel five"))]
        mind.update(one.id, text="Parcel five is open")


def forget(path: Path) -> None:
    with opened(path) as mind:
        mind.forget(namespace="default")


def archive(path: Path) -> None:
    with opened(path) as mind:
        mind.archive(namespace="default")


def restore(path: Path) -> None:
    with opened(path) as mind:
        for memory in mind.list(namespace="drafts", statuses=["forgotten"]):
            mind.restore(memory.id)


def purge(path: Path) -> None:
    with opened(path) as mind:
        mind.purge(namespace="default")


def undo(path: Path) -> None:
    with opened(path) as mind, suppress(Conflict):  # a kill after the commit: it is undone already
        mind.undo(next(event.id for event in mind.store.events() if event.action == "forget"))


def link(path: Path) -> None:
    with opened(path) as mind:
        one, other = sorted(memory.id for memory in mind.list())[:2]
        mind.link(one, other)


def supersede(path: Path) -> None:
    with opened(path) as mind:
        one, other = sorted(memory.id for memory in mind.list(statuses=["active", "superseded"]))[:2]
        mind.supersede(one, other)


def move(path: Path) -> None:
    with opened(path) as mind:
        if "default" in mind.namespaces():
            mind.move("default", "elsewhere")


def tend(path: Path) -> None:
    with opened(path) as mind:
        mind.tend(at=AT)


def retention(path: Path) -> None:
    with opened(path) as mind:
        mind.set_retention("default", most_memories=10)
        mind.tend(at=AT)


def reembed(path: Path) -> None:
    with opened(path) as mind:
        mind.store.drop_vectors()
        mind.reembed("hashing")


def repair(path: Path) -> None:
    with opened(path) as mind:
        repair_store(mind.store, mind.embedder)


def import_(path: Path) -> None:
    with opened(path.with_name("imported.db")) as mind:
        mind.import_(path.with_suffix(".jsonl"))


def backup(path: Path) -> None:
    with opened(path) as mind:
        target = path.with_name("another.backup")
        if not target.exists():
            mind.backup(target)


def export(path: Path) -> None:
    with opened(path) as mind:
        mind.export(path.with_name("another.jsonl"), overwrite=True)


def restore_backup(path: Path) -> None:
    replace_store(path, path.with_suffix(".backup"), force=True)


def migrate(path: Path) -> None:
    target = path.with_name("moved.db")
    migrate_store(str(path), str(target))


def recover(path: Path) -> None:
    target = path.with_name("recovered.db")
    if not target.exists():
        recover_store(str(path), target)


def key(path: Path) -> None:
    with opened(path) as mind:
        keys = Keys(mind)
        if not keys.list():
            keys.add("drill", namespace="default", role="write")


def chain(path: Path) -> None:
    with opened(path) as mind:
        mind.chain(True)


VERBS: dict[str, Verb] = {
    name: verb
    for name, verb in {
        "remember": remember,
        "remember_many": remember_many,
        "ingest": ingest,
        "update": update,
        "forget": forget,
        "archive": archive,
        "restore": restore,
        "purge": purge,
        "undo": undo,
        "link": link,
        "supersede": supersede,
        "move": move,
        "tend": tend,
        "retention": retention,
        "reembed": reembed,
        "check --repair": repair,
        "import": import_,
        "backup": backup,
        "export": export,
        "restore-backup": restore_backup,
        "migrate": migrate,
        "recover": recover,
        "keys add": key,
        "chain": chain,
    }.items()
}
RESULT = {"import": "imported.db", "migrate": "moved.db", "recover": "recovered.db", "backup": "another.backup"}
"""The file that a verb makes, if it is not the store itself."""
