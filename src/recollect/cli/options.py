"""Options that several commands share, each written down once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

import typer

from .. import config
from ..errors import InvalidInput, NotFound
from ..types import GRANULARITIES, LINK_KINDS, STATUSES, TIERS
from .input import json_object

if TYPE_CHECKING:
    from ..recollect import Recollect
    from ..store.protocol import Store

MOMENT = "MOMENT"
"""What the help shows for an option that takes a date or time. Its value may be words such as `yesterday`."""
COMMON_KINDS = ("fact", "preference", "procedure", "constraint", "decision", "event", "goal", "issue", "note")
"""Offered for completion. Any other word can be a kind too."""


def one_of(words: Callable[[], Sequence[str]]) -> Callable[[str], list[str]]:
    """Completes a word from a list. The list is made only when needed."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words() if word.startswith(incomplete)]

    return complete


def _recipes() -> Sequence[str]:
    from ..recipes import names

    return names()


def _embedders() -> Sequence[str]:
    from ..embedders import names

    return names()[:-1]


complete_recipe = one_of(_recipes)
complete_kind = one_of(lambda: COMMON_KINDS)
complete_link = one_of(lambda: LINK_KINDS)
complete_status = one_of(lambda: STATUSES)
complete_tier = one_of(lambda: TIERS)
complete_granularity = one_of(lambda: GRANULARITIES)

Id: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="The memory's id, or its first 8 or more characters.")]
MaybeId: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="ID", help="The memory's id, or its first 8 or more characters.")
]
Query: TypeAlias = Annotated[str, typer.Argument(metavar="QUERY", help="The question; - reads it from stdin.")]
Limit: TypeAlias = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most this many.")]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
Preview: TypeAlias = Annotated[bool, typer.Option("--preview", help="Show what would happen; change nothing.")]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
At: TypeAlias = Annotated[str | None, typer.Option("--at", metavar=MOMENT, help="The moment to take as now.")]
FarAhead: TypeAlias = Annotated[bool, typer.Option("--force", help="Also if the moment is over a year ahead.")]
Embedder: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="recollect-30m, recollect-multilingual, granite, hashing or openai:MODEL@URL; default: the store's own.",
        autocompletion=one_of(_embedders),
    ),
]
RecipeName: TypeAlias = Annotated[
    str | None,
    typer.Option("--recipe", metavar="NAME", help="A recipe's name, or a .toml file.", autocompletion=complete_recipe),
]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Which store and namespace to use, and how to print."""

    db: Annotated[
        str | None,
        typer.Option(
            "--db", metavar="PATH", help="The store; default: $RECOLLECT_DB, or memory.db in your data folder."
        ),
    ] = None
    read_url: Annotated[
        list[str] | None,
        typer.Option("--read-url", metavar="URL", help="A read replica of a PostgreSQL store (repeatable)."),
    ] = None
    namespace: Annotated[
        str | None,
        typer.Option("--namespace", metavar="PATH", help="Such as acme/agents/ada; includes namespaces below it."),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")] = False

    def refuse_before(self, name: str | None) -> None:
        """Options in front of a group's command would have no effect."""
        if self != Place():
            raise InvalidInput(f"put --db, --read-url, --namespace and --json after `{name}`, not before it")

    def settings(self) -> config.Settings:
        return config.load(db=self.db, namespace=self.namespace, read_url=" ".join(self.read_url or ()) or None)

    @property
    def path(self) -> str:
        return self.settings().db or config.default_db()

    def open_without_making(self, **arguments: Any) -> Recollect:  # noqa: ANN401 - Recollect's
        """Opens the store. A missing one is not created: an empty one in memory stands for it."""
        settings = self.settings()
        missing = _is_missing(settings.db or config.default_db())
        return self.open(settings=replace(settings, db=":memory:") if missing else settings, **arguments)

    def open(self, *, make: bool = False, **arguments: Any) -> Recollect:  # noqa: ANN401 - Recollect's
        """Opens the store. Only with `make` a missing one is created."""
        from ..recollect import Recollect

        settings = arguments.pop("settings", None) or self.settings()
        path = settings.db or config.default_db()
        if not make:
            _check_exists(path)
        return Recollect(path, settings=settings, **arguments)

    def open_store(self) -> AbstractContextManager[Store]:
        """The store alone: its settings may be damaged, and its embedder may be missing."""
        from ..store import open_store

        _check_exists(self.path)
        return closing(open_store(self.path))


