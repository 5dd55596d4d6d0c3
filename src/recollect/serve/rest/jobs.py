"""Work that takes longer than a request: it runs on a thread, and the client asks how far it is."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from ...errors import Conflict, NotFound, RecollectError

KEPT = 20
"""Finished jobs whose results are kept."""

Work = Callable[[Callable[[int], None]], Any]
"""Gets a function to call with each further count; returns the result."""


@dataclass(slots=True)
class Job:
    """One job of one caller."""

    what: str
    caller: str
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: Literal["running", "done", "failed"] = "running"
    done: int = 0
    result: Any = None
    error: str | None = None

    def tick(self, count: int) -> None:
        self.done += count

    def to_dict(self) -> dict[str, Any]:
        names = ("id", "what", "state", "done", "result", "error")
        return {name: getattr(self, name) for name in names}


class Jobs:
    """The jobs of one server. One runs at a time, so that they leave room for requests."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, what: str, caller: str, work: Work) -> Job:
        job = Job(what, caller)
        with self._lock:
            busy = next((each for each in self._jobs.values() if each.state == "running"), None)
            if busy is not None:
                raise Conflict(f"the server is busy with another job ({busy.what}): try again when it is done")
            self._jobs[job.id] = job
            for old in list(self._jobs)[:-KEPT]:
                del self._jobs[old]
        threading.Thread(target=_run, args=(job, work), name=f"recollect-{what}", daemon=True).start()
        return job

    def get(self, id: str, caller: str) -> Job:
        job = self._jobs.get(id)
        if job is None or job.caller != caller:
            raise NotFound(f"no job has the id {id!r}: results are kept for a while only")
        return job


def _run(job: Job, work: Work) -> None:
    try:
        job.result = work(job.tick)
        job.state = "done"
    except RecollectError as error:
        job.error, job.state = str(error), "failed"
    except Exception:
        logging.getLogger("recollect.serve").exception("the job %s failed", job.what)
        job.error, job.state = "the server failed: its log has the details", "failed"
