"""The command that serves a memory over HTTP."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidInput, NotFound
from ..extras import install_command
from . import show
from .app import command
from .options import Embedder, Place, RecipeName
from .surface import UNUSABLE_STORE

if TYPE_CHECKING:
    from ..recollect import Recollect
    from ..serve.rest.options import Options


@command(
    "serve",
    """
    recollect serve
    recollect serve --db agent.db --namespace acme --port 8000
    recollect serve --link
    """,
)
def serve(
    place: Place,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", help="The port to listen on; 0 picks a free one.", min=0, max=65535)
    ] = 7411,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Accept this host name too, such as a proxy's (repeatable)."),
    ] = None,
    requests_per_second: Annotated[
        float, typer.Option("--requests-per-second", metavar="N", help="The limit for each key.", min=0.1)
    ] = 200.0,
    open_metrics: Annotated[
        bool, typer.Option("--open-metrics", help="Show /metrics, figures of the whole store, without a key.")
    ] = False,
    link: Annotated[bool, typer.Option("--link", help="Only print a new login link for a running server.")] = False,
    recipe: RecipeName = None,
    embedder: Embedder = None,
) -> None:
    """Serve a memory: a page at /, REST under /v1, MCP at /mcp.

    The first start creates a key and shows it once. Logs go to stderr, one line of JSON per request.
    """
    _check_extra()
    from ..serve.rest.options import Options

    options = Options(
        host=host,
        port=port,
        allowed_hosts=tuple(allow_host or ()),
        requests_per_second=requests_per_second,
        request_burst=max(1, round(2 * requests_per_second)),
        open_metrics=open_metrics,
    )
    if link:
        return _link(place, options)
    taken = _listen(options)
    with taken, place.open(make=True, recipe=recipe, embedder=embedder) as mind:
        _serve(mind, options, taken, place.as_json)


def _check_extra() -> None:
    from importlib.util import find_spec

    for name in ("fastapi", "mcp", "uvicorn"):
        if find_spec(name) is None:
            raise InvalidInput(f"the server needs {name}: run: {install_command('server')}")


def _listen(options: Options) -> socket.socket:
    from ..serve.rest.sockets import listen

    try:
        return listen(options)
    except OSError as error:
        show.say(f"{options.host}:{options.port} {_reason(error)}: choose another with --port or --host")
        raise typer.Exit(UNUSABLE_STORE) from None


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "is in use"
    number = error.errno or 0
    return f"can't be used ({os.strerror(number) if number > 0 else 'no such address'})"  # below 0: from the resolver


def _link(place: Place, options: Options) -> None:
    from ..serve.places import key_command
    from ..serve.rest.login_links import link
    from ..serve.rest.sockets import address

    with place.open() as mind:
        made, own = link(mind, options, address(options, options.port)), mind.namespace
    if made is None:
        raise NotFound(
            f"a login link needs an admin key for {own!r}, and there is none: name another place with --namespace, or "
            f"create one with `{key_command(mind, own, 'NAME')}`"
        )
    show.answer(place.as_json, {"link": made}, lambda: show.line(made))


def _serve(mind: Recollect, options: Options, taken: socket.socket, as_json: bool) -> None:
    from ..serve.places import elsewhere
    from ..serve.rest.login_links import first_key, link
    from ..serve.rest.sockets import address

    at = address(options, taken.getsockname()[1])
    made = first_key(mind)
    found = elsewhere(mind, mind.namespace)
    told = {
        "url": at,
        "key": None if made is None else made[1],
        "link": link(mind, options, at),
        "elsewhere": found and asdict(found),
    }
    if not options.is_loopback:
        show.say(
            f"warning: {options.host} can be reached from other machines, and keys are not encrypted: use a TLS proxy"
        )
    _announce(mind, told, as_json)

    from ..serve.rest.serving import run  # slow to import: the lines above are shown first

    if run(mind, options, taken) == signal.SIGINT:
        raise KeyboardInterrupt


def _announce(mind: Recollect, told: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show.line(show.dumps(told))
        sys.stdout.flush()
        return
    show.say(f"serving {mind.url} at {told['url']}: REST under /v1, MCP at /mcp, the page at /")
    if told["key"]:
        show.say(f"the first key, for namespace {mind.namespace!r}; it is shown only once: {told['key']}")
    if told["link"]:
        show.say(f"open the page with this link (it works once, for a few minutes): {told['link']}")
    else:
        show.say(_no_link(mind))
    if told["elsewhere"]:
        show.say(_elsewhere(mind, **told["elsewhere"]))


def _no_link(mind: Recollect) -> str:
    from ..serve.places import key_command

    made = key_command(mind, mind.namespace, "NAME")
    return (
        f"no login link: there are keys, but no admin key for {mind.namespace!r}. Make one with `{made}` and sign in "
        "with it, or get a link for another namespace with `recollect serve --link --namespace ...`"
    )


def _elsewhere(mind: Recollect, *, memories: int, namespaces: Sequence[str], more: int, command: str) -> str:
    places = ", ".join([*namespaces, *([f"{more} more"] if more else [])])
    return (
        f"{mind.namespace!r} has no memories yet; {show.counted(memories, 'memory is', 'memories are')} in {places}. "
        f"To see them on the page, make a key with `{command}` and sign in with it"
    )
