"""What an assistant's hook runs: `recollect hooks run EVENT`. The assistant writes JSON to stdin.

At the start and at each prompt it prints the context to add, as JSON. At the end it starts another process that stores
the conversation. It never takes longer than the limit, never prints anything else, and always ends with status 0: an
assistant must work as well when its memory does not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import state
from .assistants import ASSISTANTS, DEFAULT, assistant

LIMIT_SECONDS = 1.8
"""From the start of the process to its end."""
_STARTUP_SECONDS = 0.3
"""What starting Python takes, where it can't be read from the system."""
START_TOKENS = 1_500
PROMPT_HITS = 5
RECIPE = "default-fast"
"""Reading each candidate takes longer than a hook may."""
MOST_QUERY_CHARS = 20_000
EVENTS = ("start", "prompt", "end")


def main(arguments: Sequence[str]) -> None:
    """Ends the process. Nothing but the answer reaches the client."""
    if not {"-h", "--help"}.isdisjoint(arguments):
        _parser().print_help()
        return
    answer_to = _silenced()
    given = None
    try:
        given = _parsed(arguments)
        if given.event != "store":
            _end_after(given, answer_to)
        text = ("" if state.is_paused() else _handled(given)) or _silence(given)
        if text:
            os.write(answer_to, text.encode("utf-8"))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the outermost surface, which must stay silent
        state.note(" ".join(arguments[:1]) or "hook", f"{type(error).__name__}: {error}")
        if given is not None and (text := _silence(given)):
            os.write(answer_to, text.encode("utf-8"))
    os._exit(0)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    return _parser().parse_args(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="recollect hooks run")
    parser.add_argument("event", choices=[*EVENTS, "store"])
    parser.add_argument("--client", choices=[*ASSISTANTS], default=DEFAULT)
    parser.add_argument("--db")
    parser.add_argument("--namespace")
    parser.add_argument("--transcript")
    parser.add_argument("--limit-seconds", type=float, default=LIMIT_SECONDS)
    return parser


def _handled(given: argparse.Namespace) -> str:
    if given.event == "store":
        _store(given)
        return ""
    told = _told()
    if given.event == "end":
        _store_later(given, told)
        return ""
    context = _context(given, told)
    named = {"hookEventName": assistant(given.client).event_name(given.event), "additionalContext": context}
    return json.dumps({"hookSpecificOutput": named}, ensure_ascii=False) if context else ""


def _silence(given: argparse.Namespace) -> str:
    return assistant(given.client).silence.get(given.event, "")


def _told() -> Mapping[str, Any]:
    found = json.loads(sys.stdin.buffer.read() or b"{}")
    return found if isinstance(found, dict) else {}


def _context(given: argparse.Namespace, told: Mapping[str, Any]) -> str:
    """What is pinned and recent at the start; what recall finds at a prompt."""
    with _opened(given) as mind:
        from ..types import NEAREST_LAYER

        if given.event == "start":
            project = Path(str(told.get("cwd") or ".")).name or "this project"
            layers = mind.assemble(project, budget_tokens=START_TOKENS, recipe=RECIPE).layers
            return "\n\n".join(layer.text for layer in layers if layer.text and layer.name != NEAREST_LAYER)
        prompt = str(told.get("prompt") or "").strip()[:MOST_QUERY_CHARS]
        found = mind.recall(prompt, limit=PROMPT_HITS, recipe=RECIPE) if prompt else None
        return found.context() if found is not None and found.hits else ""


def _store_later(given: argparse.Namespace, told: Mapping[str, Any]) -> None:
    """Starts a process of its own: storing a long conversation takes longer than a hook may.

    With -P it imports nothing from the current folder, which may be a cloned repository."""
    transcript = told.get("transcript_path")
    if not isinstance(transcript, str) or not os.path.isfile(os.path.expanduser(transcript)):
        return
    here = [f"--{name}={getattr(given, name)}" for name in ("db", "namespace") if getattr(given, name)]
    command = [sys.executable, "-P", "-m", "recollect", "hooks", "run", "store", *here]
    subprocess.Popen(
        [*command, f"--transcript={os.path.expanduser(transcript)}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _store(given: argparse.Namespace) -> None:
    from ..imports import conversations_in

    conversations, broken = conversations_in(given.transcript)
    if broken:
        state.note("store", f"{len(broken)} of the records left out; the first: {broken[0].where}: {broken[0].why}")
    if conversations:
        with _opened(given, make=True) as mind:
            mind.ingest_many(conversations)


def _opened(given: argparse.Namespace, *, make: bool = False) -> Any:  # noqa: ANN401 - Recollect, which loads slowly
    from .. import Recollect, config
    from ..errors import NotFound

    settings = config.load(db=given.db, namespace=given.namespace)
    path = settings.db or config.default_db()
    if not make and "://" not in path and not Path(path).exists():
        raise NotFound(f"there is no store at {path} yet: it is made when the first conversation ends")
    return Recollect(path, settings=settings)


# Keeping silent and in time -----------------------------------------------------------------------


def _silenced() -> int:
    """Takes stdout for the answer. What anything else prints, also a C library, goes nowhere."""
    answer_to, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.set_inheritable(answer_to, False)
    for stream in (1, 2):
        os.dup2(nothing, stream)
    return answer_to


def _end_after(given: argparse.Namespace, answer_to: int) -> None:
    left = max(0.05, given.limit_seconds - _spent_seconds())
    watch = threading.Timer(left, _give_up, [given, answer_to])
    watch.daemon = True
    watch.start()


def _give_up(given: argparse.Namespace, answer_to: int) -> None:
    if text := _silence(given):
        os.write(answer_to, text.encode("utf-8"))
    state.note(given.event, f"not done within {given.limit_seconds:g} seconds, so nothing was added")
    os._exit(0)


def _spent_seconds() -> float:
    """How long this process has been running."""
    try:
        started_ticks = int(Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started_ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return _STARTUP_SECONDS
