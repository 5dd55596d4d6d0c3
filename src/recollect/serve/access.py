"""The façade inside a caller's walls: one place that says what each caller may see and do.

A namespace that is not given is the caller's own; one outside is refused. An id from outside is not there, in the
very words of one that never was. What leads outside is left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from .. import checks
from .. import recipes as known_recipes
from ..checks.keywords import Moment
from ..errors import Forbidden, InvalidInput, UnknownName
from ..read import ids
from ..read.compare import Comparison
from ..recipes.recipe import Recipe
from ..recollect import Recollect
from ..store.protocol import Counts, RecallHit
from ..tend.feedback import no_recall
from ..types import Context, Event, Filter, Link, Memory, Recall, Tended
from ..write.changes.revise import no_memory
from ..write.changes.undo import no_event
from . import visibility
from .scope import Caller, Role

if TYPE_CHECKING:
    from ..write.conversations.ingest import Ingested

OUTSIDE = "the namespace lies outside of what this key may see"
_MOST_ID_CHARS = 128
_KEYS_OWN = ("origin", "trust")
"""Fields of a memory that the key says, not the writer."""
_AUDIT_PAGE = 100

P = ParamSpec("P")
R = TypeVar("R")
# named here, because inside the class `list` is a call
Memories: TypeAlias = list[Memory]
Events: TypeAlias = list[Event]
Recalls: TypeAlias = list[RecallHit]


def _needs(role: Role) -> Callable[[Callable[Concatenate[Access, P], R]], Callable[Concatenate[Access, P], R]]:
    """Refuses callers who may not do so much, before anything is looked at."""

    def guard(call: Callable[Concatenate[Access, P], R]) -> Callable[Concatenate[Access, P], R]:
        @wraps(call)
        def guarded(desk: Access, /, *args: P.args, **kwargs: P.kwargs) -> R:
            desk._check_role(role)
            return call(desk, *args, **kwargs)

        return guarded

    return guard


class Access:
    """What one caller can do. Light: make one per request."""

    def __init__(self, mind: Recollect, caller: Caller) -> None:
        self.caller = caller
        self._scope = caller.scope
        place = caller.scope.namespace
        self._mind = mind.acting(actor=caller.name, namespace=place, trust=caller.trust, within=place)
        self._store = mind.store
        self._within = Filter(namespaces=(place,))

    # Remembering ----------------------------------------------------------------------------------

    @_needs("write")
    def remember(self, /, text: str, **arguments: Any) -> Memory:  # noqa: ANN401 - the façade's
        return self._mind.remember(text, **self._inside(_known(Recollect.remember, arguments)))

    @_needs("write")
    def remember_many(self, items: Iterable[Mapping[str, Any]]) -> Memories:
        return self._mind.remember_many([self._item(item) for item in items])

    def _item(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        if not isinstance(item, Mapping):
            return item  # the façade says what is wrong with it, and with which
        for name in _KEYS_OWN:
            if name in item:
                raise InvalidInput(f"{name} is not the writer's to say, the key has it: leave it out")
        return self._inside(item)

    @_needs("write")
    def ingest(self, /, messages: Sequence[Mapping[str, Any]], **arguments: Any) -> Ingested:  # noqa: ANN401
        return self._mind.ingest(messages, **self._ingesting(_known(Recollect.ingest, arguments)))

    @_needs("write")
    def ingest_many(self, /, conversations: Iterable[Mapping[str, Any]], **arguments: Any) -> Sequence[Ingested]:  # noqa: ANN401
        return self._mind.ingest_many(conversations, **self._ingesting(_known(Recollect.ingest_many, arguments)))

    def _ingesting(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """An extractor's name can hold an address to send the text to: only the server's own are taken."""
        offered = sorted({"rules", self._mind.settings.extractor})
        if arguments.get("extractor") not in (None, *offered):
            raise UnknownName("extractor", arguments["extractor"], offered)
        return self._inside(arguments)

    # Recalling ------------------------------------------------------------------------------------

    @_needs("read")
    def recall(self, /, query: str, **arguments: Any) -> Recall:  # noqa: ANN401 - the façade's
        return self._mind.recall(query, **self._question(_known(Recollect.recall, arguments)))

    @_needs("read")
    def compare(self, /, query: str, recipes: Sequence[str] | None = None, **arguments: Any) -> Comparison:  # noqa: ANN401
        question = self._question(_known(Recollect.recall, arguments, barred=("recipe", "track")))
        return self._mind.compare(query, _recipe_names(recipes), **question)

    @_needs("read")
    def assemble(self, /, query: str, **arguments: Any) -> Context:  # noqa: ANN401 - the façade's
        self._check_place(arguments.get("team"), "team")
        return self._mind.assemble(query, **self._question(_known(Recollect.assemble, arguments)))

    def _question(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        _check_recipe(arguments.get("recipe"))
        if "quarantined" in (arguments.get("include") or ()):
            self._check_role("admin")
        return self._inside(arguments)

    @_needs("read")
    def recipes(self) -> Sequence[Recipe]:
        return [known_recipes.load(name) for name in known_recipes.names()]

    @_needs("read")
    def recipe(self, name: str) -> Recipe:
        _check_recipe(name)
        return known_recipes.load(name)

    @_needs("write")
    def feedback(self, recall_id: str, used: Sequence[str] = (), outcome: str | float | None = None) -> Memories:
        self._check_recall(recall_id)
        return list(self._mind.feedback(recall_id, used, outcome))

    def _check_recall(self, recall_id: str) -> None:
        found = self._store.logged(recall_id) if _is_an_id(recall_id) else None
        if found is None or not self._scope.admits(found.logged.namespace):
            raise no_recall(recall_id)
        hits = self._store.get(memory_id for memory_id, _ in found.logged.hits)
        if not all(self._scope.admits(memory.namespace) for memory in hits.values()):
            raise no_recall(recall_id)

    # Reading and changing -------------------------------------------------------------------------

    @_needs("read")
    def get(self, id: str) -> Memory:
        return self._mind.get(self._mine(id).id)

    @_needs("read")
    def list(self, /, *, limit: int | None = None, after: str | None = None, **filters: Any) -> Memories:  # noqa: ANN401
        if after is not None:  # a stranger's id would tell by the page that follows when it was made
            after = self._mine(after).id
        return list(self._mind.list(limit=limit, after=after, **self._inside(filters)))

    @_needs("write")
    def update(self, /, id: str, **fields: Any) -> Memory:  # noqa: ANN401 - a memory's fields
        memory = self._mine(id)
        if _sets_free(memory, fields.get("status")):
            self._check_role("admin")
        return self._mind.update(memory.id, **fields)

    @_needs("write")
    def forget(self, /, id: str | None = None, *, preview: bool = False, **filters: Any) -> Memories:  # noqa: ANN401
        return list(self._mind.forget(self._chosen(id), preview=preview, **self._inside(filters)))

    @_needs("admin")
    def purge(self, /, id: str | None = None, *, preview: bool = False, **filters: Any) -> Memories:  # noqa: ANN401
        return list(self._mind.purge(self._chosen(id), preview=preview, **self._inside(filters)))

    @_needs("write")
    def archive(self, /, id: str | None = None, *, preview: bool = False, **filters: Any) -> Memories:  # noqa: ANN401
        return list(self._mind.archive(self._chosen(id), preview=preview, **self._inside(filters)))

    @_needs("write")
    def restore(self, id: str) -> Memory:
        """Takes a `forget` back; releasing what is quarantined needs an admin."""
        memory = self._mine(id)
        if memory.status == "quarantined":
            self._check_role("admin")
        return self._mind.restore(memory.id)

    @_needs("write")
    def pin(self, id: str, pinned: bool = True) -> Memory:
        return self._mind.pin(self._mine(id).id, pinned)

    @_needs("write")
    def reinforce(self, id: str) -> Memory:
        return self._mind.reinforce(self._mine(id).id)

    @_needs("write")
    def supersede(self, old: str, new: str) -> Memory:
        return self._mind.supersede(self._mine(old).id, self._mine(new).id)

    @_needs("write")
    def contradict(self, a: str, b: str) -> Link:
        return self._mind.contradict(self._mine(a).id, self._mine(b).id)

    @_needs("write")
    def link(self, a: str, b: str, kind: str = "related", weight: float = 0.5) -> Link:
        return self._mind.link(self._mine(a).id, self._mine(b).id, kind, weight)

    @_needs("write")
    def unlink(self, a: str, b: str, kind: str | None = None) -> Sequence[Link]:
        return self._mind.unlink(self._mine(a).id, self._mine(b).id, kind)

    @_needs("read")
    def neighbours(self, id: str) -> Sequence[tuple[Link, Memory]]:
        around = self._mind.neighbours(self._mine(id).id)
        return [(link, other) for link, other in around if self._scope.admits(other.namespace)]

    # The log --------------------------------------------------------------------------------------

    @_needs("read")
    def history(self, id: str) -> Events:
        """What happened to a memory, oldest first; a purged one still has its events."""
        whole = ids.memory_id(self._store, id, self._within) if _is_an_id(id) else ""
        if not self._owned([whole]):
            raise no_memory(id)
        return self._seen(self._mind.history(whole))

    @_needs("read")
    def recalls(self, id: str, *, limit: int = 100) -> Recalls:
        """The questions that found a memory, newest first, of those asked inside."""
        return self._store.recalls_of(self._mine(id).id, (self._scope.namespace,), limit=checks.count("limit", limit))

    @_needs("write")
    def undo(self, event_id: str) -> Event:
        """Takes an event back that touched nothing outside."""
        found = self._store.events(event_id=event_id) if _is_an_id(event_id) else []
        if not found or not self._stays_within(found[0]):
            raise no_event(event_id)
        if found[0].action == "move" or self._would_set_free(found[0]):
            self._check_role("admin")
        return self._mind.undo(event_id)

    def _stays_within(self, event: Event) -> bool:
        return visibility.stays_within(event, self._owned(visibility.mentioned(event)), self._scope)

    def _would_set_free(self, event: Event) -> bool:
        """Whether taking it back would let go what is quarantined, with the text that brought it there."""
        former = {c.memory_id: c.before for c in event.changes if c.before and "text" not in c.before}
        held = self._store.get(former)
        return any(_sets_free(memory, former[id].get("status")) for id, memory in held.items())

    @_needs("read")
    def event(self, id: str) -> Event:
        """One entry of the log, without what leads outside."""
        found = self._seen(self._store.events(event_id=id)) if _is_an_id(id) else []
        if not found:
            raise no_event(id)
        return found[0]

    @_needs("admin")
    def audit(self, *, limit: int = _AUDIT_PAGE, after: str | None = None) -> Events:
        """Who wrote and who asked what, newest first; `after` is the last id of the page before."""
        wanted = checks.count("limit", limit)
        page = min(wanted, _AUDIT_PAGE)
        before = None if after is None else checks.label("after", after)
        found: list[Event] = []
        while len(found) < wanted:
            entries = self._entries(page, before)
            found += self._seen(entries)
            if len(entries) < page:
                break
            before = entries[-1].id
        return found[:wanted]

    def _entries(self, limit: int, before: str | None) -> Events:
        """Events and recalls in one row: the ids of both sort by time."""
        inside = (self._scope.namespace,)
        changes = self._store.log(inside, limit=limit, before=before)
        questions = map(visibility.asked, self._store.asked(inside, limit=limit, before=before))
        return sorted((*changes, *questions), key=lambda entry: entry.id, reverse=True)[:limit]

    def _seen(self, events: Iterable[Event]) -> Events:
        listed = [event for event in events if self._scope.admits(event.namespace)]
        owned = self._owned(id for event in listed for id in visibility.mentioned(event))
        shown = (visibility.trimmed(event, owned, self._scope) for event in listed)
        return [event for event in shown if event is not None]

    # Tending --------------------------------------------------------------------------------------

    @_needs("admin")
    def tend(self, *, namespace: str | None = None, at: Moment = None, preview: bool = False) -> Tended:
        return self._mind.tend(namespace=self._check_place(namespace), at=at, preview=preview)

    @_needs("admin")
    def decay(self, *, namespace: str | None = None, at: Moment = None) -> int:
        return self._mind.decay(namespace=self._check_place(namespace), at=at)

    @_needs("admin")
    def consolidate(self, *, namespace: str | None = None, at: Moment = None, preview: bool = False) -> Memories:
        return list(self._mind.consolidate(namespace=self._check_place(namespace), at=at, preview=preview))

    # Namespaces and figures -----------------------------------------------------------------------

    @_needs("admin")
    def move(self, old: str, new: str) -> int:
        for path in (old, new):
            self._check_place(path)
        return self._mind.move(old, new)

    @_needs("read")
    def namespaces(self) -> dict[str, int]:
        return {path: count for path, count in self._mind.namespaces().items() if self._scope.admits(path)}

    @_needs("read")
    def stats(self, namespace: str | None = None) -> Counts:
        return self._mind.stats(self._check_place(namespace) or self._scope.namespace)

    @_needs("read")
    def growth(self, namespace: str | None = None) -> Sequence[tuple[date, int]]:
        return self._mind.growth(self._check_place(namespace) or self._scope.namespace)

    # The walls ------------------------------------------------------------------------------------

    def _check_role(self, role: Role) -> None:
        if not self._scope.may(role):
            raise Forbidden(f"this needs a key with the role {role!r}, and this one has {self._scope.role!r}")

    def _check_place(self, namespace: str | None, field: str = "namespace") -> str | None:
        if namespace is not None and not self._scope.admits(checks.path(namespace, field)):
            raise Forbidden(OUTSIDE)
        return namespace

    def _inside(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments, whose namespaces are all inside; the façade fills in one that is missing."""
        self._check_place(arguments.get("namespace"))
        several = arguments.get("namespaces")
        if isinstance(several, Sequence) and not isinstance(several, str):
            for path in several:
                self._check_place(path)
        return arguments

    def _mine(self, id: str) -> Memory:
        """The memory with this id, or with the only id inside that begins like this."""
        whole = ids.memory_id(self._store, id, self._within) if _is_an_id(id) else ""
        found = self._store.get([whole], self._within).get(whole)
        if found is None:
            raise no_memory(id)
        return found

    def _chosen(self, id: str | None) -> str | None:
        return None if id is None else self._mine(id).id

    def _owned(self, ids: Iterable[str]) -> set[str]:
        """Those of these memories that lie inside, and those that did for as long as they were there."""
        wanted = set(ids)
        held = self._store.get(wanted)
        inside = {id for id, memory in held.items() if self._scope.admits(memory.namespace)}
        return inside | {id for id in wanted - held.keys() if self._was_mine(id)}

    def _was_mine(self, id: str) -> bool:
        events = self._store.events(memory_id=id)
        return bool(events) and all(self._scope.admits(event.namespace) for event in events)


def _known(call: Callable[..., Any], arguments: Mapping[str, Any], barred: Iterable[str] = ()) -> Mapping[str, Any]:
    """The arguments, each of which the façade's call has; a wire has no progress bar."""
    offered = inspect.signature(call).parameters.keys() - {"self", "progress", *barred}
    for name in arguments:
        if name not in offered:
            raise UnknownName("argument", name, offered)
    return arguments


def _check_recipe(name: object) -> None:
    """By name only: a path would be one of the server's files."""
    if name is not None and name not in known_recipes.names():
        raise UnknownName("recipe", name, known_recipes.names())


def _recipe_names(names: Sequence[str] | None) -> Sequence[str] | None:
    for name in names or ():
        _check_recipe(name)
    return None if names is None else tuple(dict.fromkeys(names))


def _is_an_id(value: object) -> bool:
    """Whether a store can be asked for it at all."""
    return isinstance(value, str) and 0 < len(value) <= _MOST_ID_CHARS and value.isprintable()


def _sets_free(memory: Memory, status: object) -> bool:
    """Whether this status would let go what is held back, now or since before it was forgotten."""
    held = memory.status == "quarantined" or "quarantine" in memory.metadata
    return held and status not in (None, "quarantined", "forgotten")
