"""Commands on keys: add, list, revoke."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from ..namespaces import is_within
from . import show
from .app import callback, command, group
from .options import MOMENT, Place, one_of

if TYPE_CHECKING:
    from ..serve.keys import Key

_ROLES = ("read", "write", "admin")

keys_group = group("keys", "Create, list and revoke the keys that clients of the server need.")


@callback(
    keys_group,
    """
    recollect keys add laptop --namespace acme/agents/ada --role write
    recollect keys list
    recollect keys revoke laptop
    """,
)
def keys(ctx: typer.Context, place: Place) -> None:
    """List the keys of this memory. See `keys add` and `keys revoke`."""
    if ctx.invoked_subcommand is not None:
        return place.refuse_before(ctx.invoked_subcommand)
    _list(place)


@command(
    "add",
    """
    recollect keys add laptop --namespace acme/agents/ada --role write
    recollect keys add guest --role read --expires-at 2030-01-01
    """,
    of=keys_group,
)
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who will use it; the log shows key:NAME.")],
    place: Place,
    role: Annotated[
        str,
        typer.Option("--role", metavar="ROLE", help="read, write or admin.", autocompletion=one_of(lambda: _ROLES)),
    ] = "write",
    trust: Annotated[
        str,
        typer.Option(
            "--trust",
            metavar="CLASS",
            help="agent: text that looks like instructions or secrets is quarantined. user: it is not.",
        ),
    ] = "agent",
    expires_at: Annotated[
        str | None, typer.Option("--expires-at", metavar=MOMENT, help="When it expires; default: never.")
    ] = None,
) -> None:
    """Create a key for a namespace and those below it. Its token is printed once and not stored."""
    from ..serve.keys import Keys

    with place.open(make=True) as mind:
        key, token = Keys(mind).add(name, namespace=mind.namespace, role=role, trust=trust, expires_at=expires_at)
    if not place.as_json:
        show.say(f"{key.name} may {key.role} in {key.namespace}. Keep the token: it can't be shown again.")
    show.answer(place.as_json, key.to_dict() | {"token": token}, lambda: show.line(token))


@command("list", "recollect keys list --namespace acme", of=keys_group)
def list_keys(place: Place) -> None:
    """List the keys: all, or those of --namespace and below."""
    _list(place)


@command("revoke", "recollect keys revoke laptop", of=keys_group)
def revoke(
    key: Annotated[str, typer.Argument(metavar="KEY", help="Its name or id.")],
    place: Place,
) -> None:
    """Revoke a key. It stops working at once, also on a running server."""
    from ..serve.keys import Keys

    with place.open() as mind:
        ended = Keys(mind).revoke(key)
    show.answer(place.as_json, ended.to_dict(), lambda: show.line(f"revoked {ended.name} ({ended.id})"))


def _list(place: Place) -> None:
    from ..serve.keys import Keys

    with place.open() as mind:
        found = [
            key for key in Keys(mind).list() if place.namespace is None or is_within(key.namespace, mind.namespace)
        ]

    def draw() -> None:
        for key in found:
            show.line(_row(key))
        if not found:
            show.say("there are no keys: create one with `recollect keys add NAME`")

    show.answer(place.as_json, [key.to_dict() for key in found], draw)


def _row(key: Key) -> str:
    name = show.bold(f"{show.printable(key.name):<16}")
    return f"{key.id}  {name} {key.role:<5} {show.printable(key.namespace)}  {show.dim(_state(key))}"


def _state(key: Key) -> str:
    if key.revoked_at is not None:
        return f"revoked {key.revoked_at:%Y-%m-%d}"
    if key.expires_at is None:
        return f"since {key.created_at:%Y-%m-%d}"
    return f"{'until' if key.is_live(datetime.now(UTC)) else 'expired'} {key.expires_at:%Y-%m-%d}"
