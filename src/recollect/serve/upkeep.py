"""What a caller may do with keys, files and the store as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import Forbidden, InvalidInput, NotFound
from ..imports import import_from
from ..imports.lines import SUFFIXES as LISTS
from ..imports.lines import listed
from ..imports.run import MOST_EXAMPLES
from ..keep.export_file import ExportFile, survey
from ..keep.lines import memory_of
from ..recollect import Recollect
from .access import Access
from .keys import Key, Keys
from .scope import ROLES, Caller
from .storage import limited

Tick = Callable[[int], None]
_EXPORT = '{"type": "recollect"'
_SUFFIXES = (".json", ".jsonl", ".ndjson", ".csv", ".md", ".markdown", ".txt")
MOST_BACKUPS_LISTED = 50
_UNFIT = re.compile(r'[\x00-\x1f<>:"/\\|?*]|[. ]+$')
"""What some system refuses in a file's name."""
_MOST_STEM_CHARS = 60
MOST_IDS = 10_000
"""An import of more memories is not taken back memory by memory."""


class Upkeep:
    """The calls of one caller. All need an admin key."""

    def __init__(self, mind: Recollect, caller: Caller) -> None:
        self._mind, self._caller, self._scope = mind, caller, caller.scope
        self._keys, self._access = Keys(mind), Access(mind, caller)

    # Keys -----------------------------------------------------------------------------------------

    def keys(self) -> list[Key]:
        """The keys of the caller's namespace and below, without revoked ones."""
        self.check_admin()
        return [key for key in self._keys.list() if self._scope.admits(key.namespace) and key.revoked_at is None]

    def add_key(self, name: str, *, namespace: str | None, role: str, expires_at: str | None) -> tuple[Key, str]:
        """Makes a key with at most the caller's own rights. Its trust class is `agent`, so its texts are screened."""
        self.check_admin()
        place = self._scope.namespace if namespace is None else namespace
        if not self._scope.admits(place):
            own = self._scope.namespace
            raise Forbidden(f"your key is for {own!r}, so choose that or a namespace below it, such as {own}/build")
        if role not in ROLES:
            raise InvalidInput(f"role must be one of {', '.join(ROLES)}, not {role!r}")
        return self._keys.add(name, namespace=place, role=role, expires_at=expires_at)

    def revoke_key(self, id: str) -> Key:
        """Revokes a key of the caller's namespace; not the one in use, so that nobody locks themselves out."""
        key = next((each for each in self.keys() if each.id == id), None)
        if key is None:
            raise NotFound(f"no key has the id {id!r}")
        if f"key:{key.name}" == self._caller.name:
            raise InvalidInput("this is the key you are using: revoke it with another key or with `recollect keys`")
        return self._keys.revoke(id)

    # The whole store ------------------------------------------------------------------------------

    def examine(self) -> dict[str, Any]:
        """What `check` and `doctor` find."""
        self.check_owner()
        advice = [each.to_dict() for each in self._mind.doctor()]
        return {"findings": [asdict(each) for each in self._mind.check()], "advice": advice}

    def back_up(self) -> dict[str, Any]:
        """Copies the store into the folder of backups beside it."""
        folder = self._folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{Path(self._mind.url).stem}-{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}.db"
        return _described(self._mind.backup(folder / name))

    def backups(self) -> dict[str, Any]:
        """The newest backups, and the folder they are in."""
        folder = self._folder()
        held = sorted(folder.glob("*.db"), reverse=True) if folder.is_dir() else []
        return {"folder": str(folder), "backups": [_described(path) for path in held[:MOST_BACKUPS_LISTED]]}

    def _folder(self) -> Path:
        self.check_owner()
        if "://" in self._mind.url or self._mind.url == ":memory:":
            raise InvalidInput("the page backs up SQLite files only: use pg_dump for PostgreSQL")
        return Path(self._mind.url).resolve().parent / "backups"

    # Importing ------------------------------------------------------------------------------------

    def import_text(
        self, name: str, content: str, tick: Tick, *, preview: bool, namespace: str | None = None, lines: bool = False
    ) -> dict[str, Any]:
        """Imports the text of a file into a namespace of the caller, or says what that would add. With `lines`, each
        line or list item of a text is a memory."""
        place = self.check_import(namespace)
        suffix = Path(name).suffix.lower()
        if suffix not in _SUFFIXES:
            raise InvalidInput(f"{name!r} can't be imported here: choose a file that ends in {', '.join(_SUFFIXES)}")
        mind = self._mind.acting(actor=self._caller.name, namespace=place, trust=self._caller.trust, within=place)
        with limited(self._scope.namespace), TemporaryDirectory(prefix="recollect-") as folder:
            path = Path(folder) / f"{_stem(name)}{'.md' if suffix == '.txt' and not lines else suffix}"
            path.write_text(content, encoding="utf-8")
            if content.startswith(_EXPORT):
                return self._import_export(mind, path, preview=preview)
            done = _imported(mind, path, name, preview=preview, tick=tick, lines=lines)
        many = len(done["ids"]) > MOST_IDS
        count, is_list = listed(content) if suffix in LISTS else (0, False)
        return {
            **done,
            "lines": count,
            "list": is_list,
            "broken": done["broken"][:20],
            "ids": [] if many else done["ids"],
        }

    def _import_export(self, mind: Recollect, path: Path, *, preview: bool) -> dict[str, Any]:
        file = survey(path)
        self._check_inside(file)
        new = file.ids - self._access.known(file.ids)
        memories = (memory_of(record) for record in file.records("memory"))
        examples = list(islice((memory.text for memory in memories if memory.id in new), MOST_EXAMPLES))
        added = len(new) if preview else mind.import_(path)
        counts = {"added": added, "known": len(file.ids) - added, "links": 0, "conversations": 0, "skipped": 0}
        return {
            **counts,
            "lines": 0,
            "list": False,
            "broken": [],
            "examples": examples,
            "ids": [] if preview else sorted(new),
        }

    def _check_inside(self, file: ExportFile) -> None:
        for record in file.records("memory"):
            if not self._scope.admits(memory_of(record).namespace):
                raise Forbidden("the file has memories of a namespace outside of what this key may see")

    # ----------------------------------------------------------------------------------------------

    def check_admin(self) -> None:
        if not self._scope.may("admin"):
            raise Forbidden(f"this needs a key with the role 'admin'; this key has {self._scope.role!r}")

    def check_import(self, namespace: str | None) -> str:
        """The namespace that an import goes to."""
        self.check_admin()
        place = self._scope.namespace if namespace is None else namespace
        if not self._scope.admits(place):
            raise Forbidden(f"your key is for {self._scope.namespace!r}: choose that or a namespace below it")
        return place

    def check_owner(self) -> None:
        """For what concerns the whole store: an admin of the namespace that the server was started for."""
        self.check_admin()
        if not self._scope.admits(self._mind.namespace):
            raise Forbidden(f"this needs an admin key for {self._mind.namespace!r}, the namespace of this server")


def _imported(mind: Recollect, path: Path, name: str, *, preview: bool, tick: Tick, lines: bool) -> dict[str, Any]:
    """Imports a file that its sender knows by another name."""
    try:
        done = asdict(import_from(mind, path, preview=preview, tick=tick, lines=lines))
    except InvalidInput as error:
        raise InvalidInput(str(error).replace(str(path), name)) from None
    return {**done, "broken": [{**each, "where": each["where"].replace(str(path), name)} for each in done["broken"]]}


def _stem(name: str) -> str:
    """The name of the file without its ending, fit for a file here: importers name what they find after it."""
    return _UNFIT.sub("_", Path(name).stem)[:_MOST_STEM_CHARS]


def _described(path: Path) -> dict[str, Any]:
    held = path.stat()
    at = datetime.fromtimestamp(held.st_mtime, UTC)
    return {"name": path.name, "bytes": held.st_size, "at": at.isoformat().replace("+00:00", "Z")}
