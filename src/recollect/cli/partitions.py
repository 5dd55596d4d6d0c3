"""Commands that partition a PostgreSQL store by tenant and spread it over servers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ..errors import InvalidInput
from ..progress import progress
from . import show
from .app import callback, command, group
from .options import Place

if TYPE_CHECKING:
    from ..store.postgres.partitions.apply import Plan, Status

partitions_group = group("partitions", "Partition a PostgreSQL store by tenant, on one server or several.")

Buckets: TypeAlias = Annotated[
    int | None, typer.Option("--buckets", metavar="N", help="Into how many partitions; default: 16.")
]
Servers: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--server", metavar="NAME=URL", help="A server to add: its name and its database (repeatable)."),
]


@callback(
    partitions_group,
    """
    recollect partitions plan
    recollect partitions status
    """,
)
def partitions(ctx: typer.Context, place: Place) -> None:
    """Show which partition is on which server, as `partitions status` does."""
    if ctx.invoked_subcommand is not None:
        return place.refuse_before(ctx.invoked_subcommand)
    status(place)


@command(
    "plan",
    """
    recollect partitions plan --server east=postgresql://ada@east/memory
    recollect partitions plan --citus
    """,
    of=partitions_group,
)
def plan(
    place: Place,
    buckets: Buckets = None,
    server: Servers = None,
    citus: Annotated[
        bool, typer.Option("--citus", help="Print the SQL that distributes the tables with Citus.")
    ] = False,
) -> None:
    """Show what `partitions apply` would do. Nothing is changed, except that a new store gets its tables."""
    url = _url(place)
    from ..store.postgres.partitions import apply as running

    if citus:
        statements = running.for_citus(url)
        show.answer(place.as_json, {"statements": statements}, lambda: show.line("\n".join(statements)))
        return
    made = running.plan(url, buckets=buckets, servers=list(_servers(server)))
    show.answer(place.as_json, made.to_dict(), lambda: _draw_plan(made))


@command(
    "apply",
    """
    recollect partitions apply
    recollect partitions apply --server east=postgresql://ada@east/memory
    """,
    of=partitions_group,
)
def apply(place: Place, buckets: Buckets = None, server: Servers = None) -> None:
    """Partition the tables, add servers, and spread the partitions evenly over them.

    Stop the programs that use the store before the first run; open them again afterwards. Later runs, which add
    servers, need no stop. After an interruption, the same command continues.
    """
    url = _url(place)
    from ..store.postgres.partitions import apply as running

    done = running.apply(url, buckets=buckets, servers=_servers(server), tell=show.say)
    show.answer(place.as_json, done.to_dict(), lambda: _draw_applied(done))


@command(
    "move",
    """
    recollect partitions move --tenant acme --to east
    recollect partitions move --bucket 3 --to here
    """,
    of=partitions_group,
)
def move(
    place: Place,
    to: Annotated[str, typer.Option("--to", metavar="NAME", help="The server; `here` is the one of the store's URL.")],
    tenant: Annotated[str | None, typer.Option("--tenant", metavar="NAME", help="The tenant to move.")] = None,
    bucket: Annotated[int | None, typer.Option("--bucket", metavar="N", help="The bucket to move.")] = None,
    afresh: Annotated[bool, typer.Option("--afresh", help="Drop what an interrupted move has copied.")] = False,
) -> None:
    """Move a tenant or a bucket to another server, while others read and write.

    All rows are compared by count and checksum before the switch. After an interruption, the same command continues.
    """
    url = _url(place)
    from ..store.postgres.partitions.move import move as run

    with ExitStack() as stack:
        advance = stack.enter_context(progress("copying rows", None))
        done = run(url, to, tenant=tenant, bucket=bucket, afresh=afresh, advance=advance)

    def draw() -> None:
        show.numbers(done.rows)
        show.line(f"{done.what} is on {done.target}" + (f", moved from {done.source}" if done.rows else ""))

    show.answer(place.as_json, done.to_dict(), draw)


@command("status", "recollect partitions status", of=partitions_group)
def status(place: Place) -> None:
    """Show which partition is on which server, and which servers answer."""
    url = _url(place)
    from ..store.postgres.partitions import apply as running

    found = running.status(url)
    show.answer(place.as_json, found.to_dict(), lambda: _draw_status(found))


def _url(place: Place) -> str:
    from ..store import is_postgres, require_psycopg

    if not is_postgres(place.path):
        raise InvalidInput("only a PostgreSQL store has partitions: name one with --db postgresql://…")
    require_psycopg()
    return place.path


def _servers(given: Sequence[str] | None) -> dict[str, str]:
    found = {}
    for each in given or ():
        name, equals, url = each.partition("=")
        if not equals or "://" not in url:
            raise InvalidInput("a server is given as NAME=URL, such as east=postgresql://ada@east.example.org/memory")
        found[name] = url
    return found


def _draw_plan(made: Plan) -> None:
    if made.partitioned:
        show.line(f"the tables have {made.buckets} buckets already")
    else:
        show.line(f"partition {made.memories:,} memories into {made.buckets} buckets")
    for bucket, source, target in made.moves:
        show.line(f"move bucket {bucket} from {source} to {target}")
    if made.partitioned and not made.moves:
        show.line("nothing to do: the buckets are spread evenly")


def _draw_applied(done: Plan) -> None:
    show.line(f"{done.buckets} buckets on {len(done.servers)} servers: {', '.join(done.servers)}")


def _draw_status(found: Status) -> None:
    if not found.partitioned:
        show.line("the tables have no partitions: `recollect partitions apply` makes them")
    for name, state in found.servers.items():
        show.line(f"{show.printable(name)}: {show.printable(state)}")
        for each in found.partitions:
            if each.server == name:
                count = "?" if each.memories is None else f"{each.memories:,}"
                show.line(f"{count:>12}  {show.printable(each.name)}")
    for each_move in found.unfinished:
        show.line(f"interrupted: {show.printable(each_move)}; run the same command again")
