"""The façade's methods over HTTP, for a memory on a server (`recollect serve`): same signatures, types and errors.

Methods that use the server's own files, settings or model are not available: `backup`, `export`, `import_`,
`ingest_documents`, `reembed`, `calibrate`, `clear_calibration`, `brief`, `chain`, `check`, `doctor`, `retention`,
`set_retention`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import wraps
from inspect import Parameter, signature
from types import MethodType, TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, overload
from urllib.parse import quote

from .. import checks
from ..errors import StoreError
from ..http.request import Sleep
from ..read.compare import Comparison
from ..recollect import Recollect
from ..store.values import Counts, RecallHit
from ..types import (
    Changed,
    Context,
    Event,
    Graph,
    Link,
    Memory,
    Profile,
    Recall,
    RecallDay,
    RecallLog,
    Tended,
    from_plain,
)
from ..write.changes.revise import CONTRADICTS_WEIGHT
from ..write.conversations.ingest import Ingested
from .wire import Wire, as_json

TIMEOUT_SECONDS = 30.0
ATTEMPTS = 4
MOST_ITEMS = 1000
"""The most items the server accepts in a batch, and the most entries of a page."""
MOST_BYTES = 4 * 1024 * 1024

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Given: TypeAlias = dict[str, Any]
"""The arguments that a caller passed, by name."""


How: TypeAlias = "Callable[[Client, Given], Answer]"


class Sent(Generic[Arguments, Answer]):
    """A method of the façade, sent to the server. It has the façade's signature."""

    def __init__(
        self,
        method: Callable[Concatenate[Recollect, Arguments], Answer],
        how: How[Answer],
    ) -> None:
        given = _binding(method)

        @wraps(method)
        def sent(client: Client, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
            return how(client, given(*args, **kwargs))

        self._function = sent

    @overload
    def __get__(self, client: None, owner: type[Client]) -> Callable[Concatenate[Client, Arguments], Answer]: ...
    @overload
    def __get__(self, client: Client, owner: type[Client]) -> Callable[Arguments, Answer]: ...
    def __get__(self, client: Client | None, owner: type[Client]) -> Callable[..., Any]:
        return self._function if client is None else MethodType(self._function, client)


def _binding(method: Callable[..., Any]) -> Callable[..., Given]:
    """A function that returns the arguments of a call to that method, by name."""
    inside = signature(method)
    extra = next((p.name for p in inside.parameters.values() if p.kind is Parameter.VAR_KEYWORD), "")
    left_out = ("self", "progress", extra)

    def given(*args: object, **kwargs: object) -> Given:
        found: Given = inside.bind(None, *args, **kwargs).arguments
        named = {name: value for name, value in found.items() if name not in left_out}
        return named | dict(found.get(extra, {}))

    return given


def _write(line: str, read: Callable[[Any], Answer], **names: str) -> How[Answer]:
    """Sends a request that changes something."""
    return _request(line, read, names, is_write=True)


def _read(line: str, read: Callable[[Any], Answer], **names: str) -> How[Answer]:
    """Sends a request that changes nothing and can be repeated."""
    return _request(line, read, names, is_write=False)


def _request(line: str, read: Callable[[Any], Answer], names: Mapping[str, str], *, is_write: bool) -> How[Answer]:
    """Puts arguments that the path names into the path, and the others into the body or query. `names` renames them."""
    method, path = line.split()

    def how(client: Client, given: Given) -> Answer:
        inside = {name: _quoted(given.pop(name)) for name in re.findall(r"{(\w+)}", path)}
        # PATCH sets a field to None; elsewhere None means: not given
        sent = {names.get(name, name): value for name, value in given.items() if value is not None or method == "PATCH"}
        return read(client.ask(method, path.format(**inside), sent, is_write=is_write))

    return how


def _quoted(value: object) -> str:
    """One part of a path; dots alone would lead to another folder."""
    part = quote(str(value), safe="")
    return part.replace(".", "%2E") if part in (".", "..") else part


def _each(name: str, read: Callable[[Any], Answer]) -> Callable[[Any], Sequence[Answer]]:
    return lambda said: [read(each) for each in said[name]]


def _number(name: str) -> Callable[[Any], int]:
    return lambda said: int(said[name])


_memories = _each("memories", Memory.from_dict)


def _comparison(said: Mapping[str, Any]) -> Comparison:
    recalls = {recipe: Recall.from_dict(found) for recipe, found in said["recalls"].items()}
    return Comparison(query=said["query"], recalls=recalls)


def _neighbour(said: Mapping[str, Any]) -> tuple[Link, Memory]:
    return Link.from_dict(said["link"]), Memory.from_dict(said["memory"])


def _ingested(said: Mapping[str, Any]) -> Ingested:
    return from_plain(Ingested, said)


def _recalled(said: Mapping[str, Any]) -> RecallHit:
    return from_plain(RecallHit, said)


def _counts(said: Mapping[str, Any]) -> Counts:
    return from_plain(Counts, said)


def _counted(said: Mapping[str, Any]) -> dict[str, int]:
    return dict(said["namespaces"])


def _day(said: Mapping[str, Any]) -> tuple[date, int]:
    return date.fromisoformat(said["day"]), said["memories"]


# What takes more than one request -----------------------------------------------------------------


def _remember_many(client: Client, given: Given) -> list[Memory]:
    found: list[Memory] = []
    for portion in _portions(given["items"]):
        found += _memories(client.ask("POST", "/v1/memories/batch", {"items": portion}, is_write=True))
    return found


def _ingest_many(client: Client, given: Given) -> list[Ingested]:
    found: list[Ingested] = []
    for portion in _portions(given["conversations"]):
        said = client.ask("POST", "/v1/ingest/batch", given | {"conversations": portion}, is_write=True)
        found += [_ingested(each) for each in said["ingested"]]
    return found


def _portions(items: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Splits items into portions that the server accepts."""
    portion: list[Mapping[str, Any]] = []
    size = 0
    for item in items:
        length = len(as_json(item))
        if portion and (len(portion) == MOST_ITEMS or size + length > MOST_BYTES):
            yield portion
            portion, size = [], 0
        portion.append(item)
        size += length
    if portion:
        yield portion


_IN_A_QUERY = {"namespaces": "namespace", "kinds": "kind", "tags": "tag", "statuses": "status", "tiers": "tier"}
"""Names of list filters in a query, where each value is a parameter of its own."""


def _queried(given: Given) -> Given:
    query = {_IN_A_QUERY.get(name, name): value for name, value in given.items() if value is not None}
    if "where" in query:
        query["where"] = as_json(query["where"]).decode()
    return query


def _matching(client: Client, given: Given) -> Sequence[Memory]:
    return _memories(client.ask("GET", "/v1/matching", _queried(given), is_write=False))


def _list(client: Client, given: Given) -> list[Memory]:
    """Reads the list page by page."""
    limit = None if given.get("limit") is None else checks.count("limit", given["limit"])
    query = _queried(given)
    found: list[Memory] = []
    while limit is None or len(found) < limit:
        query["limit"] = MOST_ITEMS if limit is None else min(limit - len(found), MOST_ITEMS)
        page = client.ask("GET", "/v1/memories", query, is_write=False)
        found += _memories(page)
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    return found


# --------------------------------------------------------------------------------------------------


class Client:
    """A memory on a server: `Client("http://127.0.0.1:7411", key="rk_…")`. Threads may share it.

    `timeout_seconds` is the limit of one attempt. When the server is busy or does not answer, the request is sent again
    after a growing delay. Every write has an Idempotency-Key, so it happens once even if it is sent twice.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str,
        timeout_seconds: float = TIMEOUT_SECONDS,
        attempts: int = ATTEMPTS,
        sleep: Sleep = time.sleep,
    ) -> None:
        self.url = url
        self._wire: Wire | None = Wire(url, key, timeout_seconds, attempts, sleep)

    remember = Sent(Recollect.remember, _write("POST /v1/memories", Memory.from_dict))
    remember_many = Sent(Recollect.remember_many, _remember_many)
    ingest = Sent(Recollect.ingest, _write("POST /v1/ingest", _ingested))
    ingest_many = Sent(Recollect.ingest_many, _ingest_many)
    recall = Sent(Recollect.recall, _read("POST /v1/recall", Recall.from_dict))
    compare = Sent(Recollect.compare, _read("POST /v1/compare", _comparison))
    profile = Sent(Recollect.profile, _read("GET /v1/profile", Profile.from_dict))
    graph = Sent(Recollect.graph, _read("GET /v1/graph", Graph.from_dict, kinds="kind"))
    get = Sent(Recollect.get, _read("GET /v1/memories/{id}", Memory.from_dict))
    list = Sent(Recollect.list, _list)
    matching = Sent(Recollect.matching, _matching)
    update = Sent(Recollect.update, _write("PATCH /v1/memories/{id}", Memory.from_dict))
    forget = Sent(Recollect.forget, _write("POST /v1/forget", _memories))
    restore = Sent(Recollect.restore, _write("POST /v1/memories/{id}/restore", Memory.from_dict))
    purge = Sent(Recollect.purge, _write("POST /v1/purge", _memories))
    history = Sent(Recollect.history, _read("GET /v1/memories/{id}/history", _each("events", Event.from_dict)))
    recalls = Sent(Recollect.recalls, _read("GET /v1/memories/{id}/recalls", _each("recalls", _recalled)))
    recall_log = Sent(Recollect.recall_log, _read("GET /v1/recalls", RecallLog.from_dict))
    recall_days = Sent(Recollect.recall_days, _read("GET /v1/recalls/days", _each("days", RecallDay.from_dict)))
    change_many = Sent(Recollect.change_many, _write("POST /v1/change", Changed.from_dict))
    undo = Sent(Recollect.undo, _write("POST /v1/events/{event_id}/undo", Event.from_dict))
    link = Sent(Recollect.link, _write("POST /v1/memories/{a}/links", Link.from_dict, b="to"))
    unlink = Sent(Recollect.unlink, _write("DELETE /v1/memories/{a}/links/{b}", _each("links", Link.from_dict)))
    neighbours = Sent(Recollect.neighbours, _read("GET /v1/memories/{id}/links", _each("links", _neighbour)))
    supersede = Sent(Recollect.supersede, _write("POST /v1/memories/{old}/supersede", Memory.from_dict, new="by"))
    contradict = Sent(
        Recollect.contradict,
        lambda client, given: client.link(**given, kind="contradicts", weight=CONTRADICTS_WEIGHT),
    )
    reinforce = Sent(Recollect.reinforce, _write("POST /v1/memories/{id}/reinforce", Memory.from_dict))
    decay = Sent(Recollect.decay, _write("POST /v1/decay", _number("changed")))
    pin = Sent(Recollect.pin, _write("POST /v1/memories/{id}/pin", Memory.from_dict))
    archive = Sent(Recollect.archive, _write("POST /v1/archive", _memories))
    consolidate = Sent(Recollect.consolidate, _write("POST /v1/consolidate", _memories))
    tend = Sent(Recollect.tend, _write("POST /v1/tend", Tended.from_dict))
    feedback = Sent(Recollect.feedback, _write("POST /v1/feedback", _memories))
    assemble = Sent(Recollect.assemble, _read("POST /v1/context", Context.from_dict))
    namespaces = Sent(Recollect.namespaces, _read("GET /v1/namespaces", _counted))
    move = Sent(Recollect.move, _write("POST /v1/namespaces/move", _number("moved"), old="from", new="to"))
    stats = Sent(Recollect.stats, _read("GET /v1/stats", _counts))
    growth = Sent(Recollect.growth, _read("GET /v1/stats", _each("growth", _day)))

    def ask(self, method: str, path: str, values: Mapping[str, Any], *, is_write: bool) -> Any:  # noqa: ANN401 - JSON
        """Sends any request of the REST interface, for routes that have no method here."""
        if self._wire is None:
            raise StoreError("this client was closed: make another one")
        return self._wire.ask(method, path, values, is_write=is_write)

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
        self._wire = None

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