def _check_exists(path: str) -> None:
    if _is_missing(path):
        raise NotFound(f"there is no store at {path}: create one with `recollect add TEXT`, or name another with --db")


def _is_missing(path: str) -> bool:
    return path != ":memory:" and "://" not in path and not Path(path).exists()


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which memories are meant."""

    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="Only of this kind (repeatable).", autocompletion=complete_kind),
    ] = None
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Only with this tag (repeatable; all must be there)."),
    ] = None
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="JSON", help="""Only with this metadata: '{"project": "atlas"}'."""),
    ] = None
    since: Annotated[
        str | None, typer.Option("--since", metavar=MOMENT, help="Only what happened at this moment or later.")
    ] = None
    until: Annotated[
        str | None, typer.Option("--until", metavar=MOMENT, help="Only what happened before this moment.")
    ] = None
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar=MOMENT, help="Only what was valid at this moment.")
    ] = None
    granularity: Annotated[
        str | None,
        typer.Option(
            "--granularity",
            metavar="SIZE",
            help="memory, turn, fact, chunk, round or session.",
            autocompletion=complete_granularity,
        ),
    ] = None
    session_id: Annotated[str | None, typer.Option("--session", metavar="ID", help="Only from this conversation.")] = (
        None
    )

    def given(self) -> dict[str, Any]:
        """The options that were given, as the façade takes them."""
        found = _given(self)
        return found | {"where": json_object("--where", self.where)} if self.where is not None else found


@dataclass(frozen=True, kw_only=True)
class States:
    """Which statuses and tiers are meant."""

    statuses: Annotated[
        list[str] | None,
        typer.Option(
            "--status",
            metavar="STATUS",
            help="Only with this status, such as superseded (repeatable).",
            autocompletion=complete_status,
        ),
    ] = None
    tiers: Annotated[
        list[str] | None,
        typer.Option(
            "--tier",
            metavar="TIER",
            help="Only pinned, searchable or archived (repeatable).",
            autocompletion=complete_tier,
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        return _given(self)


def _given(options: Filters | States) -> dict[str, Any]:
    values = {f.name: getattr(options, f.name) for f in fields(options)}
    return {name: value for name, value in values.items() if value is not None}


def spread(body: Callable[..., None]) -> Callable[..., None]:
    """A parameter that is a dataclass of options becomes those options on the command line."""
    hints = get_type_hints(body, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(body).parameters.items():
        if name in groups:
            parameters += _parameters(groups[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    moments = {each.name for each in parameters if _is_moment(each.annotation)}

    @wraps(body)
    def called(**values: Any) -> None:  # noqa: ANN401 - whatever the options hold
        values |= _typed_moments({name: values[name] for name in moments if values.get(name)})
        made = {name: kind(**{f.name: values.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
        body(**values, **made)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _is_moment(annotation: object) -> bool:
    return any(getattr(each, "metavar", None) == MOMENT for each in getattr(annotation, "__metadata__", ()))


def _typed_moments(given: dict[str, str]) -> dict[str, datetime]:
    """The moments that options name. The settings are read only if one is given, for the user's time zone."""
    if not given:
        return {}
    from .dates import typed_moment

    zone = config.load().zone
    return {name: typed_moment(name, text, zone) for name, text in given.items()}


def _parameters(options: type) -> list[inspect.Parameter]:
    hints = get_type_hints(options, include_extras=True)
    only = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(field.name, only, default=field.default, annotation=hints[field.name])
        for field in fields(options)
    ]
