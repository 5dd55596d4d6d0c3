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

from .acts import ACTS, Act
from .stores import opened

Verb = Callable[[Path], None]


def undo(path: Path) -> None:
    with opened(path) as mind, suppress(Conflict):  # a kill after the commit: it is undone already
        mind.undo(next(event.id for event in mind.store.events() if event.action == "forget"))


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


def _of(act: Act) -> Verb:
    def verb(path: Path) -> None:
        with opened(path) as mind:
            act(mind)

    return verb


VERBS: dict[str, Verb] = {name: _of(act) for name, act in ACTS.items()} | {
    name: verb
    for name, verb in {
        "undo": undo,
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
